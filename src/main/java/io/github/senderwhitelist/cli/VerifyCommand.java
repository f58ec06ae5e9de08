package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.list.TextList;
import io.github.senderwhitelist.snapshot.ReadMeter;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.TextSource;
import io.github.senderwhitelist.store.BlockStore;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * {@code verify FILE}: checks every checksum and every entry of a snapshot, and measures the
 * false-positive rate of its filter.
 */
final class VerifyCommand extends SnapshotCommand {
    private static final String AGAINST = "--against";
    private static final int STRANGERS = 1_000_000;
    private static final int SHOWN = 10;
    private static final int REPORT_EVERY = 1 << 12;

    private final Given<Path> against =
            option(
                    AGAINST,
                    "LIST",
                    Values.file(),
                    "A text list; each of its entries must be found.");

    private final ProgressDisplay progress = new ProgressDisplay(ProgressDisplay.onTerminal());
    private final List<String> notFound = new ArrayList<>();
    private long count;
    private long missing;

    VerifyCommand() {
        super(
                "verify",
                "Checks every part of a snapshot, and measures its false-positive rate on 10^6"
                        + " strangers.");
        exitCodes(
                "0:all is well",
                "1:an entry of LIST is not in FILE",
                "2:damaged, or another failure");
    }

    @Override
    String optionOfArgument() {
        return AGAINST;
    }

    @Override
    int call() throws IOException {
        TextSource list = against.isThere() ? Lists.text(against.value().toString()) : null;
        try (progress;
                Snapshot snapshot = Snapshot.open(Disk.LOCAL, file())) {
            BlockStore store = Objects.requireNonNull(snapshot.store());
            store.forEach(
                    entry -> {
                        count += entry.rules().isEmpty() ? 0 : 1;
                        report("checking", "entries", count, snapshot.header().entries());
                        requireInFilter(snapshot, entry);
                    });
            if (count != snapshot.header().entries()) {
                throw new IOException(
                        file()
                                + ": damaged: its exact store holds "
                                + count
                                + " entries, its header says "
                                + snapshot.header().entries());
            }
            answer(
                    Numbers.count(count, "entry", "entries")
                            + ": every checksum is right, every entry is in its filter");
            answer(rate(snapshot));
            if (list != null) {
                compare(store, list);
            }
        }
        return missing > 0 ? Main.NEGATIVE : Main.DONE;
    }

    private void requireInFilter(Snapshot snapshot, Entry entry) throws IOException {
        if (!snapshot.mightContain(entry.key())) {
            throw new IOException(
                    file()
                            + ": damaged: "
                            + entry
                            + " is in the exact store, but not in the filter");
        }
    }

    private void report(String step, String unit, long done, long total) {
        if (done % REPORT_EVERY == 0) {
            progress.report(step, unit, done, total);
        }
    }

    /** Prints an answer in place of the progress. */
    private void answer(String answer) {
        progress.close();
        out().println(answer);
        out().flush();
    }

    private String rate(Snapshot snapshot) throws IOException {
        BlockStore store = Objects.requireNonNull(snapshot.store());
        SplittableRandom random = new SplittableRandom(snapshot.header().seed());
        int maybe = 0;
        for (int i = 0; i < STRANGERS; i++) {
            report("measuring", "strangers", i, STRANGERS);
            Address stranger =
                    ((WellFormed)
                                    AddressSyntax.parse(
                                            Long.toString(random.nextLong() >>> 1, 36)
                                                    + "@"
                                                    + i
                                                    + ".stranger.invalid"))
                            .address();
            if (snapshot.addressFilter().mightContain(snapshot.hasher().hash(stranger.key()))
                    && store.find(stranger.key()) == null) {
                maybe++;
            }
        }
        return String.format(
                Locale.ROOT,
                "false-positive rate: measured %s on %,d strangers, predicted %s",
                Numbers.percent((double) maybe / STRANGERS),
                STRANGERS,
                Numbers.percent(
                        snapshot.header().addressFilter().rate(snapshot.header().addresses())));
    }

    /** Returns whether a snapshot's entry says all that a list's entry does. */
    private static boolean covers(Entry found, Entry wanted) {
        return wanted.rules().stream()
                .allMatch(
                        rule ->
                                found.rules().contains(rule)
                                        || found.rules().stream()
                                                .anyMatch(other -> other.settles(rule)));
    }

    private void compare(BlockStore store, TextSource list) throws IOException {
        long[] asked = new long[1];
        TextList.Sink sink =
                (bytes, from, length, rules) -> {
                    asked[0]++;
                    Rule rule = RulesCodec.decode(rules, 0, rules.length).rules().getFirst();
                    Entry wanted = SortKey.entry(bytes, from, from + length, rule);
                    Entry found = store.find(wanted.key(), wanted.to());
                    if (found == null || !covers(found, wanted)) {
                        missing++;
                        if (missing <= SHOWN) {
                            notFound.add(wanted + ": not in the snapshot");
                        }
                    }
                };
        TextList.Summary summary;
        ReadMeter meter =
                new ReadMeter(
                        (phase, done, total) ->
                                progress.report("comparing", Progress.BYTES, done, total),
                        list.size());
        try (InputStream in = meter.measuring(list.opener().open())) {
            summary = TextList.read(in, list.name(), sink);
        }
        progress.close();
        notFound.forEach(err()::println);
        Lists.warnings(summary.badLines(), summary.complaints()).forEach(err()::println);
        answer(
                Numbers.count(asked[0], "entry", "entries")
                        + " of "
                        + Text.escaped(list.name())
                        + String.format(
                                Locale.ROOT,
                                ": %,d found, %,d missing",
                                asked[0] - missing,
                                missing));
    }
}
