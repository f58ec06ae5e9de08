package io.github.senderwhitelist.mailet.settings;

import static io.github.senderwhitelist.FuzzText.require;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.FuzzText;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.mailet.TestFiles;
import io.github.senderwhitelist.mailet.TestLists;
import io.github.senderwhitelist.mailet.settings.ListDefinition.OfFile;
import io.github.senderwhitelist.refresh.ListSettings;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parameters of mailet and matcher: settings within the limits of the manual's table, or one
 * line that says which parameter and what is allowed; what is written as the table says is taken
 * for what it says.
 *
 * <p>First byte: even, the mailet's parameters follow, one a line, {@code name=value}, where a name
 * of one capital letter stands for a known one; odd, a matcher's condition.
 */
public final class ParametersFuzz {
    private static final Path BASE = Path.of("/james");
    private static final List<String> NAMES = names();
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,6})(ms|s|m|h|d)");
    private static final Pattern WHOLE = Pattern.compile("[0-9]{1,12}");
    private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,6}(\\.[0-9]{1,12})?");

    private ParametersFuzz() {}

    /** Checks one input. */
    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length == 0) {
            return;
        }
        String text = new String(data, 1, data.length - 1, UTF_8);
        Map<String, String> values = Map.of();
        try {
            values =
                    (data[0] & 1) == 0
                            ? lines(text)
                            : Parameters.ofCondition("SenderIsWhitelisted", text);
            check(values);
        } catch (SettingException e) {
            requireKind(e);
            requireSecret(values, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Requires that a message does not contain the secret, unless it says the same with another
     * secret. Messages name parameters and allowed values, and a secret may be such a word.
     */
    private static void requireSecret(Map<String, String> values, String message) {
        String secret = values.getOrDefault("srsSecret", "");
        if (secret.length() < 12 || secret.startsWith("file://") || !message.contains(secret)) {
            return;
        }
        Map<String, String> others = new HashMap<>(values);
        others.put("srsSecret", "\u00a7".repeat(secret.length()));
        try {
            check(others);
            throw new IllegalStateException("refused the secret only: " + message);
        } catch (SettingException e) {
            require(message.equals(e.getMessage()), "told the secret: " + message);
        }
    }

    private static void requireKind(SettingException e) {
        String message = String.valueOf(e.getMessage());
        FuzzText.requireOneLine(message);
        require(message.startsWith("Sender"), "does not say who: " + message);
        require(
                message.contains("allowed: ") || message.contains("ask for"),
                "does not say what is allowed: " + message);
    }

    private static Map<String, String> lines(String text) {
        Map<String, String> values = new HashMap<>();
        values.put(ListParameters.WHITELIST, "file://conf/whitelist.txt");
        for (String line : text.split("\n", -1)) {
            int equals = line.indexOf('=');
            String name = equals < 0 ? line : line.substring(0, equals);
            if (name.length() == 1 && name.charAt(0) >= 'A' && name.charAt(0) <= 'Z') {
                name = NAMES.get((name.charAt(0) - 'A') % NAMES.size());
            }
            // Carriage returns stand for the line ends that values in XML may have.
            values.put(name, equals < 0 ? "" : line.substring(equals + 1).replace('\r', '\n'));
        }
        return values;
    }

    private static void check(Map<String, String> values) {
        Parameters parameters = new Parameters("SenderWhitelist", values, new TestFiles(BASE));
        Map<String, @Nullable String> told = told(values);
        Policy policy =
                CheckParameters.policy(
                        parameters, InstantSource.system(), RecipientUsers.NONE, domain -> false);
        CheckParameters.name(parameters);
        require(
                policy.subaddressing()
                        .label()
                        .equals(values.getOrDefault("subaddressDelimiter", "+").strip()),
                "subaddressDelimiter");
        require(
                policy.recipientTags()
                        .label()
                        .equals(values.getOrDefault("recipientDelimiter", "none").strip()),
                "recipientDelimiter");
        require(
                policy.listedOnFailure()
                        == values.getOrDefault("onLookupFailure", "").strip().equals("listed"),
                "onLookupFailure");
        require(
                policy.identity().label().equals(values.getOrDefault("sender", "envelope").strip()),
                "sender");
        require(
                policy.required()
                        .label()
                        .equals(values.getOrDefault("requireAuthentication", "none").strip()),
                "requireAuthentication");
        List<ListDefinition> lists =
                ListParameters.asked(parameters, TestLists.named("<whitelists/>"));
        require(
                lists.size()
                        == Objects.requireNonNull(values.get("whitelist")).split(",", -1).length,
                lists.size() + " lists");
        Set<String> unknown = new TreeSet<>(values.keySet());
        NAMES.forEach(unknown::remove);
        require(unknown.isEmpty(), "taken: " + unknown);
        lists.forEach(list -> checkList(((OfFile) list).settings(), values, told));
    }

    /** Returns the names of all parameters. */
    private static List<String> names() {
        Parameters parameters =
                new Parameters(
                        "Sender",
                        Map.of(ListParameters.WHITELIST, "file://conf/whitelist.txt"),
                        new TestFiles(BASE));
        try {
            CheckParameters.policy(
                    parameters, InstantSource.system(), RecipientUsers.NONE, domain -> false);
            CheckParameters.name(parameters);
            ListParameters.asked(parameters, TestLists.named("<whitelists/>"));
        } catch (SettingException e) {
            throw new IllegalStateException(e);
        }
        return List.copyOf(parameters.read().keySet());
    }

    private static void checkList(
            ListSettings list, Map<String, String> values, Map<String, @Nullable String> told) {
        require(list.file().isAbsolute() && list.workDirectory().isAbsolute(), "relative " + list);
        require(list.file().equals(list.file().normalize()), "not normal: " + list.file());
        require(list.cacheSize() >= 0 && list.cacheSize() <= 100_000_000, "cacheSize " + list);
        requireBetween(list.reloadInterval(), Duration.ofMillis(100));
        require(list.maxShrink() >= 0 && list.maxShrink() <= 1, "maxShrink " + list);
        require(
                list.exactLookup()
                        != values.getOrDefault("exactLookup", "on").strip().equals("off"),
                "exactLookup " + list);
        requireTold(told, "reloadInterval", list.reloadInterval().toMillis());
        requireTold(told, "cacheSize", list.cacheSize());
        String shrink = told.get("maxShrink");
        require(
                shrink == null || Double.parseDouble(shrink) / 100 == list.maxShrink(),
                "maxShrink " + shrink + " is " + list.maxShrink());
        FilterSize size = list.build().size();
        String bits = told.get("bitsPerAddress");
        String rate = told.get("falsePositiveRate");
        require(
                bits == null || size.equals(FilterSize.ofBitsPerKey(Double.parseDouble(bits))),
                "bitsPerAddress " + bits + " is " + size);
        require(
                rate == null || size.equals(FilterSize.ofRate(Double.parseDouble(rate))),
                "falsePositiveRate " + rate + " is " + size);
        long m = list.build().addressFilter(1_000_000).m();
        require(m >= 1_000_000 && m <= 1_000_000L * 129, "a filter of " + m + " bits");
    }

    private static void requireBetween(Duration duration, Duration least) {
        require(
                duration.compareTo(least) >= 0 && duration.compareTo(Duration.ofDays(365)) <= 0,
                "a duration of " + duration);
    }

    private static void requireTold(Map<String, @Nullable String> told, String name, long value) {
        String wanted = told.get(name);
        require(
                wanted == null || new BigDecimal(wanted).compareTo(BigDecimal.valueOf(value)) == 0,
                name + " " + wanted + " is " + value);
    }

    /**
     * What the values say that are written as the manual writes them, in milliseconds or as they
     * are.
     */
    private static Map<String, @Nullable String> told(Map<String, String> values) {
        Map<String, @Nullable String> told = new HashMap<>();
        values.forEach(
                (name, value) -> {
                    Matcher duration = DURATION.matcher(value);
                    if (duration.matches() && name.equals("reloadInterval")) {
                        told.put(name, "" + Long.parseLong(duration.group(1)) * unit(duration));
                    } else if (WHOLE.matcher(value).matches() || DECIMAL.matcher(value).matches()) {
                        told.put(name, value);
                    } else if (value.endsWith("%")
                            && DECIMAL.matcher(value.substring(0, value.length() - 1)).matches()) {
                        told.put(name, value.substring(0, value.length() - 1));
                    }
                });
        return told;
    }

    private static long unit(Matcher duration) {
        return switch (duration.group(2)) {
            case "ms" -> 1;
            case "s" -> 1000;
            case "m" -> 60_000;
            case "h" -> 3_600_000;
            default -> 86_400_000;
        };
    }
}
