package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.list.ListRefusedException;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The account of every line of the lists of an import, and the lines of ours they become.
 *
 * <p>A line is opened, then said what it is; of several things said of one line the worst counts.
 */
final class Ledger {
    private enum Fate {
        OTHER,
        TAKEN,
        REPORTED,
        BAD
    }

    private final Consumer<String> reports;
    private final List<ImportSummary> summaries = new ArrayList<>();
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();
    private final Map<Fate, Long> counts = new EnumMap<>(Fate.class);
    private @Nullable String firstBad;
    private boolean addresses;
    private boolean written;
    private long networks;
    private String name = "";
    private long blank;
    private long number;
    private long lines;
    private Fate fate = Fate.OTHER;

    /**
     * An empty ledger.
     *
     * @param reports takes each thing that has no equivalent or is bad, one line of text each
     */
    Ledger(Consumer<String> reports) {
        this.reports = reports;
    }

    /** A new list begins. */
    void begin(String list) {
        name = list;
    }

    /** The list has ended. */
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

    /** Comments or blank lines. */
    void blank(long count) {
        blank += count;
    }

    /** Opens a line; until more is said of it, it lists no sender. */
    void open(Line line) {
        close();
        number = line.number();
        lines = line.count();
    }

    /** The line that is open takes one more. */
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

    /** Part of the line has no equivalent. */
    void report(String what, String reason) {
        make(Fate.REPORTED);
        reports.accept(message(what, reason));
    }

    /** The line is for a client's address, not a sender's. */
    void network(String what) {
        networks++;
        report(what, "a client's network address, not a sender");
    }

    /** Part of the line is wrong in its own format. */
    void bad(String what, String reason) {
        make(Fate.BAD);
        String message = message(what, reason);
        firstBad = firstBad == null ? message : firstBad;
        reports.accept(message);
    }

    private String message(String what, String reason) {
        return Text.escaped(name) + ": line " + number + ": '" + Text.shown(what) + "': " + reason;
    }

    /** What the line says is kept for later or changes what was kept. */
    void take() {
        make(Fate.TAKEN);
    }

    /**
     * The line makes this entry of ours.
     *
     * @param conditions what follows the key, or nothing
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

    /** The key in canonical form, or null when there is none, which is then said of the line. */
    @Nullable String key(SenderPattern pattern) {
        return switch (pattern) {
            case SenderPattern.Exact(String address) -> address(address);
            case SenderPattern.Domain(String domain) -> domain(domain, "");
            case SenderPattern.Subdomains(String domain) -> domain(domain, ".");
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

    /** How many bytes of our list are ready. */
    int ready() {
        return text.size();
    }

    /** The bytes of our list that are ready, once. */
    byte[] drain() {
        byte[] bytes = text.toByteArray();
        text.reset();
        return bytes;
    }

    /** Whether any whole address was read. */
    boolean hasAddresses() {
        return addresses;
    }

    /** How many lines were read so far. */
    long linesRead() {
        long ended = summaries.stream().mapToLong(ImportSummary::lines).sum();
        return ended + counts.values().stream().mapToLong(Long::longValue).sum() + lines + blank;
    }

    /** Refuses lists of which no line became an entry. */
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

    /** The accounts of the lists that have ended. */
    List<ImportSummary> summaries() {
        return List.copyOf(summaries);
    }

    /**
     * Refuses the import when more than one in a hundred lines that say something of senders is
     * bad: it is then likely not of the format it should be.
     */
    void refuseWhenMostlyBad() throws ListRefusedException {
        long bad = summaries.stream().mapToLong(ImportSummary::bad).sum();
        long said = summaries.stream().mapToLong(Ledger::said).sum();
        if (bad > said / 100) {
            throw new ListRefusedException(
                    bad
                            + " of "
                            + said
                            + " lines are bad; an import with more than 1 % bad lines is refused."
                            + " The first: "
                            + firstBad);
        }
    }
}
