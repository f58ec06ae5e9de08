package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.list.TextList;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The account of an import: it counts every foreign line by its outcome, and collects the lines of
 * our list that these lines become.
 *
 * <p>An importer opens a line, and then calls a method for its outcome. Of several outcomes the
 * worst counts.
 */
final class Ledger {
    private enum Fate {
        OTHER,
        TAKEN,
        REPORTED,
        BAD
    }

    /** How many reports are made unless all are wanted. */
    static final int MAX_REPORTS = 10;

    private final Consumer<String> reports;
    private final boolean all;
    private final List<ImportSummary> summaries = new ArrayList<>();
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();
    private final Map<Fate, Long> counts = new EnumMap<>(Fate.class);
    private @Nullable String firstBad;
    private boolean addresses;
    private boolean written;
    private long networks;
    private long said;
    private String name = "";
    private long blank;
    private long number;
    private long lines;
    private Fate fate = Fate.OTHER;

    /**
     * Makes an empty ledger.
     *
     * @param reports takes a message of one line for what is bad or has no equivalent
     * @param all whether there is a message for everything, or only for the first {@value
     *     #MAX_REPORTS}
     */
    Ledger(Consumer<String> reports, boolean all) {
        this.reports = reports;
        this.all = all;
    }

    /** Begins a new list. */
    void begin(String list) {
        name = list;
    }

    /** Ends the list. */
    void end() {
        close();
        summaries.add(
                new ImportSummary(
                        name,
                        count(Fate.TAKEN),
                        count(Fate.REPORTED),
                        count(Fate.BAD),
                        count(Fate.OTHER),
                        blank));
        if (networks > Math.max(1, said(summaries.getLast()) / 2)) {
            reports.accept(
                    Text.escaped(name)
                            + ": most lines are networks: this looks like a list of clients, such"
                            + " as a cidr: table of Postfix, not of senders");
        }
        networks = 0;
        counts.clear();
        blank = 0;
    }

    private static long said(ImportSummary summary) {
        return summary.taken() + summary.reported() + summary.bad();
    }

    private long count(Fate of) {
        return counts.getOrDefault(of, 0L);
    }

    /** Counts comments or blank lines. */
    void blank(long count) {
        blank += count;
    }

    /** Opens a line, which lists no sender unless another outcome follows. */
    void open(Line line) {
        close();
        number = line.number();
        lines = line.count();
    }

    /** Adds one more line to the open one, which it continues. */
    void continueLine() {
        lines++;
    }

    private void close() {
        counts.merge(fate, lines, Long::sum);
        lines = 0;
        fate = Fate.OTHER;
    }

    private void make(Fate now) {
        fate = fate.compareTo(now) < 0 ? now : fate;
    }

    /** Reports that the open line, or a part of it, has no equivalent. */
    void report(String what, String reason) {
        make(Fate.REPORTED);
        say(message(what, reason));
    }

    /** Reports that the open line is about a client's network address instead of a sender. */
    void network(String what) {
        networks++;
        report(what, "a client's network address, not a sender");
    }

    /** Reports that the open line, or a part of it, is wrong in its own format. */
    void bad(String what, String reason) {
        make(Fate.BAD);
        String message = message(what, reason);
        firstBad = firstBad == null ? message : firstBad;
        say(message);
    }

    private void say(String message) {
        if (all || said < MAX_REPORTS) {
            reports.accept(message);
        }
        said++;
    }

    /** Reports how many reports were not made, once. */
    void sayHowManyMore() {
        if (!all && said > MAX_REPORTS) {
            reports.accept("and " + (said - MAX_REPORTS) + " more; --verbose shows all");
        }
        said = 0;
    }

    private String message(String what, String reason) {
        return Text.escaped(name) + ":" + number + ": '" + Text.shown(what) + "': " + reason;
    }

    /**
     * Counts the open line as taken. Its entry is kept for later, or changed an entry that was
     * kept.
     */
    void take() {
        make(Fate.TAKEN);
    }

    /**
     * Turns the open line into this entry of our list.
     *
     * @param conditions the conditions after the key, or an empty string
     */
    void take(SenderPattern pattern, boolean denied, String conditions) {
        String key = key(pattern);
        if (key == null) {
            return;
        }
        String line = (denied ? "!" : "") + key + (conditions.isEmpty() ? "" : " " + conditions);
        if (!conditions.isEmpty() && ListLine.parse(line) instanceof ListLine.Bad(String reason)) {
            bad(line, reason);
            return;
        }
        take();
        write(line);
    }

    /** Returns the key in canonical form, or null when there is none, which is then reported. */
    @Nullable String key(SenderPattern pattern) {
        return switch (pattern) {
            case SenderPattern.Exact(String address) -> address(HiddenCharacters.strip(address));
            case SenderPattern.Domain(String domain) -> domain(HiddenCharacters.strip(domain), "");
            case SenderPattern.Subdomains(String domain) ->
                    domain(HiddenCharacters.strip(domain), ".");
            case SenderPattern.None(String reason) ->
                    throw new IllegalArgumentException("no key: " + reason);
        };
    }

    private @Nullable String address(String address) {
        if (hasForeignBytes(address)) {
            return null;
        }
        return switch (AddressSyntax.parse(address)) {
            case WellFormed(var parsed) -> {
                addresses = true;
                yield parsed.key().toString();
            }
            case Malformed(String reason) -> {
                bad(address, reason);
                yield null;
            }
        };
    }

    private @Nullable String domain(String domain, String before) {
        if (hasForeignBytes(domain)) {
            return null;
        }
        byte[] canonical = AddressSyntax.parseDomain(domain);
        if (canonical == null) {
            bad(domain, AddressSyntax.domainComplaint(domain));
            return null;
        }
        if (!before.isEmpty() && canonical[0] == '[') {
            bad(domain, "an address literal has no subdomains");
            return null;
        }
        byte[] key = (before + new String(canonical, UTF_8)).getBytes(UTF_8);
        return Key.of(new byte[0], key).toString();
    }

    private boolean hasForeignBytes(String text) {
        if (text.indexOf('\ufffd') < 0) {
            return false;
        }
        bad(text, "not UTF-8 (if the file is Latin-1: iconv -f LATIN1 -t UTF-8)");
        return true;
    }

    /** Writes a line of our list. */
    void write(String line) {
        written = true;
        text.writeBytes(line.getBytes(UTF_8));
        text.write('\n');
    }

    /** Returns how many bytes of our list are ready. */
    int ready() {
        return text.size();
    }

    /** Returns the bytes of our list that are ready, and removes them from the ledger. */
    byte[] drain() {
        byte[] bytes = text.toByteArray();
        text.reset();
        return bytes;
    }

    /** Returns whether any whole address was read. */
    boolean hasAddresses() {
        return addresses;
    }

    /** Returns how many lines have been read so far. */
    long linesRead() {
        long ended = summaries.stream().mapToLong(ImportSummary::lines).sum();
        return ended + counts.values().stream().mapToLong(Long::longValue).sum() + lines + blank;
    }

    /** Refuses lists without a single entry. */
    void refuseWhenEmpty() throws ListRefusedException {
        if (!written) {
            throw new ListRefusedException(
                    "no line lists a sender: "
                            + summaries.stream()
                                    .map(ImportSummary::toString)
                                    .collect(Collectors.joining("; "))
                            + ". Nothing was imported");
        }
    }

    /** Returns the counts of the lists that have ended. */
    List<ImportSummary> summaries() {
        return List.copyOf(summaries);
    }

    /**
     * Refuses the import when {@linkplain TextList#areTooMany too many} of the lines that concern
     * senders are bad. Such lists are probably of another format.
     */
    void refuseWhenMostlyBad() throws ListRefusedException {
        long bad = summaries.stream().mapToLong(ImportSummary::bad).sum();
        long said = summaries.stream().mapToLong(Ledger::said).sum();
        if (TextList.areTooMany(bad, said)) {
            throw new ListRefusedException(
                    bad
                            + " of "
                            + said
                            + " lines are bad; with more than 3 and more than 1 %, or all, an"
                            + " import is refused. The first: "
                            + firstBad);
        }
    }
}
