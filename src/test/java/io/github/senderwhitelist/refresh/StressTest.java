package io.github.senderwhitelist.refresh;

import static io.github.senderwhitelist.tools.SmallLists.address;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.tools.Builds;
import io.github.senderwhitelist.tools.Extent;
import io.github.senderwhitelist.tools.Handles;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
class StressTest extends ListTest {
    private static final int THREADS = 4;
    private static final int REFRESHES = Extent.of(100, 1_000);

    /** The number of generations after which the lists repeat. */
    private static final int PERIOD = 12;

    /** The numbers of refreshes begun and ended. One that has not ended may be active already. */
    private volatile int begun;

    private volatile int ended;
    private volatile boolean stop;

    private final List<Sender> senders = new ArrayList<>();

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
            return kind == Kind.ALWAYS_IN_SNAPSHOT
                    || (kind == Kind.SOMETIMES_IN_SNAPSHOT && coin(generation));
        }

        private boolean coin(int generation) {
            return (new SplittableRandom(generation % PERIOD * 1_000L + number).nextInt() & 1) == 0;
        }

        /** Whether it is listed after that many refreshes, the first of the text. */
        boolean isListed(int refreshes) {
            int text = textAfter(refreshes);
            return kind == Kind.SOMETIMES_DENIED
                    ? !inText(text)
                    : inText(text) || inSnapshot(refreshes - text);
        }
    }

    private SteppedList follow(Path path) throws IOException {
        file = path;
        ListSettingsBuilder settings = settings().build(SmallLists.LOOSE).cacheSize(100);
        return open(settings.maxShrink(1), Disk.LOCAL);
    }

    private void requireOpen(int files) throws IOException {
        if (Handles.areTold()) {
            assertThat(Handles.files(folder.toString())).hasSize(files);
            assertThat(Handles.mappings(folder.toString())).isEmpty();
        }
    }

    @Test
    void shouldAnswerByTheOldListOrTheNewAndAfterwardsByTheNewOnly() throws Exception {
        for (int i = 0; i < 400; i++) {
            Kind kind = Kind.values()[i % Kind.values().length];
            senders.add(new Sender(kind, i, address(kind.address.formatted(i))));
        }
        Path text = folder.resolve("whitelist.txt");
        Path snapshot = folder.resolve("whitelist.swl");
        writeText(text, 0);
        putSnapshot(snapshot, 0);
        SteppedList ofText = follow(text);
        SteppedList ofSnapshot = follow(snapshot);
        requireOpen(2);
        PlainWhitelist whitelist =
                new PlainWhitelist(
                        List.of(ofText, ofSnapshot), Subaddressing.VALUES.parse("+").orElseThrow());
        List<Future<long[]>> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            for (int i = 0; i < THREADS; i++) {
                int seed = i;
                answers.add(threads.submit(() -> ask(whitelist, seed)));
            }
            refresh(text, ofText, snapshot, ofSnapshot);
        }
        long exact = 0;
        for (Future<long[]> answer : answers) {
            assertThat(answer.get()[0]).as("checks of each thread").isGreaterThan(REFRESHES);
            exact += answer.get()[1];
        }
        assertThat(exact).as("checks with one right answer").isGreaterThan(10L * REFRESHES);
        assertThat(ofText.refusals()).isEmpty();
        assertThat(ofSnapshot.refusals()).isEmpty();
        requireOpen(2);
        ofText.close();
        ofSnapshot.close();
        requireOpen(0);
    }

    private void refresh(Path text, SteppedList ofText, Path snapshot, SteppedList ofSnapshot)
            throws IOException {
        try {
            for (int refresh = 1; refresh <= REFRESHES; refresh++) {
                if (isOfText(refresh)) {
                    writeText(text, textAfter(refresh));
                } else {
                    putSnapshot(snapshot, refresh - textAfter(refresh));
                }
                begun = refresh;
                passUntilTaken(isOfText(refresh) ? ofText : ofSnapshot);
                ended = refresh;
            }
        } finally {
            stop = true;
        }
    }

    private void passUntilTaken(SteppedList list) {
        Generation before = list.current();
        for (int seconds = 0; list.current() == before; seconds++) {
            assertThat(seconds).isLessThan(30);
            list.pass(SOON);
        }
    }

    /** Overwritten and renamed in turn, the lines in another order each time. */
    private void writeText(Path path, int generation) throws IOException {
        // A comment, because the same list again is not taken.
        List<String> lines = new ArrayList<>(List.of("@domain.example", "# " + generation));
        for (Sender sender : senders) {
            if (sender.inText(generation)) {
                lines.add((sender.kind == Kind.SOMETIMES_DENIED ? "!" : "") + sender.address);
            }
        }
        Collections.shuffle(lines, new Random(generation));
        if (generation % 2 == 0) {
            Files.write(path, lines);
        } else {
            file = path;
            put(lines.toArray(String[]::new));
        }
    }

    private void putSnapshot(Path path, int generation) throws IOException {
        Path made = folder.resolve("made");
        String text =
                senders.stream()
                        .filter(sender -> sender.inSnapshot(generation))
                        .map(sender -> sender.address + "\n")
                        .reduce("", String::concat);
        Builds.of(SmallLists.LOOSE, generation).build(text.getBytes(US_ASCII), made);
        file = path;
        put(made);
    }

    /** How often it asked, and how often only one answer was right. */
    private long[] ask(PlainWhitelist whitelist, int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] counts = new long[2];
        while (!stop) {
            Sender sender = senders.get(random.nextInt(senders.size()));
            int first = ended;
            Verdict verdict = whitelist.check(sender.address);
            int last = begun;
            boolean listed = verdict instanceof Listed;
            boolean allowed = false;
            for (int refresh = first; refresh <= last; refresh++) {
                allowed |= sender.isListed(refresh) == listed;
            }
            if (!allowed || !(listed || verdict instanceof NotListed)) {
                throw new AssertionError(
                        sender + " is " + verdict + " in refreshes " + first + " to " + last);
            }
            counts[0]++;
            counts[1] += first == last ? 1 : 0;
        }
        return counts;
    }
}
