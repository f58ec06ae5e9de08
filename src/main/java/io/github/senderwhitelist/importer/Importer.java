package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.list.ListRefusedException;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * The reader of lists of one foreign format, one after the other. An entry is a line, or several
 * that continue one another. Every line is counted by its outcome, and the lines of our list that
 * these lines become are collected.
 *
 * <p>What is foreign becomes a key of our list by {@link #address}, {@link #domain}, {@link #below}
 * or {@link #glob}, which report why there is none and then return null.
 */
abstract class Importer {
    /** Why a key that stands for everybody has no equivalent. */
    static final String EVERYBODY = "stands for every sender";

    /** How messages of refused imports end. */
    static final String NO_IMPORT = ". Nothing was imported";

    /** What a line became. Of several outcomes the last in this order counts. */
    static final int OTHER = 0;

    static final int TAKEN = 1;
    static final int REPORTED = 2;
    static final int BAD = 3;

    /**
     * IP addresses, the beginnings of some, and networks: {@code 10.1}, {@code 192.0.2.0/24},
     * {@code 2001:db8::/32}. An address literal is none.
     */
    private static final Pattern NETWORK =
            Pattern.compile(
                    "(?!\\[.*\\]$)!?\\[?(?:[0-9]{1,3}(?:\\.[0-9]{1,3}){0,3}\\.?"
                            + "|[0-9a-fA-F]*:[0-9a-fA-F:.]*)\\]?(?:/[0-9]{1,3})?");

    private static final Pattern DOMAIN = Pattern.compile("[^*?@.](?:[^*?@]*[^*?@.])?");

    /** Takes a message of one line for what is bad or has no equivalent. */
    Consumer<String> reports = message -> {};

    /** The lines of our list that are ready. */
    final ByteArrayOutputStream ready = new ByteArrayOutputStream();

    /** How many lines of the list had each outcome, but for the open one. */
    long[] outcomes = new long[BAD + 1];

    /** The first message about a bad line, or an empty string. */
    String firstBad = "";

    /** Whether there are entries for whole addresses. */
    boolean hasAddresses;

    private final Pattern comment;
    private @Nullable String ahead;
    private String name = "";
    private long number;
    private int outcome;

    /**
     * Makes an importer.
     *
     * @param comment matches what is left out of lines
     */
    Importer(String comment) {
        this.comment = Pattern.compile(comment);
    }

    /** Begins to read a list. */
    void begin(String list) throws IOException {
        name = list;
        number = 0;
        outcomes = new long[BAD + 1];
    }

    /**
     * Takes a line.
     *
     * @param text the line without comment, joined with those that continue it; it is not blank
     */
    abstract void entry(String text) throws IOException;

    /**
     * Returns the part of a line to add to the line before, or null if it stands for itself.
     *
     * @param before the line before, whose end may be changed
     */
    @Nullable String continuation(StringBuilder before, String line) {
        return null;
    }

    /** Takes the beginning of a line that is too long. */
    void tooLong(String text) throws IOException {
        bad(text, "a line of more than " + ForeignLines.MAX_LENGTH + " characters");
    }

    /** Writes the lines of our list that are known only when all lists have been read. */
    void finish() {}

    /** Reads a line, and those that continue it. Returns false at the end of the list. */
    final boolean next(ForeignLines list) throws IOException {
        String first = ahead == null ? list.next() : ahead;
        if (first == null) {
            return false;
        }
        long line = list.count();
        StringBuilder joined = new StringBuilder(first);
        ahead = list.next();
        while (ahead != null) {
            String more = continuation(joined, ahead);
            if (more == null) {
                break;
            }
            joined.append(joined.length() > ForeignLines.MAX_LENGTH ? "" : more);
            ahead = list.next();
        }
        String text = comment.matcher(joined).replaceFirst("");
        if (!HiddenCharacters.strip(text).isEmpty()) {
            open(line);
            if (joined.length() > ForeignLines.MAX_LENGTH) {
                tooLong(text);
            } else {
                entry(text);
            }
        }
        return true;
    }

    /** Opens a line, which lists no sender unless another outcome follows. */
    final void open(long line) {
        outcomes[outcome]++;
        number = line;
        outcome = OTHER;
    }

    /** Reports that the open line, or a part of it, has no equivalent. */
    final void report(String what, String reason) {
        outcome = Math.max(outcome, REPORTED);
        reports.accept(message(what, reason));
    }

    /** Reports that the open line, or a part of it, is wrong in its own format. */
    final void bad(String what, String reason) {
        outcome = BAD;
        firstBad = firstBad.isEmpty() ? message(what, reason) : firstBad;
        reports.accept(message(what, reason));
    }

    private String message(String what, String reason) {
        return Text.escaped(name) + ":" + number + ": '" + Text.shown(what) + "': " + reason;
    }

    /** Returns why the import is refused because of the open line, or of its list. */
    final ListRefusedException refused(String reason) {
        String place = name + (number == 0 ? "" : ":" + number);
        return new ListRefusedException(place + ": " + reason + NO_IMPORT);
    }

    /** Returns the key of an address. */
    final @Nullable String address(String foreign) {
        String key = key("", foreign);
        hasAddresses |= key != null;
        return key;
    }

    /** Returns the key of every address at exactly this domain. */
    final @Nullable String domain(String foreign) {
        return key("@", foreign);
    }

    /** Returns the key of every address at any subdomain of this domain. */
    final @Nullable String below(String foreign) {
        return key("@.", foreign);
    }

    private @Nullable String key(String kind, String foreign) {
        String wanted = HiddenCharacters.strip(foreign);
        if (wanted.isEmpty() || wanted.equals("<>")) {
            report(wanted, "the null sender is never listed");
        } else if (wanted.endsWith("@")) {
            report(wanted, "a user at every domain has no equivalent");
        } else if (NETWORK.matcher(wanted).matches()) {
            report(wanted, "a client's network address, not a sender; is it a list of clients?");
        } else if (wanted.indexOf('\ufffd') >= 0) {
            bad(wanted, ListLine.NOT_UTF_8);
        } else if (wanted.startsWith("@") || (wanted.startsWith(".") && kind.equals("@"))) {
            bad(wanted, "neither an address nor a domain");
        } else {
            switch (ListLine.parseKey(kind + wanted)) {
                case ListLine.GoodKey(var key) -> {
                    return key.toString();
                }
                case ListLine.Bad(String reason) -> bad(wanted, reason);
            }
        }
        return null;
    }

    /**
     * Returns the key of a glob that is compared with whole addresses. In a glob, {@code *} stands
     * for any text and {@code ?} for any character, including {@code @} and dots.
     */
    final @Nullable String glob(String foreign) {
        String glob = foreign.replaceAll("\\*+", "*");
        String domain = glob.replaceFirst("^\\*(?:@\\*?)?\\.?", "");
        String before = glob.substring(0, glob.length() - domain.length());
        String none =
                "an entry can stand for all addresses at a domain (*@example.com) or at its"
                        + " subdomains (*@*.example.com), not for other patterns";
        if (glob.indexOf('*') < 0 && glob.indexOf('?') < 0) {
            if (glob.indexOf('@') > 0 && !glob.endsWith(".")) {
                return address(glob);
            }
            none =
                    "matches no address there, because it is compared with whole addresses; if a"
                            + " domain is meant, write @example.com";
        } else if (glob.equals("*") || glob.equals("*@*")) {
            none = EVERYBODY;
        } else if (DOMAIN.matcher(domain).matches()) {
            switch (before) {
                case "*@" -> {
                    return domain(domain);
                }
                case "*@*.", "*." -> {
                    return below(domain);
                }
                case "*", "*@*" ->
                        none =
                                ("matches every domain that ends so, also evil%1$s; if that domain"
                                                + " and its subdomains are meant, write @%1$s and"
                                                + " @.%1$s")
                                        .formatted(domain);
                default -> {}
            }
        }
        report(foreign, none);
        return null;
    }

    /** Turns the open line into entries without conditions, but for keys that are null. */
    final void take(@Nullable String... keys) {
        for (String key : keys) {
            take(key, false, "");
        }
    }

    /**
     * Turns the open line into an entry, or into nothing if the key is null.
     *
     * @param conditions the conditions after the key, which begin with a space, or an empty string
     */
    final void take(@Nullable String key, boolean denied, String conditions) {
        if (key != null) {
            keep();
            write((denied ? "!" : "") + key + conditions);
        }
    }

    /** Counts the open line as taken. Its entry is kept for later, or changed one that was kept. */
    final void keep() {
        outcome = Math.max(outcome, TAKEN);
    }

    /** Writes a line of our list. */
    final void write(String line) {
        ready.writeBytes((line + "\n").getBytes(UTF_8));
    }

    /**
     * Takes what stands where a contact's address is expected. Address books hold much that is no
     * address, so that is reported and never refuses a book.
     *
     * @param user whose address book it is
     */
    final void contact(String foreign, Address user) {
        String address = HiddenCharacters.strip(foreign);
        if (address.indexOf('\ufffd') >= 0) {
            report(address, ListLine.NOT_UTF_8);
        } else if (!address.isEmpty()) {
            switch (ListLine.parseKey(address)) {
                case ListLine.Bad(String reason) -> report(address, reason);
                case ListLine.GoodKey(var key) when key.isDomain() -> report(address, "no address");
                case ListLine.GoodKey(var key) -> {
                    hasAddresses = true;
                    take(key.toString(), false, " auth=any to=" + user.key() + " origin=user");
                }
            }
        }
    }
}
