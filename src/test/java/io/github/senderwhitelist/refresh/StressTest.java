package io.github.senderwhitelist.refresh;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.tools.Extent;
import io.github.senderwhitelist.tools.Handles;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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

    /** What the lists say of a sender. */
    private enum Kind {
        ALWAYS_IN_TEXT,
        ALWAYS_IN_SNAPSHOT,
        NEVER,
        SOMETIMES_IN_TEXT,
        SOMETIMES_IN_SNAPSHOT,
        /** Its domain is in the text, itself denied there at times. */
        SOMETIMES_DENIED
    }

    private static final List<Sender> SENDERS =
            IntStream.range(0, 400)
                    .mapToObj(i -> new Sender(Kind.values()[i % Kind.values().length], i))
                    .toList();

    /** Every fourth refresh is one of the text, because these take longer. */
    private static boolean isOfText(int refresh) {
        return refresh % 4 == 1;
    }

    /** Which generation of the text is active after that many refreshes. */
    private static int textAfter(int refreshes) {
        return (refreshes + 3) / 4;
    }

    private static String domain(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-') + ".example";
    }

    private record Sender(Kind kind, int number, Address address) {
        Sender(Kind kind, int number) {
            this(kind, number, SmallLists.address(number + "@" + domain(kind)));
        }

        /** Returns its line in that generation of the text, or of the snapshot, if it has one. */
        Stream<String> line(boolean ofText, int generation) {
            boolean coin =
                    (new SplittableRandom(generation % PERIOD * 1_000L + number).nextInt() & 1)
                            == 0;
            boolean isThere =
                    switch (kind) {
                        case ALWAYS_IN_TEXT -> ofText;
                        case ALWAYS_IN_SNAPSHOT -> !ofText;
                        case SOMETIMES_IN_TEXT, SOMETIMES_DENIED -> ofText && coin;
                        case SOMETIMES_IN_SNAPSHOT -> !ofText && coin;
                        case NEVER -> false;
                    };
            String line = (kind == Kind.SOMETIMES_DENIED ? "!" : "") + address;
            return isThere ? Stream.of(line) : Stream.empty();
        }

        /** Whether it is listed after that many refreshes, the first of the text. */
        boolean isListed(int refreshes) {
            int text = textAfter(refreshes);
            boolean isNamed = line(true, text).findAny().isPresent();
            return kind == Kind.SOMETIMES_DENIED
                    ? !isNamed
                    : isNamed || line(false, refreshes - text).findAny().isPresent();
        }
    }

    /** Puts a generation in place, the text renamed or overwritten in turn. */
    private void put(boolean ofText, int generation) throws IOException {
        file = folder.resolve(ofText ? "whitelist.txt" : "whitelist.swl");
        // A comment, because the same list again is not taken.
        Stream<String> first =
                Stream.of("@" + domain(Kind.SOMETIMES_DENIED), "# " + generation)
                        .filter(line -> ofText);
        Stream<String> others = SENDERS.stream().flatMap(each -> each.line(ofText, generation));
        String[] lines = Stream.concat(first, others).toArray(String[]::new);
        if (!ofText) {
            put(snapshot(lines));
        } else if (generation % 2 == 0) {
            write(lines);
        } else {
            put(lines);
        }
    }

    private SteppedList openFirst(boolean ofText) throws IOException {
        put(ofText, 0);
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
        SteppedList ofText = openFirst(true);
        SteppedList ofSnapshot = openFirst(false);
        requireOpen(2);
        PlainWhitelist whitelist =
                new PlainWhitelist(
                        List.of(ofText, ofSnapshot), Subaddressing.VALUES.parse("+").orElseThrow());
        List<Future<long[]>> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom random = new SplittableRandom(i);
                answers.add(threads.submit(() -> ask(whitelist, random)));
            }
            try {
                for (int refresh = 1; refresh <= REFRESHES; refresh++) {
                    boolean isOfText = isOfText(refresh);
                    int text = textAfter(refresh);
                    put(isOfText, isOfText ? text : refresh - text);
                    begun = refresh;
                    passUntilTaken(isOfText ? ofText : ofSnapshot);
                    ended = refresh;
                }
            } finally {
                stop = true;
            }
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

    private void passUntilTaken(SteppedList list) {
        Generation before = list.current();
        for (int seconds = 0; list.current() == before; seconds++) {
            assertThat(seconds).isLessThan(30);
            list.pass(SOON);
        }
    }

    /** How often it asked, and how often only one answer was right. */
    private long[] ask(PlainWhitelist whitelist, SplittableRandom random) {
        long[] counts = new long[2];
        while (!stop) {
            Sender sender = SENDERS.get(random.nextInt(SENDERS.size()));
            int first = ended;
            Verdict verdict = whitelist.check(sender.address);
            int last = begun;
            boolean listed = verdict instanceof Listed;
            boolean allowed =
                    IntStream.rangeClosed(first, last)
                            .anyMatch(refresh -> sender.isListed(refresh) == listed);
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
