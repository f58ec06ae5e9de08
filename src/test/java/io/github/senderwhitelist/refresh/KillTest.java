package io.github.senderwhitelist.refresh;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.refresh.SteppedList.TestClock;
import io.github.senderwhitelist.snapshot.Sha256;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.tools.Builds;
import io.github.senderwhitelist.tools.ChildJava;
import io.github.senderwhitelist.tools.Extent;
import io.github.senderwhitelist.tools.SmallLists;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Kills a process that does nothing but refresh a list, with signal 9, at a random moment, again
 * and again. After each death the work directory must hold the old list or the new one, whole, and
 * the next start must begin with it, whatever became of the list's file meanwhile, and must not
 * leave lying about what the dead one left.
 *
 * <p>The moments are not those of a seed: they depend on how fast the machine is.
 */
@Tag("kill")
class KillTest extends ListTest {
    /** What a list may be like when the next process starts. */
    private enum Source {
        WHOLE,
        GONE,
        DAMAGED
    }

    /** The entries of lists; a generation has the same list as the one so many before. */
    private static final int[] SIZES = {100, 3_000, 100_000, 20_000, 50_000, 1_000, 70_000, 10};

    private final SplittableRandom random = new SplittableRandom(System.nanoTime());

    /** The newest generation that the list's file had, and the newest known to be active. */
    private int written;

    private int taken = -1;

    /** Deaths while a snapshot was made. */
    private int unfinished;

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
                Builds.of(SmallLists.TIGHT, generation).build(text(generation), made);
            }
            Files.copy(made, other, StandardCopyOption.REPLACE_EXISTING);
        } else {
            Files.write(other, text(generation));
        }
        Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The process that is killed: refreshes without end, and says what it does. */
    private static void refresh(Path file, Path work, int first) throws IOException {
        ListSettingsBuilder settings = new ListSettingsBuilder(file, work).inMemory().maxShrink(1);
        SteppedList list = new SteppedList(settings.settings(), Disk.LOCAL, new TestClock(null));
        say("started " + list.current().header().sourceDigest() + " " + count(work));
        for (int generation = first; ; generation++) {
            say("writes " + generation);
            put(file, generation);
            Generation before = list.current();
            while (list.current() == before) {
                list.pass(SOON);
            }
            say("took " + generation);
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static int count(Path work) {
        return Disk.LOCAL.list(work).size();
    }

    private void round(Source source) throws Exception {
        if (source == Source.GONE) {
            Files.deleteIfExists(file);
        } else if (source == Source.DAMAGED) {
            Files.write(file, new byte[] {'a', '@', 0, 1, 2});
        } else {
            put(file, written);
        }
        List<String> command = ChildJava.running(KillTest.class, "-Xmx256m", "-Xshare:auto");
        command.addAll(List.of(file.toString(), work.toString(), "" + (written + 1)));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        int known = whole();
        try (BufferedReader said = process.inputReader(UTF_8)) {
            started(said.readLine(), source, known);
            // Not the process itself, which closes what is left to read of it.
            CompletableFuture.delayedExecutor(random.nextInt(1, 700), TimeUnit.MILLISECONDS)
                    .execute(process.toHandle()::destroyForcibly);
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
        List<Path> snapshots =
                Disk.LOCAL.list(work).stream()
                        .filter(path -> path.toString().endsWith(".swl"))
                        .toList();
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

    @ParameterizedTest
    @ValueSource(strings = {"whitelist.txt", "whitelist.swl"})
    void shouldAlwaysHaveAWholeListAfterBeingKilled(String name) throws Exception {
        file = folder.resolve(name);
        int rounds = Extent.of(3, 200);
        for (int round = 0; round < rounds; round++) {
            boolean any = taken >= 0;
            round(any ? Source.values()[random.nextInt(3)] : Source.WHOLE);
        }
        System.out.printf(
                "%s: killed %s times, %s of them with something unfinished, after %s refreshes;"
                        + " always a whole list%n",
                name, rounds, unfinished, written);
    }

    /** The process that is killed. Arguments: the list, the work directory, the generation. */
    public static void main(String... arguments) throws IOException {
        refresh(Path.of(arguments[0]), Path.of(arguments[1]), Integer.parseInt(arguments[2]));
    }
}
