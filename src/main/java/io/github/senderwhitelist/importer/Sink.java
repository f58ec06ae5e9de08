package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.list.TextList;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What takes the lines of foreign lists: it makes lines of our list of them, or reports why there
 * are none, and counts those that are bad. Keys are made by {@link #key}, {@link #glob} or {@link
 * #sender}, which report why there is none and then return null.
 */
final class Sink {
    private static final String NO_IMPORT = ". Nothing was imported";

    /**
     * IP addresses, the beginnings of some, and networks: {@code 10.1}, {@code 192.0.2.0/24},
     * {@code 2001:db8::/32}. An address literal is none.
     */
    private static final Pattern NETWORK =
            Pattern.compile(
                    "(?!\\[.*\\]$)!?\\[?(?:[0-9]{1,3}(?:\\.[0-9]{1,3}){0,3}\\.?"
                            + "|[0-9a-fA-F]*:[0-9a-fA-F:.]*)\\]?(?:/[0-9]{1,3})?");

    /** The globs that have an equivalent: for a domain, and for its subdomains. */
    private static final Pattern GLOB =
            Pattern.compile("(?:\\*@|(?<below>\\*(?:@\\*)?\\.))([^*?@.](?:[^*?@]*[^*?@.])?)");

    /** The most entries that are kept in memory. Lists that SpamAssassin can use are shorter. */
    private static final int MAX_KEPT = 500_000;

    /** Lines of our list that a later line may revoke, by what revokes them. */
    private final Map<String, String> kept = new LinkedHashMap<>();

    String name = "";
    private final @Nullable Address user;
    private final Consumer<String> reports;
    private final StringBuilder ready = new StringBuilder();
    private boolean hasLines;
    private String firstBad = "";

    /**
     * Of the open line: its number, whether it says something of senders, and whether it is bad.
     */
    private long number;

    private boolean says;
    private boolean isBad;

    /** How many lines before it say something of senders, and how many are bad. */
    private long said;

    private long bad;

    /**
     * Makes a sink.
     *
     * @param user whose address books the lists are, or null if they are none
     * @param reports takes a message of one line for what is bad or has no equivalent
     */
    Sink(@Nullable Address user, Consumer<String> reports) {
        this.user = user;
        this.reports = reports;
    }

    void begin(String list) {
        open(0);
        name = list;
    }

    /** Opens a line, which says nothing of senders unless something of it is taken or reported. */
    void open(long line) {
        said += says ? 1 : 0;
        bad += isBad ? 1 : 0;
        says = false;
        isBad = false;
        number = line;
    }

    /** Ends the lists. Refuses those that list no sender, or are probably of another format. */
    void end() throws ListRefusedException {
        begin("");
        kept.values().forEach(this::write);
        if (TextList.areTooMany(bad, said)) {
            throw new ListRefusedException(
                    "%s of %s".formatted(bad, said)
                            + " lines are bad; with more than 3 and more than 1 %, or all, an"
                            + " import is refused. The first: "
                            + firstBad);
        }
        if (!hasLines) {
            throw new ListRefusedException("no line lists a sender" + NO_IMPORT);
        }
    }

    /** Reports that the open line, or a part of it, has no equivalent. */
    void report(String what, String reason) {
        says = true;
        reports.accept(message(what, reason));
    }

    /**
     * Reports that the open line, or a part of it, is wrong in its own format, which never refuses
     * an address book: they hold much that is no address.
     */
    void bad(String what, String reason) {
        if (user == null) {
            isBad = true;
            firstBad = firstBad.isEmpty() ? message(what, reason) : firstBad;
        }
        report(what, reason);
    }

    private String message(String what, String reason) {
        return Text.escaped(name) + ":" + number + ": '" + Text.shown(what) + "': " + reason;
    }

    /** Returns why the import is refused because of the open line, or of its list. */
    ListRefusedException refused(String reason) {
        String place = name + (number == 0 ? "" : ":" + number);
        return new ListRefusedException(place + ": " + reason + NO_IMPORT);
    }

    /**
     * Returns the key for an address, or for a domain, before which our list writes {@code @}, or
     * {@code @.} for its subdomains.
     */
    @Nullable String key(String kind, String foreign) {
        String wanted = HiddenCharacters.strip(foreign);
        if (wanted.isEmpty() || wanted.equals("<>")) {
            report(wanted, "the null sender is never listed");
        } else if (wanted.endsWith("@")) {
            report(wanted, "a user at every domain has no equivalent");
        } else if (NETWORK.matcher(wanted).matches()) {
            report(wanted, "a client's network address, not a sender; is it a list of clients?");
        } else if (wanted.indexOf('\ufffd') >= 0) {
            bad(wanted, ListLine.NOT_UTF_8);
        } else if (user == null && wanted.indexOf('"') >= 0) {
            report(wanted, "a quoted address; add it by hand");
        } else if (wanted.startsWith("@") || (wanted.startsWith(".") && kind.equals("@"))) {
            bad(wanted, "neither an address nor a domain");
        } else {
            try {
                return ListLine.parseKey(kind + wanted).toString();
            } catch (IllegalArgumentException e) {
                bad(wanted, String.valueOf(e.getMessage()));
            }
        }
        return null;
    }

    /**
     * Returns the key of a glob that is compared with whole addresses: {@code *} stands for any
     * text, {@code ?} for any character, including {@code @} and dots.
     */
    @Nullable String glob(String foreign) {
        String glob = foreign.replaceAll("\\*+", "*");
        Matcher parts = GLOB.matcher(glob);
        if (parts.matches()) {
            return key(parts.group("below") == null ? "@" : "@.", parts.group(2));
        } else if (glob.matches("[^*?]+@[^*?]*[^*?.]")) {
            return key("", glob);
        }
        report(
                foreign,
                "no entry says the same: of patterns, *@example.com and *@*.example.com have an"
                        + " equivalent; *example.com also matches evilexample.com, and example.com,"
                        + " compared with whole addresses, nothing");
        return null;
    }

    /** Returns the key of an address, of a domain, with or without {@code @}, or of a glob. */
    @Nullable String sender(String foreign) {
        String text = HiddenCharacters.strip(foreign);
        if (text.indexOf('*') >= 0 || text.indexOf('?') >= 0) {
            return glob(text);
        }
        return text.indexOf('@') > 0 ? key("", text) : key("@", text.replaceFirst("^@", ""));
    }

    void take(@Nullable String key) {
        take(key, false, "");
    }

    /** Turns the open line into an entry, or nothing. Conditions begin with a space. */
    void take(@Nullable String key, boolean denied, String conditions) {
        if (key != null) {
            says = true;
            write((denied ? "!" : "") + key + conditions);
        }
    }

    /** Takes what stands where a contact's address is expected, perhaps nothing. */
    void contact(String foreign) {
        if (!HiddenCharacters.strip(foreign).isEmpty()) {
            String to = Objects.requireNonNull(user, "whose address book it is").key().toString();
            take(key("", foreign), false, " auth=any to=" + to + " origin=user");
        }
    }

    /** Keeps an entry, which a later line may revoke, until the end of all lists. */
    void keep(String revoker, String entry) throws ListRefusedException {
        says = true;
        kept.put(revoker, entry);
        if (kept.size() > MAX_KEPT) {
            throw refused(
                    "more than %s patterns, which are kept in memory because a later line may take one back; import them in parts"
                            .formatted(MAX_KEPT));
        }
    }

    /** Revokes an entry, and returns whether there was one. */
    boolean revoke(String revoker) {
        says = true;
        return kept.remove(revoker) != null;
    }

    private void write(String line) {
        hasLines = true;
        ready.append(line).append('\n');
    }

    /** Returns the lines of our list that have been written since the last time. */
    InputStream ready() {
        byte[] lines = ready.toString().getBytes(UTF_8);
        ready.setLength(0);
        return new ByteArrayInputStream(lines);
    }
}
