package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.importer.SenderPattern.Exact;
import io.github.senderwhitelist.importer.SenderPattern.Subdomains;
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
    /** What became of a line. */
    private enum Outcome {
        NOTHING,
        TAKEN,
        REPORTED,
        BAD
    }

    /** How many reports are made unless all are wanted. */
    static final int MAX_REPORTS = 10;

    /** How messages of refused imports end. */
    static final String NO_IMPORT = ". Nothing was imported";

    private final Consumer<String> reports;
    private final boolean all;
    private final List<ImportSummary> summaries = new ArrayList<>();
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();
    private final Map<Outcome, Long> counts = new EnumMap<>(Outcome.class);
    private @Nullable String firstBad;
    private boolean addresses;
    private boolean written;
    private long said;
    private String name = "";
    private long number;
    private Outcome outcome = Outcome.NOTHING;

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
        counts.clear();
    }

    /** Opens a line, which lists no sender unless another outcome follows. */
    void open(long line) {
        counts.merge(outcome, 1L, Long::sum);
        number = line;
        outcome = Outcome.NOTHING;
    }

    /** Ends a list of so many lines. */
    void end(long lines) {
        open(lines);
        summaries.add(
                new ImportSummary(
                        name,
                        lines,
                        counts.getOrDefault(Outcome.TAKEN, 0L),
                        counts.getOrDefault(Outcome.REPORTED, 0L),
                        counts.getOrDefault(Outcome.BAD, 0L)));
    }

    private void make(Outcome now) {
        outcome = outcome.compareTo(now) < 0 ? now : outcome;
    }

    /** Reports that the open line, or a part of it, has no equivalent. */
    void report(String what, String reason) {
        make(Outcome.REPORTED);
        say(message(what, reason));
    }

    /** Reports that the open line, or a part of it, is wrong in its own format. */
    void bad(String what, String reason) {
        make(Outcome.BAD);
        String message = message(what, reason);
        firstBad = firstBad == null ? message : firstBad;
        say(message);
    }

    private String message(String what, String reason) {
        return Text.escaped(name) + ":" + number + ": '" + Text.shown(what) + "': " + reason;
    }

    private void say(String message) {
        if (all || said < MAX_REPORTS) {
            reports.accept(message);
        }
        said++;
    }

    /** Says how many reports were not made, once. */
    void sayHowManyMore() {
        if (!all && said > MAX_REPORTS) {
            reports.accept("and " + (said - MAX_REPORTS) + " more; --verbose shows all");
        }
        said = 0;
    }

    /** Returns why the import is refused because of the open line. */
    ListRefusedException refused(String reason) {
        return new ListRefusedException(name + ":" + number + ": " + reason + NO_IMPORT);
    }

    /** Counts the open line as taken. Its entry is kept for later, or changed one that was kept. */
    void keep() {
        make(Outcome.TAKEN);
    }

    /** Turns the open line into these entries of our list. */
    void take(SenderPattern... patterns) {
        for (SenderPattern pattern : patterns) {
            take(pattern, false, "");
        }
    }

    /**
     * Turns the open line into this entry of our list, or reports why there is none.
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
        keep();
        write(line);
    }

    /** Returns the key in canonical form, or null when there is none, which is then reported. */
    @Nullable String key(SenderPattern pattern) {
        String none = pattern.reason();
        if (none != null) {
            report(pattern.text(), none);
            return null;
        }
        String wanted = HiddenCharacters.strip(pattern.text());
        if (wanted.indexOf('\ufffd') >= 0) {
            bad(wanted, ListLine.NOT_UTF_8);
            return null;
        }
        if (pattern instanceof Exact) {
            return switch (AddressSyntax.parse(wanted)) {
                case WellFormed(var address) -> {
                    addresses = true;
                    yield address.key().toString();
                }
                case Malformed(String reason) -> {
                    bad(wanted, reason);
                    yield null;
                }
            };
        }
        byte[] domain = AddressSyntax.parseDomain(wanted);
        if (domain == null) {
            bad(wanted, AddressSyntax.domainComplaint(wanted));
            return null;
        }
        boolean below = pattern instanceof Subdomains;
        if (below && domain[0] == '[') {
            bad(wanted, "an address literal has no subdomains");
            return null;
        }
        return (below ? "@." : "@") + new String(domain, UTF_8);
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
        long lines = summaries.stream().mapToLong(ImportSummary::aboutSenders).sum();
        if (TextList.areTooMany(bad, lines)) {
            throw new ListRefusedException(
                    bad
                            + " of "
                            + lines
                            + " lines are bad; with more than 3 and more than 1 %, or all, an"
                            + " import is refused. The first: "
                            + firstBad);
        }
    }

    /** Refuses lists without a single entry. */
    void refuseWhenEmpty() throws ListRefusedException {
        if (!written) {
            throw new ListRefusedException(
                    "no line lists a sender: "
                            + summaries.stream()
                                    .map(ImportSummary::toString)
                                    .collect(Collectors.joining("; "))
                            + NO_IMPORT);
        }
    }
}
