package io.github.senderwhitelist.refresh;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.Sha256;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.tools.Builds;
import io.github.senderwhitelist.tools.ChildJava;
import io.github.senderwhitelist.tools.SmallLists;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Kills a process that does nothing but refresh a list, with signal 9, at a random moment, again
 * and again. After each death the work directory must hold the old list or the new one, whole, and
 * the next start must begin with it, whatever became of the list's file meanwhile, and must not
 * leave lying about what the dead one left.
 *
 * <p>The moments are not those of a seed: they depend on how fast the machine is.
 */
final class KillRounds {
    /** What a list may be like when the next process starts. */
    private enum Source {
        WHOLE,
        GONE,
        DAMAGED
    }

    /** The entries of lists; a generation has the same list as the one so many before. */
    private static final int[] SIZES = {100, 3_000, 100_000, 20_000, 50_000, 1_000, 70_000, 10};

    private final Path work;
    private final Path file;
    private final SplittableRandom random;

    /** The newest generation that the list's file had, and the newest known to be active. */
    private int written;

    private int taken = -1;

    /** Deaths while a snapshot was made. */
    private int unfinished;

    /** Rounds in a folder of their own, with a list of that name. */
    private KillRounds(Path folder, String name, SplittableRandom random) {
        this.work = folder.resolve("work");
        this.file = folder.resolve(name);
        this.random = random;
    }

    private static int entries(int generation) {
        return SIZES[generation % SIZES.length];
    }

    /** What every entry of a generation ends with. */
    private static String domain(int generation) {
        return "@" + generation % SIZES.length + ".example";
    }

    private static byte[] text(int generation) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < entries(generation); i++) {
            text.append("user").append(i).append(domain(generation)).append('\n');
        }
        return text.toString().getBytes(UTF_8);
    }

    private static String digest(int generation) {
        return HexFormat.of().formatHex(Sha256.start().digest(text(generation)));
    }

    /** Puts a generation into the list's place, as text or as a snapshot. */
    private static void put(Path file, int generation) throws IOException {
        Path other = file.resolveSibling("other");
        if (file.toString().endsWith(".swl")) {
            Path made = file.resolveSibling("made-" + generation % SIZES.length);
            if (!Files.exists(made)) {
                make(made, generation);
            }
            Files.copy(made, other, StandardCopyOption.REPLACE_EXISTING);
        } else {
            Files.write(other, text(generation));
        }
        Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void make(Path snapshot, int generation) throws IOException {
        Builds.of(SmallLists.TIGHT, generation).build(text(generation), snapshot);
    }

    private static ListSettings settings(Path file, Path work) {
        return new ListSettingsBuilder(file, work)
                .inMemory()
                .reloadInterval(Duration.ofDays(1))
                .maxShrink(1)
                .settings();
    }

    /** The process that is killed: refreshes without end, and says what it does. */
    private static void refresh(Path file, Path work, int first) throws IOException {
        RefreshListener silent = new RefreshListener() {};
        FileList refresher = ListFiles.refresher(settings(file, work), silent);
        say("started " + refresher.current().header().sourceDigest() + " " + count(work));
        for (int generation = first; ; generation++) {
            say("writes " + generation);
            put(file, generation);
            Generation before = refresher.current();
            while (refresher.current() == before) {
                refresher.look();
            }
            say("took " + generation);
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static int count(Path work) throws IOException {
        try (Stream<Path> files = Files.list(work)) {
            return (int) files.count();
        }
    }

    private void round(Source source) throws Exception {
        if (source == Source.GONE) {
            Files.deleteIfExists(file);
        } else if (source == Source.DAMAGED) {
            Files.write(file, new byte[] {'a', '@', 0, 1, 2});
        } else {
            put(file, written);
        }
        List<String> command = ChildJava.running(KillRounds.class, "-Xmx256m", "-Xshare:auto");
        command.addAll(List.of(file.toString(), work.toString(), "" + (written + 1)));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        int known = whole();
        try (BufferedReader said = process.inputReader(UTF_8)) {
            started(said.readLine(), source, known);
            killIn(process, random.nextInt(1_000_000, 700_000_000));
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                if (line.startsWith("writes ")) {
                    written = Integer.parseInt(line.substring("writes ".length()));
                } else {
                    taken = Integer.parseInt(line.substring("took ".length()));
                }
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        unfinished += count(work) > 1 ? 1 : 0;
        whole();
    }

    private static void killIn(Process process, int nanos) {
        Thread killer =
                new Thread(
                        () -> {
                            try {
                                Thread.sleep(Duration.ofNanos(nanos));
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                            // Not the process itself, which closes what is left to read of it.
                            process.toHandle().destroyForcibly();
                        });
        killer.start();
    }

    /** The first line of a process: what it began with, and what then lay in the work directory. */
    private void started(@Nullable String line, Source source, int known) {
        String[] words = Objects.requireNonNull(line, "it did not start").split(" ", -1);
        int generation = source == Source.WHOLE ? written : known;
        require(
                words[1].equals(digest(generation)),
                "started with something else than generation " + generation);
        require(Integer.parseInt(words[2]) == 1, words[2] + " files in the work directory");
        taken = generation;
    }

    /** Requires that the work directory has one whole list, old or new, and says which. */
    private int whole() throws IOException {
        List<Path> snapshots;
        if (!Files.isDirectory(work)) {
            require(taken < 0, "the work directory is gone");
            return -1;
        }
        try (Stream<Path> files = Files.list(work)) {
            snapshots = files.filter(path -> path.toString().endsWith(".swl")).toList();
        }
        require(snapshots.size() == 1 || taken < 0, snapshots + " in the work directory");
        if (snapshots.isEmpty()) {
            return -1;
        }
        try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, snapshots.getFirst())) {
            SnapshotHeader header = snapshot.header();
            int generation = Math.max(taken, 0);
            while (!header.sourceDigest().equals(digest(generation))) {
                require(++generation <= written, "neither the old list nor the new");
            }
            requireWhole(snapshot, generation);
            return generation;
        }
    }

    private static void requireWhole(Snapshot snapshot, int generation) throws IOException {
        List<Entry> entries = Builds.entries(snapshot.store());
        for (Entry entry : entries) {
            require(entry.toString().endsWith(domain(generation)), entry + " in " + generation);
            require(snapshot.mightContain(entry.key()), entry + " is not in the filter");
        }
        require(entries.size() == entries(generation), entries.size() + " entries");
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    /** So many rounds with a text list, and as many with snapshots. */
    static String run(int rounds, Path folder, long seed) throws Exception {
        Files.createDirectories(folder);
        List<String> told = new ArrayList<>();
        for (String name : List.of("whitelist.txt", "whitelist.swl")) {
            SplittableRandom random = new SplittableRandom(seed);
            KillRounds kills =
                    new KillRounds(Files.createTempDirectory(folder, name), name, random);
            for (int round = 0; round < rounds; round++) {
                boolean any = kills.taken >= 0;
                kills.round(any ? Source.values()[random.nextInt(3)] : Source.WHOLE);
            }
            told.add(
                    name
                            + ": killed "
                            + rounds
                            + " times, "
                            + kills.unfinished
                            + " of them with something unfinished, after "
                            + kills.written
                            + " refreshes; always a whole list");
        }
        return String.join("\n", told);
    }

    /** The process that is killed. Arguments: the list, the work directory, the generation. */
    public static void main(String... arguments) throws IOException {
        refresh(Path.of(arguments[0]), Path.of(arguments[1]), Integer.parseInt(arguments[2]));
    }
}
