package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.store.BlockStore;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * {@code verify FILE}: checks every checksum and every entry of a snapshot, and measures the
 * false-positive rate of its filter.
 */
@Command(
        name = "verify",
        description =
                "Checks every part of a snapshot, and measures its false-positive rate on 10^6"
                        + " strangers.",
        exitCodeList = {
            "0:all is well",
            "1:an entry of LIST is not in FILE",
            "2:damaged, or another failure"
        },
        footer = {
            "  whitelist verify whitelist.swl",
            "  whitelist verify whitelist.swl --against conf/whitelist.txt"
        })
final class VerifyCommand extends Subcommand {
    private static final int STRANGERS = 1_000_000;

    @Parameters(paramLabel = "FILE", description = "A snapshot (.swl).")
    private Path file = Path.of("");

    @Option(names = "--against", paramLabel = "LIST", description = "What must be in FILE.")
    private @Nullable String against;

    @Mixin private Place place = new Place();

    private final Progress progress = new Progress();

    @Override
    int call() throws IOException {
        Place.Named list = against == null ? null : place.find(against);
        try (progress;
                Snapshot snapshot = Snapshot.open(Disk.LOCAL, FileList.existing(file))) {
            BlockStore store = Objects.requireNonNull(snapshot.store());
            checkEntries(snapshot, store);
            measure(snapshot, store);
            return list == null || covers(store, list) ? Main.DONE : Main.NEGATIVE;
        }
    }

    private void checkEntries(Snapshot snapshot, BlockStore store) throws IOException {
        long all = snapshot.header().entries();
        long count = 0;
        BlockStore.Walk walk = store.walk();
        for (Entry entry = walk.next(); entry != null; entry = walk.next()) {
            count += entry.rules().isEmpty() ? 0 : 1;
            progress.count("checking", count, all);
            if (!snapshot.mightContain(entry.key())) {
                throw damaged(entry + " is in the exact store, but not in the filter");
            }
        }
        if (count != all) {
            throw damaged("its exact store holds " + count + " entries, its header says " + all);
        }
        answer(
                Numbers.count(count, "entry", "entries")
                        + ": every checksum is right, every entry is in its filter");
    }

    private IOException damaged(String how) {
        return new IOException(file + ": damaged: " + how);
    }

    /** Prints an answer in place of the progress. */
    private void answer(String answer) {
        progress.close();
        out.println(answer);
        out.flush();
    }

    private void measure(Snapshot snapshot, BlockStore store) throws IOException {
        SplittableRandom random = new SplittableRandom(snapshot.header().seed());
        int maybe = 0;
        for (int i = 0; i < STRANGERS; i++) {
            progress.count("measuring", i, STRANGERS);
            String local = Long.toString(random.nextLong() >>> 1, 36);
            String stranger = local + "@" + i + ".stranger.invalid";
            Key key = ((WellFormed) AddressSyntax.parse(stranger)).address().key();
            if (snapshot.mightContain(key) && store.find(key) == null) {
                maybe++;
            }
        }
        long n = snapshot.header().addresses();
        answer(
                String.format(
                        Locale.ROOT,
                        "false-positive rate: measured %s on %,d strangers, predicted %s",
                        Numbers.percent((double) maybe / STRANGERS),
                        STRANGERS,
                        Numbers.percent(snapshot.header().addressFilter().rate(n))));
    }

    /** Returns whether the snapshot has all entries of a list. */
    private boolean covers(BlockStore store, Place.Named list) throws IOException {
        long asked = 0;
        long missing = 0;
        try (OpenList opened = OpenList.open(list, false, err)) {
            OpenList.Walk walk = opened.entries(null);
            for (Entry entry = walk.next(); entry != null; entry = walk.next()) {
                progress.count("comparing", ++asked, -1);
                Entry found = store.find(entry.key(), entry.to());
                if (found == null || !covers(found, entry)) {
                    missing++;
                    err.report(entry + ": not in the snapshot");
                }
            }
        }
        answer(
                String.format(
                        Locale.ROOT,
                        "%s of %s: %,d found, %,d missing",
                        Numbers.count(asked, "entry", "entries"),
                        Text.escaped(String.valueOf(against)),
                        asked - missing,
                        missing));
        return missing == 0;
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
}
