package io.github.senderwhitelist.model;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import org.jspecify.annotations.Nullable;

import java.net.IDN;
import java.text.Normalizer;
import java.text.Normalizer.Form;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An address in the one spelling that addresses are compared in, as the manual describes it.
 *
 * @param local the part before the {@code @}, in quotes only where it needs them
 * @param domain the part after it
 */
record ModelAddress(String local, String domain) {
    private static final Pattern QUOTED = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"@(.*)");
    private static final Pattern DOMAIN =
            Pattern.compile(
                    "LABEL([.]LABEL)*".replace("LABEL", "[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?"));
    private static final String ATOM = "!#$%&'*+-/=?^_`{|}~.";

    /** What was read before: the same addresses are asked about again and again. */
    private static final Cache<String, Optional<ModelAddress>> READ =
            Caffeine.newBuilder().maximumSize(10_000).build();

    /** Returns the address that is written so, or null when that is none. */
    static @Nullable ModelAddress of(String written) {
        return READ.get(written, ModelAddress::read).orElse(null);
    }

    private static Optional<ModelAddress> read(String written) {
        Matcher quoted = QUOTED.matcher(written);
        boolean isQuoted = quoted.matches();
        int at = isQuoted ? quoted.start(2) - 1 : written.indexOf('@');
        String local = written.substring(0, Math.max(at, 0));
        if (!isQuoted && !needsNoQuotes(local)) {
            return Optional.empty();
        }
        String folded = folded(isQuoted ? quoted.group(1).replaceAll("\\\\(.)", "$1") : local);
        String domain = domain(written.substring(at + 1));
        return Optional.ofNullable(domain)
                .map(of -> new ModelAddress(needsNoQuotes(folded) ? folded : quoted(folded), of));
    }

    /** Returns the canonical form of a domain, or null when it is none. */
    static @Nullable String domain(String written) {
        if (written.startsWith("[") && written.endsWith("]")) {
            return written;
        }
        String ascii;
        try {
            String all = written.endsWith(".") ? chopped(written) : written;
            ascii = IDN.toASCII(folded(all));
        } catch (IllegalArgumentException e) {
            return null;
        }
        return DOMAIN.matcher(ascii).matches() ? ascii : null;
    }

    private static String chopped(String text) {
        return text.substring(0, text.length() - 1);
    }

    private static String folded(String text) {
        if (text.chars().allMatch(c -> c < 128)) {
            return text.toLowerCase(Locale.ROOT);
        }
        StringBuilder folded = new StringBuilder();
        Normalizer.normalize(text, Form.NFC)
                .replaceAll("[ßẞ]", "ss")
                .chars()
                .map(Character::toUpperCase)
                .map(Character::toLowerCase)
                .forEach(c -> folded.append((char) c));
        return Normalizer.normalize(folded, Form.NFC);
    }

    private static boolean needsNoQuotes(String local) {
        return !local.isEmpty()
                && local.chars()
                        .allMatch(
                                c ->
                                        c >= 128
                                                || Character.isLetterOrDigit(c)
                                                || ATOM.indexOf(c) >= 0);
    }

    private static String quoted(String local) {
        return '"' + local.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** Returns whether an envelope sender answers for a header From:, as one organisation. */
    boolean isOneSenderWith(ModelAddress from) {
        return equals(from)
                || (!isForwarded() && organisation(domain).equals(organisation(from.domain)));
    }

    /** Public suffixes here are single words, and public mail providers there are none. */
    private static String organisation(String domain) {
        return domain.startsWith("[") ? domain : domain.replaceFirst(".*[.](?=.+[.])", "");
    }

    /** Returns whether a forwarder has written it, within any signature. */
    boolean isForwarded() {
        return local.contains("+caf_=")
                || local.contains("+srs=")
                || local.matches("(.*[+=])?srs[01][-+=].*");
    }

    /** Returns the address without its tag, or null when it has none. */
    @Nullable ModelAddress untagged(@Nullable Character delimiter) {
        int tag = delimiter == null ? -1 : local.indexOf(delimiter);
        return tag <= 0 || local.startsWith("\"")
                ? null
                : new ModelAddress(local.substring(0, tag), domain);
    }

    /** Returns what entries may say to mean this address, the most specific first. */
    List<String> keys(@Nullable Character delimiter) {
        List<String> keys = new ArrayList<>();
        keys.add(this.toString());
        ModelAddress untagged = untagged(delimiter);
        if (untagged != null) {
            keys.add(untagged.toString());
        }
        keys.add("@" + domain);
        if (!domain.startsWith("[")) {
            for (int dot = domain.indexOf('.'); dot >= 0; dot = domain.indexOf('.', dot + 1)) {
                keys.add("@" + domain.substring(dot));
            }
        }
        return keys;
    }

    @Override
    public String toString() {
        return local + "@" + domain;
    }
}
