package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.EntryWalk;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.store.BlockStore;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * {@code verify FILE}: checks every checksum and every entry of a snapshot, and measures the
 * false-positive rate of its filter.
 *
 * <p>A checksum proves that the bytes are those that were written, not that they are right. So each
 * entry of the exact store is asked of the filter, which must never say no to one, and with {@code
 * --against} each entry of the list that the snapshot was made of is looked up in the exact store.
 */
@Command(
        description = "Checks every part of a snapshot, and measures its false-positive rate.",
        exitCodeList = {"0:all is well", "1:an entry is not in FILE", "2:damaged, or a failure"},
        footer = {
            "  whitelist verify whitelist.swl",
            "  whitelist verify whitelist.swl --against conf/whitelist.txt"
        })
final class VerifyCommand extends ListCommand {
    /** So many that the rate of 0.001 is measured to a few hundredths of itself. */
    private static final int STRANGERS = 1_000_000;

    @Parameters(paramLabel = "FILE", description = "A snapshot (.swl).")
    private Path file = Path.of("");

    @Option(names = "--against", description = "What must be in FILE.")
    private @Nullable String against;

    private final Progress progress = untilEnd(new Progress());

    @Override
    int call() throws IOException {
        Snapshot snapshot = untilEnd(Snapshot.open(Disk.LOCAL, OthersFolders.readable(file)));
        OpenList list = against == null ? null : open(against, false);
        BlockStore store = Objects.requireNonNull(snapshot.store());
        checkEntries(snapshot, store);
        measure(snapshot, store);
        return list == null || covers(store, list.walk(null)) ? Main.DONE : Main.NEGATIVE;
    }

    /** Asks the filter for every entry, and counts them. Reading them all checks their blocks. */
    private void checkEntries(Snapshot snapshot, BlockStore store) throws IOException {
        long all = snapshot.header().entries();
        long count = 0;
        BlockStore.Walk walk = store.walk(null);
        for (Entry entry = walk.next(); entry != null; entry = walk.next()) {
            count += entry.rules().isEmpty() ? 0 : 1;
            progress.report("checking", count, all);
            if (!snapshot.mightContain(entry.key())) {
                throw new IOException(
                        "%s: damaged: %s is in the exact store, but not in the filter"
                                .formatted(file, entry));
            }
        }
        if (count != all) {
            throw new IOException(
                    "%s: damaged: its exact store holds %s entries, its header says %s"
                            .formatted(file, count, all));
        }
        String entries = Numbers.count(count, "entry", "entries");
        say("%s: every checksum is right, every entry is in its filter", entries);
    }

    /** Asks the filter for senders that nobody has, and counts how often it says maybe. */
    private void measure(Snapshot snapshot, BlockStore store) throws IOException {
        SplittableRandom random = new SplittableRandom(snapshot.header().seed());
        int maybe = 0;
        for (int i = 0; i < STRANGERS; i++) {
            progress.report("measuring", i, STRANGERS);
            String local = Long.toString(random.nextLong() >>> 1, 36);
            String stranger = local + "@" + i + ".stranger.invalid";
            Key key = ((Address) AddressSyntax.parse(stranger)).key();
            if (snapshot.mightContain(key) && store.find(key, null) == null) {
                maybe++;
            }
        }
        double rate = snapshot.header().addressFilter().rate(snapshot.header().addresses());
        say(
                "false-positive rate: measured %s on %s, predicted %s",
                Numbers.percent((double) maybe / STRANGERS),
                Numbers.count(STRANGERS, "stranger", "strangers"),
                Numbers.percent(rate));
    }

    /** Returns whether the snapshot says what each line of a list does. */
    private boolean covers(BlockStore store, EntryWalk walk) throws IOException {
        long asked = 0;
        long missing = 0;
        for (Entry entry = walk.next(); entry != null; entry = walk.next()) {
            progress.report("comparing", ++asked, -1);
            Entry found = store.find(entry.key(), entry.to());
            List<Rule> there = found == null ? List.of() : found.rules();
            for (Rule wanted : entry.rules()) {
                // Beside another one, a rule may say nothing.
                if (there.stream().noneMatch(it -> it.equals(wanted) || it.settles(wanted))) {
                    missing++;
                    err.report(entry + ": not in the snapshot");
                    break;
                }
            }
        }
        say(
                "%s of %s: %,d found, %,d missing",
                Numbers.count(asked, "entry", "entries"),
                Text.escaped(String.valueOf(against)),
                asked - missing,
                missing);
        return missing == 0;
    }
}
