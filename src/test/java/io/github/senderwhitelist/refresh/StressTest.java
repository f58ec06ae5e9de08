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
 * Four threads that ask without pause while a list, by turns a text and a snapshot, is refreshed a
 * hundred times, or a thousand, and what is open afterwards. Before and after each check it is
 * known which generations may answer; the answer must be that of one of them.
 */
class StressTest extends ListTest {
    private static final int THREADS = 4;
    private static final int REFRESHES = Extent.of(100, 1_000);

    /** The newest generations that the file has, and that is certain to be active. */
    private volatile int begun;

    private volatile int ended;
    private volatile boolean stop;

    /** What the list says of a sender. */
    private enum Kind {
        ALWAYS,
        NEVER,
        SOMETIMES,
        /** Its domain is in the list, itself denied there at times. */
        SOMETIMES_DENIED
    }

    private static final List<Sender> SENDERS =
            IntStream.range(0, 400)
                    .mapToObj(i -> new Sender(Kind.values()[i % Kind.values().length], i))
                    .toList();

    private static String domain(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-') + ".example";
    }

    private record Sender(Kind kind, int number, Address address) {
        Sender(Kind kind, int number) {
            this(kind, number, SmallLists.address(number + "@" + domain(kind)));
        }

        /** Returns whether it has a line of its own in a generation. */
        boolean isNamed(int generation) {
            return switch (kind) {
                case ALWAYS -> true;
                case NEVER -> false;
                case SOMETIMES, SOMETIMES_DENIED ->
                        new SplittableRandom(generation * 1_000L + number).nextBoolean();
            };
        }

        boolean isListed(int generation) {
            return isNamed(generation) != (kind == Kind.SOMETIMES_DENIED);
        }
    }

    /** Puts a generation in place: snapshots, and texts that are renamed or overwritten. */
    private void put(int generation) throws IOException {
        String[] lines =
                Stream.concat(
                                Stream.of("@" + domain(Kind.SOMETIMES_DENIED)),
                                SENDERS.stream()
                                        .filter(each -> each.isNamed(generation))
                                        .map(each -> line(each)))
                        .toArray(String[]::new);
        if (generation % 4 != 1) {
            put(snapshot(lines));
        } else if (generation % 8 == 1) {
            write(lines);
        } else {
            put(lines);
        }
    }

    private static String line(Sender sender) {
        return (sender.kind == Kind.SOMETIMES_DENIED ? "!" : "") + sender.address;
    }

    private void requireOpen(int files) throws IOException {
        if (Handles.areTold()) {
            assertThat(Handles.files(folder.toString())).hasSize(files);
            assertThat(Handles.mappings(folder.toString())).isEmpty();
        }
    }

    @Test
    void shouldAnswerByTheOldListOrTheNewAndAfterwardsByTheNewOnly() throws Exception {
        put(0);
        SteppedList list =
                open(settings().build(SmallLists.LOOSE).cacheSize(100).maxShrink(1), Disk.LOCAL);
        requireOpen(1);
        PlainWhitelist whitelist = new PlainWhitelist(List.of(list), Subaddressing.NONE);
        List<Future<long[]>> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom random = new SplittableRandom(i);
                answers.add(threads.submit(() -> ask(whitelist, random)));
            }
            try {
                for (int refresh = 1; refresh <= REFRESHES; refresh++) {
                    Generation before = list.current();
                    put(refresh);
                    begun = refresh;
                    for (int seconds = 0; list.current() == before; seconds++) {
                        assertThat(seconds).isLessThan(30);
                        list.pass(SOON);
                    }
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
        assertThat(list.refusals()).isEmpty();
        requireOpen(1);
        list.close();
        requireOpen(0);
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
