package io.github.senderwhitelist.refresh;

import static io.github.senderwhitelist.tools.SmallLists.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.tools.Extent;
import io.github.senderwhitelist.tools.Handles;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Four threads that ask without pause while two lists, a text and a snapshot, are refreshed a
 * hundred times, or a thousand, and what is open afterwards. Before the first question and after
 * the last one of each check it is known which generations may answer; the answer must be that of
 * one of them.
 */
class StressTest {
    private static final int THREADS = 4;
    private static final int REFRESHES = Extent.of(100, 1_000);
    private static final int SENDERS = 400;

    /** The number of generations after which the snapshots repeat. */
    private static final int PERIOD = 12;

    @TempDir Path folder;

    /** The numbers of refreshes begun and ended. One that has not ended may be active already. */
    private volatile int begun;

    private volatile int ended;
    private volatile boolean stop;

    private final List<Sender> senders = new ArrayList<>();
    private final List<String> refusals = Collections.synchronizedList(new ArrayList<>());
    private final RefreshListener listener = ListFiles.refusalsTo(refusals);

    /** What the lists say of a sender. */
    private enum Kind {
        ALWAYS_IN_TEXT("%d@always.example"),
        ALWAYS_IN_SNAPSHOT("%d@kept.example"),
        NEVER("%d@never.example"),
        SOMETIMES_IN_TEXT("%d@text.example"),
        SOMETIMES_IN_SNAPSHOT("%d@snapshot.example"),
        /** Its domain is listed, itself denied at times. */
        SOMETIMES_DENIED("%d@domain.example");

        final String address;

        Kind(String address) {
            this.address = address;
        }
    }

    /** Every fourth refresh is one of the text, because these take longer. */
    private static boolean isOfText(int refresh) {
        return refresh % 4 == 1;
    }

    /** Which generation of the text is active after that many refreshes. */
    private static int textAfter(int refreshes) {
        return (refreshes + 3) / 4;
    }

    private record Sender(Kind kind, int number, Address address) {
        /** Whether the text list names it in that generation of its own. */
        boolean inText(int generation) {
            return switch (kind) {
                case ALWAYS_IN_TEXT -> true;
                case SOMETIMES_IN_TEXT, SOMETIMES_DENIED -> coin(generation);
                default -> false;
            };
        }

        boolean inSnapshot(int generation) {
            return switch (kind) {
                case ALWAYS_IN_SNAPSHOT -> true;
                case SOMETIMES_IN_SNAPSHOT -> coin(generation);
                default -> false;
            };
        }

        private boolean coin(int generation) {
            return (new SplittableRandom(generation % PERIOD * 1_000L + number).nextInt() & 1) == 0;
        }

        /** Whether it is listed after that many refreshes, the first of the text. */
        boolean isListed(int refreshes) {
            int text = textAfter(refreshes);
            int snapshot = refreshes - text;
            return kind == Kind.SOMETIMES_DENIED
                    ? !inText(text)
                    : inText(text) || inSnapshot(snapshot);
        }
    }

    @Test
    void shouldAnswerByTheOldListOrTheNewAndAfterwardsByTheNewOnly() throws Exception {
        for (int i = 0; i < SENDERS; i++) {
            Kind kind = Kind.values()[i % Kind.values().length];
            senders.add(new Sender(kind, i, address(kind.address.formatted(i))));
        }
        Path text = folder.resolve("whitelist.txt");
        Path snapshot = folder.resolve("whitelist.swl");
        writeText(text, 0);
        putSnapshot(snapshot, 0);
        int others = Handles.threads("whitelist").size();
        FileList ofText = ListFiles.refresher(settings(text), listener);
        FileList ofSnapshot = ListFiles.refresher(settings(snapshot), listener);
        int opened = Handles.areTold() ? Handles.files(folder.toString()).size() : 0;
        int mapped = Handles.areTold() ? Handles.mappings(folder.toString()).size() : 0;
        PlainWhitelist whitelist =
                new PlainWhitelist(
                        List.of(ofText, ofSnapshot), Subaddressing.VALUES.parse("+").orElseThrow());
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<long[]>> answers = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int seed = i;
            answers.add(threads.submit(() -> ask(whitelist, seed)));
        }
        try {
            for (int refresh = 1; refresh <= REFRESHES; refresh++) {
                if (isOfText(refresh)) {
                    writeText(text, textAfter(refresh));
                } else {
                    putSnapshot(snapshot, refresh - textAfter(refresh));
                }
                begun = refresh;
                lookUntilTaken(isOfText(refresh) ? ofText : ofSnapshot);
                ended = refresh;
            }
        } finally {
            stop = true;
            threads.shutdown();
        }
        long exact = 0;
        for (Future<long[]> answer : answers) {
            assertThat(answer.get()[0]).as("checks of each thread").isGreaterThan(REFRESHES);
            exact += answer.get()[1];
        }
        assertThat(exact).as("checks with one right answer").isGreaterThan(10L * REFRESHES);
        assertThat(refusals).isEmpty();
        if (Handles.areTold()) {
            assertThat(Handles.files(folder.toString()))
                    .as("files open for the two active generations")
                    .hasSize(opened);
            assertThat(Handles.mappings(folder.toString())).hasSize(mapped);
            assertThat(Handles.threads("whitelist")).hasSize(others);
        }
        ofText.close();
        ofSnapshot.close();
        if (Handles.areTold()) {
            assertThat(Handles.files(folder.toString())).isEmpty();
            assertThat(Handles.mappings(folder.toString())).isEmpty();
        }
    }

    private static void lookUntilTaken(FileList refresher) {
        Generation before = refresher.current();
        for (int looks = 0; refresher.current() == before; looks++) {
            assertThat(looks).isLessThan(10);
            refresher.look();
        }
    }

    private ListSettings settings(Path file) {
        return new ListSettingsBuilder(file, folder.resolve("work"))
                .build(SmallLists.LOOSE)
                .cacheSize(100)
                .reloadInterval(Duration.ofDays(1))
                .maxShrink(1)
                .settings();
    }

    /** Overwritten and renamed in turn, the lines in another order each time. */
    private void writeText(Path file, int generation) throws IOException {
        List<String> lines = new ArrayList<>(List.of("@domain.example"));
        for (Sender sender : senders) {
            if (sender.inText(generation)) {
                lines.add((sender.kind == Kind.SOMETIMES_DENIED ? "!" : "") + sender.address);
            }
        }
        // A comment, because the same list again is not taken.
        lines.add("# generation " + generation);
        Collections.shuffle(lines, new Random(generation));
        if (generation % 2 == 0) {
            Files.write(file, lines);
        } else {
            Path other = file.resolveSibling("other.txt");
            Files.write(other, lines);
            Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private void putSnapshot(Path file, int generation) throws IOException {
        Path made = folder.resolve("made-" + generation % PERIOD + ".swl");
        if (!Files.exists(made)) {
            String[] lines =
                    senders.stream()
                            .filter(sender -> sender.inSnapshot(generation))
                            .map(sender -> sender.address.toString())
                            .toArray(String[]::new);
            SmallLists.snapshot(folder, SmallLists.LOOSE, lines).close();
            Files.move(folder.resolve("list-" + String.join("", lines).hashCode() + ".swl"), made);
        }
        Path copy = folder.resolve("copy.swl");
        Files.copy(made, copy);
        Files.move(copy, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** How often it asked, and how often only one answer was right. */
    private long[] ask(PlainWhitelist whitelist, int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] counts = new long[2];
        while (!stop) {
            Sender sender = senders.get(random.nextInt(SENDERS));
            int first = ended;
            Verdict verdict = whitelist.check(sender.address);
            int last = begun;
            boolean listed = verdict instanceof Listed;
            boolean right = verdict instanceof Listed || verdict instanceof Verdict.NotListed;
            boolean allowed = false;
            for (int refresh = first; refresh <= last; refresh++) {
                allowed |= sender.isListed(refresh) == listed;
            }
            if (!right || !allowed) {
                throw new AssertionError(
                        sender + " is " + verdict + " in refreshes " + first + " to " + last);
            }
            counts[0]++;
            counts[1] += first == last ? 1 : 0;
        }
        return counts;
    }
}
