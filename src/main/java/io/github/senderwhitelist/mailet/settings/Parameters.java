package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.NumberText;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.Unwrapping;
import io.github.senderwhitelist.decision.Unwrapping.Form;
import io.github.senderwhitelist.decision.UnwrappingOptions;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.TextFile;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.live.ListSettings;
import io.github.senderwhitelist.living.ListName;
import io.github.senderwhitelist.mailet.mail.SenderIdentity;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Sha256;
import io.github.senderwhitelist.snapshot.Snapshot;

import jakarta.mail.MessagingException;

import org.apache.james.filesystem.api.FileSystem;
import org.apache.mailet.base.GenericMailet;
import org.jspecify.annotations.Nullable;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import javax.crypto.SecretKey;

/**
 * Parses the parameters of mailet and matcher. Every method that returns a value throws a {@link
 * MessagingException} for a wrong one; its message is one line that names the parameter, the value
 * and what is allowed. James then does not start.
 */
public final class Parameters {
    public static final String WHITELIST = "whitelist";
    public static final String LIST = "list";
    private static final String EXACT_LOOKUP = "exactLookup";
    private static final String FILTER = "filter";
    static final String FALSE_POSITIVE_RATE = "falsePositiveRate";
    static final String BITS_PER_ADDRESS = "bitsPerAddress";
    static final String CACHE_SIZE = "cacheSize";
    static final String CACHE_EXPIRY = "cacheExpiry";
    static final String EXACT_MEMORY = "exactMemory";
    private static final String RELOAD_INTERVAL = "reloadInterval";
    private static final String MAX_SHRINK = "maxShrink";
    private static final String SENDER = "sender";
    private static final String REQUIRE_AUTHENTICATION = "requireAuthentication";
    private static final String UNWRAP = "unwrap";
    private static final String SRS_SECRET = "srsSecret";
    static final String SUBADDRESS_DELIMITER = "subaddressDelimiter";
    private static final String RECIPIENT_DELIMITER = "recipientDelimiter";
    private static final String ON_LOOKUP_FAILURE = "onLookupFailure";
    static final String WORK_DIRECTORY = "workDirectory";
    public static final String HEADER = "header";
    public static final String HEADER_KEY = "headerKey";

    /** The names of all parameters that mailet and matcher have in common. */
    public static final Set<String> NAMES =
            Set.of(
                    WHITELIST,
                    EXACT_LOOKUP,
                    FILTER,
                    FALSE_POSITIVE_RATE,
                    BITS_PER_ADDRESS,
                    CACHE_SIZE,
                    CACHE_EXPIRY,
                    EXACT_MEMORY,
                    RELOAD_INTERVAL,
                    MAX_SHRINK,
                    SENDER,
                    REQUIRE_AUTHENTICATION,
                    UNWRAP,
                    SRS_SECRET,
                    SUBADDRESS_DELIMITER,
                    RECIPIENT_DELIMITER,
                    ON_LOOKUP_FAILURE,
                    WORK_DIRECTORY);

    /**
     * The parameters that belong to a list, not to its user. Users with different values have
     * different copies of the list in memory.
     */
    static final List<String> OF_LISTS =
            List.of(
                    EXACT_LOOKUP,
                    FILTER,
                    FALSE_POSITIVE_RATE,
                    BITS_PER_ADDRESS,
                    CACHE_SIZE,
                    CACHE_EXPIRY,
                    EXACT_MEMORY,
                    RELOAD_INTERVAL,
                    MAX_SHRINK,
                    WORK_DIRECTORY);

    /** The parameters that James itself reads for every mailet. */
    private static final Set<String> OF_EVERY_MAILET =
            Set.of("onMailetException", "onMatchException");

    private static final String FILTERS =
            Arrays.stream(FilterKind.values())
                            .filter(FilterKind::isForLists)
                            .map(FilterKind::label)
                            .collect(Collectors.joining(", "))
                    + ". A list is built at once, so filters that grow or forget only serve the"
                    + " command compare";

    private static final String A_FILE =
            "a file URL such as file://conf/whitelist.txt (below James' folder) or"
                    + " file:///etc/whitelist.txt";
    private static final String A_LIST = A_FILE + ", or the name of a list in conf/whitelists.xml";
    private static final double DEFAULT_RATE = 0.001;
    private static final long MOST_CACHED = 100_000_000;
    private static final Duration LEAST_INTERVAL = Duration.ofMillis(100);
    private static final Duration MOST_TIME = Duration.ofDays(365);
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,12})(ms|s|m|h|d)");

    private final String owner;
    private final Map<String, String> values;
    private final FileSystem files;

    /**
     * Parses nothing yet.
     *
     * @param owner what has these parameters, for messages
     * @param values the values in the configuration, by the names of parameters
     * @param files resolves the URLs of files
     */
    public Parameters(String owner, Map<String, String> values, FileSystem files) {
        this.owner = owner;
        this.values = values;
        this.files = files;
    }

    /** Returns the values that a mailet was configured with. */
    public static Map<String, String> values(GenericMailet mailet) {
        Map<String, String> values = new HashMap<>();
        for (Iterator<String> names = mailet.getInitParameterNames(); names.hasNext(); ) {
            String name = names.next();
            if (!OF_EVERY_MAILET.contains(name)) {
                values.put(name, mailet.getInitParameter(name));
            }
        }
        return values;
    }

    /** Rejects names that are not among {@code allowed}. */
    public void checkNames(Set<String> allowed) throws MessagingException {
        for (String name : new TreeSet<>(values.keySet())) {
            if (!allowed.contains(name)) {
                throw new MessagingException(
                        owner
                                + ": unknown parameter '"
                                + Text.shown(name)
                                + "'; allowed: "
                                + String.join(", ", new TreeSet<>(allowed)));
            }
        }
    }

    /**
     * Returns the settings of the lists to ask, at least one.
     *
     * @param named the lists that are defined by name
     */
    public List<ListDefinition> lists(NamedLists named) throws MessagingException {
        String written = values.get(WHITELIST);
        if (written == null || written.isBlank()) {
            throw new MessagingException(
                    owner
                            + ": parameter "
                            + WHITELIST
                            + " is missing; allowed: one or more lists, separated by commas: "
                            + A_LIST);
        }
        List<ListDefinition> lists = new ArrayList<>();
        boolean files = false;
        for (String item : written.split(",", -1)) {
            String list = item.strip();
            boolean isNamed = ListName.hasForm(list);
            files |= !isNamed;
            lists.add(isNamed ? named(list, named) : new ListDefinition.OfFile(unnamed(list)));
        }
        for (String parameter : OF_LISTS) {
            if (!files && values.containsKey(parameter)) {
                throw new MessagingException(
                        owner
                                + ": parameter "
                                + parameter
                                + " belongs to the list; set it in conf/whitelists.xml");
            }
        }
        return lists;
    }

    /** Returns the definition of the one list to change, which must be a living one. */
    public ListDefinition.Living living(NamedLists named) throws MessagingException {
        String list = values.getOrDefault(LIST, "").strip();
        if (named.living().contains(list)
                && named(list, named) instanceof ListDefinition.Living living) {
            return living;
        }
        throw wrong(LIST, list, named.livingAllowed(list));
    }

    private ListDefinition named(String name, NamedLists named) throws MessagingException {
        Map<String, String> defined = named.values(owner, name);
        String definition = NamedLists.owner(name);
        Parameters parameters = new Parameters(definition, defined, files);
        String source = NamedLists.source(defined);
        if (LivingParameters.isDatabase(source)) {
            return LivingParameters.parse(definition, name, defined, parameters);
        }
        for (String parameter : LivingParameters.NAMES) {
            if (defined.containsKey(parameter)) {
                throw new MessagingException(
                        definition
                                + ": parameter "
                                + parameter
                                + " is for lists in databases; the source of this one is a file");
            }
        }
        return new ListDefinition.OfFile(
                parameters.list(name, parameters.file(NamedLists.SOURCE, source)));
    }

    private ListSettings unnamed(String url) throws MessagingException {
        Path file = file(WHITELIST, url);
        return list(name(file), file);
    }

    private ListSettings list(String name, Path file) throws MessagingException {
        return new ListSettings(
                name,
                file,
                buildOptions(),
                choice(EXACT_LOOKUP, "on", "off").equals("on"),
                cacheSize(),
                cacheExpiry(),
                exactMemory(),
                duration(RELOAD_INTERVAL, Duration.ofSeconds(5), LEAST_INTERVAL),
                share(MAX_SHRINK, 0.5),
                workDirectory());
    }

    /** Returns how many answers are cached at most. */
    long cacheSize() throws MessagingException {
        return wholeNumber(CACHE_SIZE, 100_000, MOST_CACHED);
    }

    /** Returns how long an answer is cached. */
    Duration cacheExpiry() throws MessagingException {
        return duration(CACHE_EXPIRY, Duration.ofMinutes(10), Duration.ofMillis(1));
    }

    /** Returns the bytes up to which exact stores are held in memory. */
    long exactMemory() throws MessagingException {
        String value = values.get(EXACT_MEMORY);
        if (value == null) {
            return Snapshot.EXACT_MEMORY;
        }
        OptionalLong bytes = NumberText.bytes(value.strip());
        if (bytes.isEmpty()) {
            throw wrong(EXACT_MEMORY, value, "a size such as 32m, 1g, or bytes; 0 for none");
        }
        return bytes.getAsLong();
    }

    /** Returns the folder for what the server makes of lists. */
    Path workDirectory() throws MessagingException {
        return file(WORK_DIRECTORY, values.getOrDefault(WORK_DIRECTORY, "file://var/whitelist"));
    }

    /**
     * Returns a name for a list that is given by its URL: the name of its file, six digits of a
     * hash of its path, and the parameters whose values are not the default. The digits are left
     * out for a file in James' {@code conf} whose name no list could have. The name must not depend
     * on other lists or their order, since metrics keep it.
     */
    private String name(Path file) throws MessagingException {
        StringBuilder name = new StringBuilder(plain(file.getFileName().toString()));
        if (!isInConf(file) || ListName.hasForm(name.toString())) {
            byte[] path = file.toString().getBytes(StandardCharsets.UTF_8);
            name.append('-').append(HexFormat.of().formatHex(Sha256.start().digest(path), 0, 3));
        }
        for (String parameter : OF_LISTS) {
            String value = values.get(parameter);
            if (value != null) {
                Map<String, String> others = new HashMap<>(values);
                others.remove(parameter);
                Parameters usual = new Parameters(owner, others, files);
                if (!usual.list("", file).equals(list("", file))) {
                    name.append('-').append(parameter).append('_').append(plain(value.strip()));
                }
            }
        }
        return name.toString();
    }

    private boolean isInConf(Path file) {
        try {
            Path conf = files.getFile("file://conf/").toPath().toAbsolutePath().normalize();
            return conf.equals(file.getParent());
        } catch (FileNotFoundException | RuntimeException e) {
            return false;
        }
    }

    /** Replaces characters that are not plain in names of metrics and over JMX. */
    private static String plain(String text) {
        return text.replaceAll("[^A-Za-z0-9._-]", "_");
    }

    private BuildOptions buildOptions() throws MessagingException {
        FilterSize size = filterSize();
        String label = values.getOrDefault(FILTER, size.usualKind().label());
        FilterKind kind =
                FilterKind.of(label)
                        .filter(FilterKind::isForLists)
                        .orElseThrow(() -> wrong(FILTER, label, FILTERS));
        BuildOptions options = new BuildOptions(kind, size);
        try {
            options.addressFilter(1);
            return options;
        } catch (IllegalArgumentException e) {
            throw new MessagingException(
                    owner + ": parameter " + FALSE_POSITIVE_RATE + ": " + e.getMessage());
        }
    }

    /** Returns the size of filters. */
    FilterSize filterSize() throws MessagingException {
        String rate = values.get(FALSE_POSITIVE_RATE);
        String bits = values.get(BITS_PER_ADDRESS);
        if (rate != null && bits != null) {
            throw new MessagingException(
                    owner
                            + ": both "
                            + FALSE_POSITIVE_RATE
                            + " = '"
                            + Text.shown(rate)
                            + "' and "
                            + BITS_PER_ADDRESS
                            + " = '"
                            + Text.shown(bits)
                            + "' are given; allowed: one of the two");
        }
        return bits == null ? rate(rate) : bits(bits);
    }

    private FilterSize rate(@Nullable String value) throws MessagingException {
        String allowed = "a number from " + FilterSize.MIN_RATE + " to " + FilterSize.MAX_RATE;
        return value == null
                ? FilterSize.ofRate(DEFAULT_RATE)
                : FilterSize.ofRate(
                        number(
                                FALSE_POSITIVE_RATE,
                                value,
                                FilterSize.MIN_RATE,
                                FilterSize.MAX_RATE,
                                allowed));
    }

    private FilterSize bits(String value) throws MessagingException {
        String allowed = "a number from " + FilterSize.MIN_BITS + " to " + FilterSize.MAX_BITS;
        return FilterSize.ofBitsPerKey(
                number(BITS_PER_ADDRESS, value, FilterSize.MIN_BITS, FilterSize.MAX_BITS, allowed));
    }

    /** Returns which of a mail's addresses is the sender. */
    public SenderIdentity identity() throws MessagingException {
        String value = values.getOrDefault(SENDER, SenderIdentity.ENVELOPE.label()).strip();
        return SenderIdentity.of(value)
                .orElseThrow(() -> wrong(SENDER, value, SenderIdentity.labels()));
    }

    /**
     * Returns the settings of decisions that do not belong to a list.
     *
     * @param clock tells the time for entries with dates
     * @param users finds the users that recipients belong to
     */
    public Policy policy(InstantSource clock, RecipientUsers users) throws MessagingException {
        String value = values.getOrDefault(REQUIRE_AUTHENTICATION, "none").strip();
        AuthRequirement required =
                AuthRequirement.of(value)
                        .orElseThrow(
                                () ->
                                        wrong(
                                                REQUIRE_AUTHENTICATION,
                                                value,
                                                AuthRequirement.labels()));
        return new Policy(subaddressing(), unwrapping(), required, clock, recipientTags(), users);
    }

    /** Returns which character begins the tag of a sender's address. */
    Subaddressing subaddressing() throws MessagingException {
        return delimiter(SUBADDRESS_DELIMITER, Subaddressing.DEFAULT);
    }

    /** Returns which character begins a tag of recipients that James itself does not take off. */
    public Subaddressing recipientTags() throws MessagingException {
        return delimiter(RECIPIENT_DELIMITER, Subaddressing.NONE);
    }

    private Subaddressing delimiter(String name, Subaddressing otherwise)
            throws MessagingException {
        String value = values.getOrDefault(name, otherwise.label());
        return Subaddressing.parse(value)
                .orElseThrow(() -> wrong(name, value, Subaddressing.allowed()));
    }

    private Unwrapping unwrapping() throws MessagingException {
        String value = values.getOrDefault(UNWRAP, "none").strip();
        Set<Form> forms =
                Unwrapping.parse(value)
                        .orElseThrow(() -> wrong(UNWRAP, value, Unwrapping.allowed()));
        String secret = values.get(SRS_SECRET);
        UnwrappingOptions options =
                new UnwrappingOptions("parameter " + UNWRAP, "parameter " + SRS_SECRET);
        try {
            return options.unwrapping(forms, secret == null ? null : secrets(secret));
        } catch (IllegalArgumentException | IOException e) {
            throw new MessagingException(owner + ": " + e.getMessage());
        }
    }

    /** Returns the secrets in the parameter or in the file that it names. Never log them. */
    private UnwrappingOptions.Secrets secrets(String value) throws MessagingException {
        if (!value.startsWith("file://")) {
            return () -> List.of(value);
        }
        Path file = file(SRS_SECRET, value);
        return () -> TextFile.lines(Disk.LOCAL, file);
    }

    /** Returns whether a sender counts as listed when the exact store cannot answer. */
    public boolean listedOnLookupFailure() throws MessagingException {
        return choice(ON_LOOKUP_FAILURE, "notListed", "listed").equals("listed");
    }

    /** Returns the key that seals the header with the verdict; null if mails get no such header. */
    public @Nullable SecretKey headerKey(Disk disk) throws MessagingException {
        if (choice(HEADER, "off", "on").equals("on")) {
            return sealKey(disk);
        }
        if (values.containsKey(HEADER_KEY)) {
            throw new MessagingException(
                    owner
                            + ": parameter "
                            + HEADER_KEY
                            + " is given, but "
                            + HEADER
                            + " is off; allowed: "
                            + HEADER_KEY
                            + " only with "
                            + HEADER
                            + " = on");
        }
        return null;
    }

    /**
     * Returns the key of the seals of this server.
     *
     * @param disk holds the key, which is made there when it is missing
     */
    SecretKey sealKey(Disk disk) throws MessagingException {
        String url = values.get(HEADER_KEY);
        if (url == null) {
            return keptKey(disk);
        }
        if (!url.strip().startsWith("file://")) {
            // It is not shown, since it may be a key.
            throw new MessagingException(
                    owner + ": parameter " + HEADER_KEY + " is no file URL; allowed: " + A_FILE);
        }
        Path file = file(HEADER_KEY, url.strip());
        try {
            return HeaderKey.read(disk, file);
        } catch (IOException e) {
            throw new MessagingException(
                    owner
                            + ": parameter "
                            + HEADER_KEY
                            + ": "
                            + e.getMessage()
                            + "; allowed: "
                            + HeaderKey.ALLOWED);
        }
    }

    /** Returns the key in the work directory. */
    private SecretKey keptKey(Disk disk) throws MessagingException {
        try {
            return HeaderKey.in(disk, workDirectory());
        } catch (IOException e) {
            throw new MessagingException(
                    owner
                            + ": parameter "
                            + WORK_DIRECTORY
                            + " has no key for seals: "
                            + e.getMessage()
                            + "; allowed: "
                            + HeaderKey.ALLOWED
                            + ", or none, then it is made at the start");
        }
    }

    /** Returns a text as written. */
    String text(String name, String whenAbsent) {
        return values.getOrDefault(name, whenAbsent);
    }

    /** Returns the name of a processor, or null when the parameter is absent. */
    public @Nullable String processor(String name) throws MessagingException {
        String value = values.get(name);
        if (value != null && value.isBlank()) {
            throw wrong(name, value, "the name of a processor, or leave the parameter out");
        }
        return value == null ? null : value.strip();
    }

    /** Returns one of some values, by default the first. */
    String choice(String name, String whenAbsent, String... others) throws MessagingException {
        String value = values.getOrDefault(name, whenAbsent).strip();
        if (!value.equals(whenAbsent) && !List.of(others).contains(value)) {
            String more = others.length == 0 ? "" : ", " + String.join(", ", others);
            throw wrong(name, value, whenAbsent + more);
        }
        return value;
    }

    /** Returns a whole number from 0 on. */
    long wholeNumber(String name, long whenAbsent, long most) throws MessagingException {
        String value = values.get(name);
        if (value == null) {
            return whenAbsent;
        }
        String allowed = "a whole number from 0 to " + most;
        long number = NumberText.whole(value.strip()).orElse(-1);
        if (number < 0 || number > most) {
            throw wrong(name, value, allowed);
        }
        return number;
    }

    private double share(String name, double whenAbsent) throws MessagingException {
        String value = values.get(name);
        if (value == null) {
            return whenAbsent;
        }
        String allowed = "a share from 0% to 100%, such as 50%";
        if (!value.endsWith("%")) {
            throw wrong(name, value, allowed);
        }
        double percent = decimal(value.substring(0, value.length() - 1));
        if (!(percent >= 0 && percent <= 100)) {
            throw wrong(name, value, allowed);
        }
        return percent / 100;
    }

    private double number(String name, String value, double least, double most, String allowed)
            throws MessagingException {
        double number = decimal(value);
        if (!(number >= least && number <= most)) {
            throw wrong(name, value, allowed);
        }
        return number;
    }

    /** Returns the number that is written, or NaN, which is outside every range. */
    private static double decimal(String value) {
        return NumberText.decimal(value.strip()).orElse(Double.NaN);
    }

    /**
     * Returns a duration.
     *
     * @param least the shortest that is allowed
     */
    Duration duration(String name, Duration whenAbsent, Duration least) throws MessagingException {
        String value = values.get(name);
        if (value == null) {
            return whenAbsent;
        }
        String allowed =
                "a duration such as "
                        + (least.toDays() > 0
                                ? "1d, 30d, from " + least.toDays() + "d"
                                : "500ms, 5s, 10m, 2h, 1d, from " + least.toMillis() + "ms")
                        + " to "
                        + MOST_TIME.toDays()
                        + "d";
        Duration duration = parseDuration(value.strip());
        if (duration == null
                || duration.compareTo(least) < 0
                || duration.compareTo(MOST_TIME) > 0) {
            throw wrong(name, value, allowed);
        }
        return duration;
    }

    private static @Nullable Duration parseDuration(String text) {
        Matcher duration = DURATION.matcher(text);
        if (!duration.matches()) {
            return null;
        }
        long count = Long.parseLong(duration.group(1));
        return switch (duration.group(2)) {
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            default -> Duration.ofDays(count);
        };
    }

    /** Returns the file that a URL names. */
    Path file(String name, String url) throws MessagingException {
        String allowed = name.equals(WHITELIST) ? A_LIST : A_FILE;
        if (!url.startsWith("file://")
                || url.length() == "file://".length()
                || url.codePoints().anyMatch(Parameters::breaksLines)) {
            throw wrong(name, url, allowed);
        }
        Path file;
        try {
            file = files.getFile(url).toPath().toAbsolutePath().normalize();
        } catch (FileNotFoundException | RuntimeException e) {
            throw new MessagingException(
                    wrong(name, url, allowed).getMessage()
                            + " ("
                            + Text.shown(String.valueOf(e.getMessage()))
                            + ")");
        }
        if (file.getFileName() == null) {
            // The root of the file system.
            throw wrong(name, url, allowed);
        }
        return file;
    }

    /**
     * Returns whether a character would break a line, since files are named in lines of the log.
     */
    private static boolean breaksLines(int c) {
        return Character.isISOControl(c)
                || Character.getType(c) == Character.LINE_SEPARATOR
                || Character.getType(c) == Character.PARAGRAPH_SEPARATOR;
    }

    /** Returns the exception for a value, which says what is allowed instead. */
    MessagingException wrong(String name, String value, String allowed) {
        return new MessagingException(
                owner
                        + ": parameter "
                        + name
                        + " = '"
                        + Text.shown(value)
                        + "'; allowed: "
                        + allowed);
    }
}
