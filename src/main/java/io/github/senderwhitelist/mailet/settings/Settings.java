package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.decision.SenderIdentity;
import io.github.senderwhitelist.decision.Unwrapping;
import io.github.senderwhitelist.decision.Unwrapping.Form;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** All parameters in configurations of James, and which configuration takes which. */
public final class Settings {
    private static final String FILE_URL =
            "a file URL such as file://conf/whitelist.txt (below James' folder) or"
                    + " file:///etc/whitelist.txt";

    /** Any URL of a file. What it leads to is resolved by {@link Parameters#file}. */
    private static final ValueType<String> FILE = ValueType.text(FILE_URL, "file URL");

    private static final ValueType<String> PROCESSOR =
            new ValueType<>(
                    text -> Optional.of(text).filter(name -> !name.isEmpty()),
                    "the name of a processor, or leave the parameter out",
                    "name of a processor");

    private static final ValueType<Set<String>> FOLDERS =
            new ValueType<>(
                    Settings::folders,
                    "names of folders, separated by commas",
                    "names, separated by commas");

    private static final ValueType<FilterKind> FILTERS =
            ValueType.oneOf(FilterKind::label, List.of(FilterKind.values()));

    private static final int MILLION = 1_000_000;

    // Of lists, in files and in databases.

    static final Setting<Boolean> EXACT_LOOKUP =
            Setting.of(
                    "exactLookup",
                    ValueType.either("on", "off"),
                    "on",
                    "whether the exact store decides what the filter lets through");
    static final Setting<FilterKind> FILTER =
            Setting.without("filter", FILTERS, "by size", "the kind of filter");
    static final Setting<FilterSize> FALSE_POSITIVE_RATE =
            Setting.of(
                    "falsePositiveRate",
                    BuildOptions.RATES,
                    "0.001",
                    "the share of strangers that cost a lookup");
    static final Setting<FilterSize> BITS_PER_ADDRESS =
            Setting.without(
                    "bitsPerAddress",
                    BuildOptions.BITS,
                    "by rate",
                    "the size of the filter, in place of the rate");
    static final Setting<Long> CACHE_SIZE =
            Setting.of(
                    "cacheSize",
                    ValueType.whole(0, 100_000_000),
                    "100000",
                    "how many exact answers are remembered");
    static final Setting<Duration> CACHE_EXPIRY =
            Setting.of(
                    "cacheExpiry", ValueType.duration(Duration.ofMillis(1)), "10m", "for how long");
    static final Setting<Long> EXACT_MEMORY =
            Setting.of(
                    "exactMemory",
                    ValueType.SIZE,
                    "32m",
                    "the largest exact store that is held in memory");
    static final Setting<Duration> RELOAD_INTERVAL =
            Setting.of(
                    "reloadInterval",
                    ValueType.duration(Duration.ofMillis(100)),
                    "1s",
                    "the time between looks at the file");
    static final Setting<Double> MAX_SHRINK =
            Setting.of(
                    "maxShrink",
                    ValueType.SHARE,
                    "50%",
                    "a new list that lost more of its entries is refused");
    static final Setting<String> WORK_DIRECTORY =
            Setting.of(
                    "workDirectory",
                    FILE,
                    "file://var/whitelist",
                    "where James keeps what it makes of lists");
    static final Setting<String> SOURCE =
            Setting.without(
                    "source",
                    ValueType.text(
                            LivingParameters.EXAMPLE + ", or jdbc:postgresql://host/database",
                            "`jdbc:sqlite:file://…` or `jdbc:postgresql://…`"),
                    "required",
                    "the database");

    /** The same parameter, where it is a file. */
    static final Setting<String> FILE_SOURCE =
            Setting.without("source", FILE, "required", "the file");

    static final Setting<String> USER =
            Setting.without(
                    "user",
                    ValueType.text("a user of the database", "text"),
                    "required for PostgreSQL",
                    "the user of PostgreSQL");
    static final Setting<String> PASSWORD =
            Setting.without(
                    "password",
                    ValueType.text(
                            "text, or the URL of a file with one line", "text, or a file URL"),
                    "none",
                    "the user's password");
    static final Setting<Duration> POLL_INTERVAL =
            Setting.of(
                    "pollInterval",
                    ValueType.duration(Duration.ofMillis(10)),
                    "2s",
                    "the time between looks at what other servers changed");
    static final Setting<Duration> MAX_STALENESS =
            Setting.of(
                    "maxStaleness",
                    ValueType.duration(Duration.ofMillis(10)),
                    "30s",
                    "how long those looks may fail until the list is *behind*");
    static final Setting<Boolean> BELIEVED_WHEN_BEHIND =
            Setting.of(
                    "whenBehind",
                    ValueType.either("lastKnown", "unavailable"),
                    "lastKnown",
                    "what a listing counts for while the list is behind");

    // Of mailet and matcher.

    public static final Setting<String> WHITELIST =
            Setting.without(
                    "whitelist",
                    ValueType.text(
                            FILE_URL + ", or the name of a list in conf/whitelists.xml",
                            "file URLs and names, separated by commas"),
                    "required",
                    "the lists");
    static final Setting<String> NAME =
            Setting.without(
                    "name",
                    new ValueType<>(
                            text -> Optional.of(text).filter(name -> !name.isEmpty()),
                            "a name, or leave the parameter out",
                            "text"),
                    "the class and the lists",
                    "what explanations call this policy");
    static final Setting<SenderIdentity> SENDER =
            Setting.of("sender", SenderIdentity.VALUES, "envelope", "whose address is looked up");
    public static final Setting<AuthRequirement> REQUIRE_AUTHENTICATION =
            Setting.of(
                    "requireAuthentication",
                    AuthRequirement.VALUES,
                    "none",
                    "what must have confirmed a sender");
    static final Setting<Set<Form>> UNWRAP =
            Setting.of(
                    "unwrap", Unwrapping.VALUES, "none", "wrappings that are taken off a sender");
    static final Setting<String> SRS_SECRET =
            Setting.without(
                    "srsSecret",
                    ValueType.text(
                            "text, or the URL of a file with one a line", "text, or a file URL"),
                    "none",
                    "the secret of forwarders, for `srs` in `unwrap`");
    static final Setting<Subaddressing> SUBADDRESS_DELIMITER =
            Setting.of(
                    "subaddressDelimiter",
                    Subaddressing.VALUES,
                    "+",
                    "what begins a tag of senders");
    public static final Setting<Subaddressing> RECIPIENT_DELIMITER =
            Setting.of(
                    "recipientDelimiter",
                    Subaddressing.VALUES,
                    "none",
                    "what begins a tag of recipients");
    public static final Setting<Long> MAX_SIGNATURES =
            Setting.without(
                    "maxSignatures",
                    ValueType.whole(0, 1_000),
                    "any number",
                    "a mail with more DKIM signatures is not matched");
    static final Setting<Boolean> NOT_LISTED_ON_LOOKUP_FAILURE =
            Setting.of(
                    "onLookupFailure",
                    ValueType.either("notListed", "listed"),
                    "notListed",
                    "what a sender counts as when the exact lookup fails");
    public static final Setting<String> ON_WHITELISTED =
            Setting.without(
                    "onWhitelisted",
                    PROCESSOR,
                    "carry on with the next mailet",
                    "where mails of listed senders go");
    public static final Setting<String> ON_NOT_WHITELISTED =
            Setting.without(
                    "onNotWhitelisted",
                    PROCESSOR,
                    "carry on with the next mailet",
                    "where all others go");
    static final Setting<Boolean> NO_HEADER =
            Setting.of(
                    "header",
                    ValueType.either("off", "on"),
                    "off",
                    "whether mails get a header with the verdict");
    static final Setting<String> HEADER_KEY =
            Setting.without(
                    "headerKey", FILE, "a key in `workDirectory`", "the key that seals headers");

    // Of what learns, and of commands by mail.

    public static final Setting<String> LIST =
            Setting.without(
                    "list",
                    ValueType.text(
                            "a list in conf/whitelists.xml whose source is a database",
                            "a name in `conf/whitelists.xml`"),
                    "required",
                    "the living list");
    static final Setting<Integer> VALIDITY =
            Setting.of(
                    "validity",
                    ValueType.days(1),
                    "365d",
                    "how long after the last mail somebody is listed");
    static final Setting<Long> MAX_PER_USER =
            Setting.of(
                    "maxPerUser",
                    ValueType.whole(0, MILLION),
                    "5000",
                    "the most people kept of a user; who was written to longest ago leaves");
    static final Setting<Long> MAX_NEW_PER_DAY =
            Setting.of(
                    "maxNewPerDay",
                    ValueType.whole(0, MILLION),
                    "100",
                    "the most new entries of a user a day");
    static final Setting<Long> MAX_RECIPIENTS =
            Setting.of(
                    "maxRecipients",
                    ValueType.whole(0, MILLION),
                    "20",
                    "nothing is learned from a mail to more");
    static final Setting<Boolean> NOT_LEARN_LOCAL =
            Setting.of(
                    "learnLocal",
                    ValueType.either("false", "true"),
                    "false",
                    "whether recipients on this server are learned");
    static final Setting<Duration> LEARN_TIMEOUT =
            Setting.of(
                    "learnTimeout",
                    ValueType.duration(Duration.ofMillis(1)),
                    "1s",
                    "how long a mail waits; then it is learned from later");
    static final Setting<LearningParameters.Renew> RENEW =
            Setting.of(
                    "renew",
                    ValueType.oneOf(
                            LearningParameters.Renew.class,
                            renew -> renew.name().toLowerCase(Locale.ROOT)),
                    "sent",
                    "which mails extend an entry");
    static final Setting<Integer> SWEEP_USERS_AFTER =
            Setting.of(
                    "sweepUsersAfter",
                    ValueType.days(0),
                    "30d",
                    "missing users are forgotten after this; `0d`: never");
    static final Setting<Set<String>> SPAM_FOLDER =
            Setting.of("spamFolder", FOLDERS, "Spam", "the folders for spam");
    static final Setting<Set<String>> TRASH_FOLDER =
            Setting.of("trashFolder", FOLDERS, "Trash", "the folders for what is thrown away");
    static final Setting<String> ADDRESS =
            Setting.of(
                    "address",
                    ValueType.text(
                            "an address, or what stands before its '@'",
                            "an address, or what stands before its `@` at each domain"),
                    "whitelist",
                    "whom users write to");
    static final Setting<Long> MAX_PER_HOUR =
            Setting.of(
                    "maxPerHour",
                    ValueType.whole(0, 1_000),
                    "20",
                    "how many mails of a user a server answers in an hour");
    static final Setting<Long> MAX_ENTRIES =
            Setting.of(
                    "maxEntries",
                    ValueType.whole(0, 10_000),
                    "1000",
                    "how many addresses a user may add");

    /**
     * Of a list in a file, not of its user. Users with different values have different copies of
     * the list in memory.
     */
    public static final List<Setting<?>> OF_FILES =
            List.of(
                    MAX_SHRINK,
                    RELOAD_INTERVAL,
                    WORK_DIRECTORY,
                    EXACT_LOOKUP,
                    CACHE_SIZE,
                    CACHE_EXPIRY,
                    EXACT_MEMORY,
                    FILTER,
                    FALSE_POSITIVE_RATE,
                    BITS_PER_ADDRESS);

    /** Of a list in a database. */
    public static final List<Setting<?>> OF_DATABASES =
            List.of(
                    SOURCE,
                    USER,
                    PASSWORD,
                    POLL_INTERVAL,
                    MAX_STALENESS,
                    BELIEVED_WHEN_BEHIND,
                    WORK_DIRECTORY,
                    CACHE_SIZE,
                    CACHE_EXPIRY,
                    EXACT_MEMORY,
                    FALSE_POSITIVE_RATE,
                    BITS_PER_ADDRESS);

    static final List<Setting<?>> OF_CHECKS =
            List.of(
                    SENDER,
                    REQUIRE_AUTHENTICATION,
                    UNWRAP,
                    SRS_SECRET,
                    SUBADDRESS_DELIMITER,
                    RECIPIENT_DELIMITER,
                    NOT_LISTED_ON_LOOKUP_FAILURE);

    /** Of the matcher {@code SenderIsWhitelisted}. */
    public static final List<Setting<?>> OF_MATCHER =
            all(List.of(WHITELIST, NAME), OF_CHECKS, OF_FILES);

    /** Of the matcher {@code SenderMayBeWhitelisted}. */
    public static final List<Setting<?>> OF_MATCHER_OF_FILTERS =
            all(OF_MATCHER, List.of(MAX_SIGNATURES), List.of());

    /** Of the mailet {@code SenderWhitelist}. */
    public static final List<Setting<?>> OF_MAILET =
            all(
                    List.of(
                            WHITELIST,
                            NAME,
                            ON_WHITELISTED,
                            ON_NOT_WHITELISTED,
                            NO_HEADER,
                            HEADER_KEY),
                    OF_CHECKS,
                    OF_FILES);

    /** Of {@code LearnCorrespondents}. */
    public static final List<Setting<?>> OF_LEARNING =
            List.of(
                    LIST,
                    VALIDITY,
                    MAX_PER_USER,
                    MAX_NEW_PER_DAY,
                    MAX_RECIPIENTS,
                    NOT_LEARN_LOCAL,
                    LEARN_TIMEOUT,
                    RENEW,
                    SWEEP_USERS_AFTER);

    /** Of {@code LearnFromFolders}. */
    public static final List<Setting<?>> OF_FOLDERS =
            List.of(
                    LIST,
                    SPAM_FOLDER,
                    TRASH_FOLDER,
                    VALIDITY,
                    MAX_PER_USER,
                    MAX_NEW_PER_DAY,
                    SUBADDRESS_DELIMITER,
                    HEADER_KEY,
                    WORK_DIRECTORY);

    /** Of {@code WhitelistByMail}. */
    public static final List<Setting<?>> OF_COMMANDS_BY_MAIL =
            List.of(
                    LIST,
                    ADDRESS,
                    MAX_PER_HOUR,
                    MAX_ENTRIES,
                    MAX_NEW_PER_DAY,
                    HEADER_KEY,
                    WORK_DIRECTORY);

    private Settings() {}

    /** Returns names of folders in lower case; empty if one is blank. */
    private static Optional<Set<String>> folders(String text) {
        Set<String> folders = new LinkedHashSet<>();
        for (String folder : text.split(",", -1)) {
            if (folder.isBlank()) {
                return Optional.empty();
            }
            folders.add(folder.strip().toLowerCase(Locale.ROOT));
        }
        return Optional.of(folders);
    }

    private static List<Setting<?>> all(
            List<Setting<?>> some, List<Setting<?>> others, List<Setting<?>> more) {
        return Stream.of(some, others, more).<Setting<?>>flatMap(List::stream).toList();
    }
}
