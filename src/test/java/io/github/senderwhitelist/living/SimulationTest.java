package io.github.senderwhitelist.living;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.ListCounters.LookupTimer;
import io.github.senderwhitelist.decision.MailKeys;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.decision.SmallLists;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.living.Follower.Kept;
import io.github.senderwhitelist.living.SimTable.Flaw;
import io.github.senderwhitelist.tools.Extent;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Several servers on one table, whose steps are interleaved at random: polls, builds, changes,
 * questions, restarts, a table that is down, crashes, or is restored. Whatever a server answers
 * must have been true since it last read the feed, and since its own last change.
 */
class SimulationTest {
    private static final int SEEDS = Extent.of(2_000, 100_000);
    private static final int EVENTS = 120;
    private static final int DEPTH = 3;
    private static final FilterSize SIZE = FilterSize.ofBitsPerKey(10);
    private static final Duration STALENESS = Duration.ofSeconds(30);

    private static final List<Key> SENDERS =
            IntStream.range(0, 6)
                    .mapToObj(i -> SmallLists.address("sender" + i + "@example.com").key())
                    .toList();

    /** One run, which a seed decides. */
    private static final class Simulation {
        final SplittableRandom random;
        final SimTable table;
        final List<Server> servers = new ArrayList<>();

        /** What each sender had, by the ticks from which on it had it. */
        final Map<Key, List<Value>> values = new HashMap<>();

        long tick;
        long nanos;
        int depth;
        int versions;
        @Nullable Map<Key, Entry> backup;

        private record Value(long since, @Nullable Entry entry) {}

        Simulation(long seed, Flaw flaw) {
            random = new SplittableRandom(seed);
            table = new SimTable(flaw, this::meanwhile);
            table.committed = this::remember;
            SENDERS.forEach(this::remember);
            for (int i = 0; i < 3; i++) {
                servers.add(new Server());
            }
        }

        void remember(Key sender) {
            values.computeIfAbsent(sender, any -> new ArrayList<>())
                    .add(new Value(++tick, table.now(sender)));
        }

        void run() {
            for (int i = 0; i < EVENTS; i++) {
                event();
            }
        }

        void meanwhile() {
            tick++;
            while (depth < DEPTH && random.nextInt(4) == 0) {
                depth++;
                event();
                depth--;
            }
        }

        void event() {
            tick++;
            Server server = servers.get(random.nextInt(servers.size()));
            Key sender = SENDERS.get(random.nextInt(SENDERS.size()));
            switch (random.nextInt(42)) {
                case 0, 1, 2, 3, 4 -> nanos += random.nextLong(Duration.ofSeconds(3).toNanos());
                case 5 -> table.down = !table.down;
                case 6 -> table.down = false;
                case 7 -> server.restart();
                case 8 -> table.crash();
                case 9 -> backup = table.backup();
                case 10 -> {
                    if (backup != null && random.nextInt(4) == 0) {
                        table.restore(backup);
                    }
                }
                case 11 -> table.forget();
                case 12, 13, 14, 15, 16, 17 -> server.change(sender);
                case 18, 19, 20, 21, 22, 23, 24, 25 -> server.poll();
                case 26, 27, 28, 29 -> server.build();
                case 30, 31 -> server.keep();
                default -> server.check(sender);
            }
        }

        boolean had(Key sender, @Nullable Entry entry, long since) {
            List<Value> all = Objects.requireNonNull(values.get(sender));
            for (int i = all.size() - 1; i >= 0; i--) {
                if (Objects.equals(all.get(i).entry(), entry)) {
                    return true;
                }
                if (all.get(i).since() <= since) {
                    return false;
                }
            }
            return false;
        }

        /** A server, which may be restarted. */
        final class Server {
            final Map<Key, Long> acknowledged = new HashMap<>();
            Follower follower = follower();
            LivingLines lines = lines();
            long polled;
            long polledNanos = Long.MIN_VALUE / 2;
            boolean polling;
            boolean building;
            final FilterFile file = new FilterFile(new MemoryDisk(), Path.of("filters"));

            /** When the poll began whose position was kept. */
            long kept;

            Follower follower() {
                return new Follower(table, SIZE, 1, new Versions(), 2, () -> nanos);
            }

            LivingLines lines() {
                return new LivingLines(
                        new LivingSettings(
                                "test",
                                SIZE,
                                100,
                                Duration.ofHours(1),
                                Duration.ofSeconds(2),
                                STALENESS,
                                Duration.ofSeconds(1)),
                        follower,
                        table::findAll,
                        new ListCounters(LookupTimer.NONE));
            }

            void restart() {
                if (!polling && !building) {
                    follower = follower();
                    lines = lines();
                    polledNanos = Long.MIN_VALUE / 2;
                    resume();
                }
            }

            void resume() {
                try {
                    Kept found = random.nextBoolean() ? file.read(SIZE) : null;
                    if (found != null) {
                        follower.resume(found);
                    }
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }

            void keep() {
                long from = polled;
                Kept now = follower.toKeep();
                meanwhile();
                if (now != null && follower.hasPolled()) {
                    try {
                        file.write(now);
                        kept = from;
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                }
            }

            void poll() {
                if (polling) {
                    return;
                }
                polling = true;
                long began = tick;
                long beganNanos = nanos;
                try {
                    follower.poll();
                    polled = began;
                    polledNanos = beganNanos;
                } catch (IOException e) {
                    assertThat(table.down || e.getMessage() != null).isTrue();
                } finally {
                    polling = false;
                }
            }

            void build() {
                if (building || polling) {
                    return;
                }
                building = true;
                try {
                    follower.build();
                } catch (IOException e) {
                    assertThat(e).hasMessage("down");
                } finally {
                    building = false;
                }
            }

            void change(Key sender) {
                Follower asked = follower;
                try {
                    if (random.nextInt(3) == 0) {
                        asked.remove(Origin.ADMIN, sender, null, "test");
                    } else {
                        Rule rule =
                                new Rule(false, null, null, null, Origin.ADMIN, "v" + versions++);
                        Entry entry = new Entry(sender, null, List.of(rule));
                        if (versions % 2 == 0) {
                            asked.put(entry, "test");
                        } else {
                            asked.putAll(List.of(entry), "test");
                        }
                    }
                    if (isStill(asked)) {
                        acknowledged.put(sender, tick);
                    }
                } catch (IOException e) {
                    assertThat(e.getMessage()).isIn("down", "lost by a restart");
                }
            }

            /** What was under way when a server was restarted never came to an end there. */
            @SuppressWarnings("ReferenceEquality")
            boolean isStill(Follower asked) {
                return asked == follower;
            }

            /** A mail asks about a sender, and perhaps about another one later. */
            void check(Key sender) {
                Key other = SENDERS.get(random.nextInt(SENDERS.size()));
                List<Key> senders = random.nextBoolean() ? List.of(sender) : List.of(sender, other);
                Follower asked = follower;
                SenderLines mail = lines.forMail(new Mail(senders));
                boolean behind = nanos - polledNanos > STALENESS.toNanos();
                long began = tick;
                long keptBefore = kept;
                Map<Key, Long> since = new HashMap<>();
                for (Key each : senders) {
                    since.put(
                            each,
                            behind ? began : Math.max(polled, acknowledged.getOrDefault(each, 0L)));
                }
                for (Key each : senders) {
                    ask(mail, asked, each, since.getOrDefault(each, 0L), keptBefore);
                    meanwhile();
                }
            }

            void ask(SenderLines mail, Follower asked, Key sender, long bound, long keptBefore) {
                try {
                    boolean maybe = mail.mightContainAddress(sender);
                    // Filters that were kept may tell strangers before the table was reached.
                    long since = maybe || asked.hasPolled() ? bound : keptBefore;
                    Entry found = maybe ? mail.find(sender, null) : null;
                    if (!had(sender, found, since)) {
                        throw new AssertionError(
                                "told "
                                        + found
                                        + ", but since "
                                        + since
                                        + ": "
                                        + values.get(sender));
                    }
                } catch (IOException e) {
                    assertThat(e).hasMessage("down");
                } catch (RetiredException e) {
                    throw new AssertionError(e);
                }
            }
        }

        /** What a mail asks about. */
        private record Mail(List<Key> senders) implements MailKeys {
            @Override
            public List<Key> recipients() {
                return List.of();
            }
        }
    }

    @Test
    void shouldOnlyAnswerWhatIsTrue() {
        run(0, SEEDS / 10);
    }

    @Tag("large")
    @Test
    void shouldOnlyAnswerWhatIsTrueInManyRuns() {
        run(SEEDS / 10, SEEDS);
    }

    private static void run(long first, long end) {
        for (long seed = first; seed < end; seed++) {
            try {
                new Simulation(seed, Flaw.NONE).run();
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    /** A table that tells less than it must makes wrong answers, which the simulation finds. */
    @Tag("large")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void shouldFindFlawsOfTables(Flaw flaw) {
        assertThat(LongStream.range(0, SEEDS).anyMatch(seed -> goesWrong(seed, flaw))).isTrue();
    }

    private static boolean goesWrong(long seed, Flaw flaw) {
        try {
            new Simulation(seed, flaw).run();
            return false;
        } catch (AssertionError e) {
            return true;
        }
    }
}
