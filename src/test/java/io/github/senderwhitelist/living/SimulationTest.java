package io.github.senderwhitelist.living;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.ListCounters.LookupTimer;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.decision.SmallLists;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.living.EntryTable.Target;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Several servers on one table, whose steps are interleaved at random: polls, builds, changes of
 * three origins, imports, erasures, questions, restarts, a table that is down, crashes, or is
 * restored. Whatever a server answers must have been true since it last read the feed, and since
 * its own last change. The feed must have every change once.
 */
class SimulationTest {
    private static final int SEEDS = Extent.of(2_000, 100_000);
    private static final int EVENTS = 120;
    private static final int DEPTH = 3;
    private static final int STEPS_SHOWN = 40;
    private static final FilterSize SIZE = FilterSize.ofBitsPerKey(40);
    private static final Duration STALENESS = Duration.ofSeconds(30);

    private static final List<Key> SENDERS =
            Stream.of("sender0@example.com", "sender1@example.com", "sender2@example.com")
                    .map(SimulationTest::key)
                    .toList();

    private static final List<Key> RECIPIENTS =
            List.of(
                    key("sam@here.example"),
                    key("max@here.example"),
                    Key.of(new byte[0], "here.example".getBytes(US_ASCII)));

    private static final Set<String> FAILURES = Set.of("down", "locked", "lost by a restart");

    private static Key key(String address) {
        return SmallLists.address(address).key();
    }

    /** One run, which a seed decides. */
    private static final class Simulation implements SimTable.World {
        final SplittableRandom random;
        final Truth truth = new Truth(SENDERS, RECIPIENTS);
        final SimTable table;
        final List<Server> servers = new ArrayList<>();
        final List<FeedCheck> feeds = new ArrayList<>();
        final List<SimTable.Import> imports = new ArrayList<>();

        /** Transactions that stay open. */
        final List<SimTable.Transaction> held = new ArrayList<>();

        /** When the last change of each line became visible. */
        final Map<String, Long> written = new HashMap<>();

        /** When each recipient's history was last erased. */
        final Map<Key, Long> erased = new HashMap<>();

        /** The last things that happened. */
        final Deque<Step> steps = new ArrayDeque<>();

        long nanos;
        int depth;
        int versions;
        @Nullable Backup backup;

        /** A backup, and what was true then. */
        private record Backup(SimTable.State table, Truth.Backup truth, long nanos) {}

        Simulation(long seed, Flaw flaw) {
            random = new SplittableRandom(seed);
            table = new SimTable(flaw, this);
            for (int i = 0; i < 3; i++) {
                servers.add(new Server("server " + i));
                feeds.add(new FeedCheck(table, truth));
            }
        }

        @Override
        public long nanos() {
            return nanos;
        }

        @Override
        public void changed(Target about, List<Rule> rules, boolean inFeed) {
            truth.changed(about, rules, inFeed);
            for (Rule rule : rules) {
                written.put(rule.line(about.sender(), about.to()), truth.moment());
            }
            if (!inFeed) {
                truth.imports(nanos);
            }
            note("visible", about, rules);
        }

        @Override
        public void imported() {
            truth.importEnded();
            note("an import has ended");
        }

        /** Something that happened, and what with. */
        private record Step(long moment, int depth, String what, List<Object> with) {
            @Override
            public String toString() {
                return moment + "  ".repeat(depth + 1) + what + with;
            }
        }

        void note(String what, Object... with) {
            steps.addLast(new Step(truth.moment(), depth, what, List.of(with)));
            if (steps.size() > STEPS_SHOWN) {
                steps.removeFirst();
            }
        }

        void run() {
            for (int i = 0; i < EVENTS; i++) {
                event();
            }
        }

        @Override
        public void meanwhile() {
            truth.next();
            while (depth < DEPTH && random.nextInt(4) == 0) {
                depth++;
                event();
                depth--;
            }
        }

        void event() {
            truth.next();
            Server server = any(servers);
            switch (random.nextInt(64)) {
                case 0, 1, 2, 3, 4 -> pass(Duration.ofSeconds(3));
                case 5, 6 -> pass(STALENESS);
                case 7 -> table.down = !table.down;
                case 8, 9 -> table.down = false;
                case 10 -> server.restart();
                case 11 -> table.crash();
                case 12 -> backup = new Backup(table.backup(), truth.backup(), nanos);
                case 13, 14 -> restore();
                case 15, 16 -> forget();
                case 17, 18, 19 -> hold();
                case 20, 21, 22 -> release();
                case 23, 24, 25, 26 -> bulk();
                case 27, 28 -> server.erase(any(RECIPIENTS));
                case 29, 30 -> history(any(SENDERS));
                case 31, 32, 33, 34, 35, 36, 37, 38, 39 -> server.change();
                case 40, 41, 42, 43, 44, 45, 46, 47 -> server.poll();
                case 48, 49, 50, 51 -> server.build();
                case 52, 53 -> server.keep();
                case 54, 55, 56 -> attempt(any(feeds)::read);
                default -> server.check();
            }
        }

        /** Something that a table does or refuses. */
        private interface Attempt {
            void run() throws IOException;
        }

        /** Something that a server does to its table. */
        private interface Change {
            void on(Follower follower) throws IOException;
        }

        /** Returns whether it was done. */
        private static boolean attempt(Attempt attempt) {
            try {
                attempt.run();
                return true;
            } catch (IOException e) {
                assertThat(FAILURES).contains(e.getMessage());
                return false;
            }
        }

        <T> T any(List<T> all) {
            return all.get(random.nextInt(all.size()));
        }

        Target target() {
            int to = random.nextInt(RECIPIENTS.size() + 1);
            return new Target(
                    any(List.of(Origin.values())),
                    any(SENDERS),
                    to == RECIPIENTS.size() ? null : RECIPIENTS.get(to));
        }

        Rule rule(Origin origin) {
            return new Rule(random.nextInt(4) == 0, null, null, null, origin, "v" + versions++);
        }

        Entry entry(Target about) {
            return new Entry(about.sender(), about.to(), List.of(rule(about.origin())));
        }

        /** Returns another rule beside one that is there, and none in place of two. */
        static List<Rule> more(List<Rule> before, Rule rule) {
            return switch (before.size()) {
                case 0 -> List.of(rule);
                case 1 -> List.of(before.getFirst(), rule);
                default -> List.of();
            };
        }

        void pass(Duration most) {
            long before = nanos;
            nanos += random.nextLong(most.toNanos());
            truth.passes(before, nanos);
        }

        void restore() {
            if (backup != null
                    && nanos - backup.nanos() < SimTable.LONGEST.toNanos()
                    && random.nextInt(3) == 0) {
                table.restore(backup.table());
                truth.restore(backup.truth());
                erased.clear();
                servers.forEach(server -> server.ahead = Math.min(server.ahead, server.polled));
                note("restored");
            }
        }

        void forget() {
            if (table.forget()) {
                truth.forgets();
                note("forgotten");
            }
        }

        /** Somebody changes entries, or nothing, and does not commit it yet. */
        void hold() {
            SimTable.Transaction transaction = table.begin();
            held.add(transaction);
            for (int i = random.nextInt(3); i > 0; i--) {
                Target about = target();
                List<Rule> rules = List.of(rule(about.origin()));
                attempt(() -> transaction.change(about, before -> rules, "somebody"));
            }
        }

        void release() {
            if (!held.isEmpty()) {
                SimTable.Transaction transaction = held.remove(random.nextInt(held.size()));
                if (random.nextInt(4) == 0) {
                    transaction.rollBack();
                } else {
                    attempt(transaction::commit);
                }
            }
        }

        /** An import begins, puts entries, ends, or dies. */
        void bulk() {
            if (imports.isEmpty() || random.nextInt(12) == 0) {
                imports.add(table.new Import());
            }
            SimTable.Import some = any(imports);
            switch (random.nextInt(8)) {
                case 0, 1 -> {
                    imports.remove(some);
                    attempt(some::end);
                }
                case 2 -> imports.remove(some);
                default -> attempt(() -> some.put(List.of(entry(target()), entry(target()))));
            }
        }

        /** Nothing is left in the history from before it was erased. */
        void history(Key sender) {
            Map<Key, Long> before = Map.copyOf(erased);
            int restores = truth.restores();
            attempt(
                    () -> {
                        for (PastChange past : table.history(sender, Integer.MAX_VALUE)) {
                            if (restores == truth.restores()) {
                                before.forEach((to, moment) -> mustBeNewer(past, to, moment));
                            }
                        }
                    });
        }

        void mustBeNewer(PastChange past, Key to, long moment) {
            for (String line : past.lines()) {
                if (past.key().endsWith(" to=" + to) && written.getOrDefault(line, 0L) < moment) {
                    throw new AssertionError(past + " was erased at " + moment);
                }
            }
        }

        /** A server, which may be restarted. */
        final class Server {
            final String name;
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

            /** When the last poll began before a restore that it may not have noticed. */
            long ahead = Long.MAX_VALUE;

            Server(String name) {
                this.name = name;
            }

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
                    ahead = Long.MAX_VALUE;
                    resume();
                    note("started", name);
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
                long began = truth.moment();
                long beganNanos = nanos;
                int imports = truth.imports();
                boolean dead = truth.isImportDead(nanos);
                if (attempt(follower::poll)) {
                    polled = began;
                    polledNanos = beganNanos;
                    if (dead && imports == truth.imports()) {
                        truth.announce(began);
                    }
                    if (follower.filters() == null) {
                        ahead = Long.MAX_VALUE;
                    }
                    note("polled", name, began);
                }
                polling = false;
            }

            void build() {
                if (!building && !polling) {
                    building = true;
                    attempt(follower::build);
                    building = false;
                    note("built", name);
                }
            }

            void change() {
                Target one = target();
                List<Target> two = List.of(one, new Target(one.origin(), any(SENDERS), one.to()));
                Rule rule = rule(one.origin());
                switch (random.nextInt(6)) {
                    case 0 ->
                            change(
                                    List.of(one),
                                    on -> on.remove(one.origin(), one.sender(), one.to(), "one"));
                    case 1 -> change(two, on -> on.removeAll(two, "two"));
                    case 2 ->
                            change(two, on -> on.update(two, before -> more(before, rule), "two"));
                    case 3 -> {
                        List<Entry> entries = two.stream().map(each -> entry(each)).toList();
                        change(two, on -> on.putAll(entries, "two"));
                    }
                    default -> change(List.of(one), on -> on.put(entry(one), "one"));
                }
            }

            /** Changes entries, which this server knows if it has not been restarted meanwhile. */
            @SuppressWarnings("ReferenceEquality")
            void change(List<Target> targets, Change change) {
                Follower asked = follower;
                if (attempt(() -> change.on(asked)) && asked == follower) {
                    targets.forEach(each -> acknowledged.put(each.sender(), truth.moment()));
                }
            }

            /** Erases what is for a recipient. */
            void erase(Key to) {
                attempt(
                        () -> {
                            int restores = truth.restores();
                            List<Target> targets = new ArrayList<>();
                            for (Entry entry : table.entriesFor(to, 100)) {
                                for (Origin origin : Origin.values()) {
                                    targets.add(new Target(origin, entry.key(), to));
                                }
                            }
                            if (random.nextBoolean()) {
                                change(targets, on -> on.removeAll(targets, "erasure"));
                            }
                            long began = truth.moment();
                            table.forgetHistory(to);
                            if (restores == truth.restores()) {
                                erased.merge(to, began, Math::max);
                            }
                            note("erased", to);
                        });
            }

            /** A mail asks about a sender and recipients, and perhaps about another one later. */
            void check() {
                List<Key> senders = List.of(any(SENDERS), any(SENDERS));
                List<Key> recipients = RECIPIENTS.subList(random.nextInt(3), 3);
                Follower asked = follower;
                SenderLines mail = lines;
                boolean behind = nanos - polledNanos > STALENESS.toNanos();
                long began = truth.moment();
                long keptBefore = kept;
                long aheadBefore = ahead;
                Map<Key, Long> since = new HashMap<>();
                for (Key each : senders) {
                    since.put(
                            each,
                            behind ? began : Math.max(polled, acknowledged.getOrDefault(each, 0L)));
                }
                for (Key each : senders.subList(random.nextInt(2), 2)) {
                    attempt(
                            () -> {
                                boolean maybe = mail.mightContainAddress(each);
                                // Filters that were kept may turn strangers away before the table
                                // was reached.
                                long bound =
                                        maybe || asked.hasPolled()
                                                ? Objects.requireNonNull(since.get(each))
                                                : keptBefore;
                                ask(mail, maybe, new Pair(each, null), bound, aheadBefore);
                                for (Key to : recipients) {
                                    meanwhile();
                                    ask(mail, maybe, new Pair(each, to), bound, aheadBefore);
                                }
                            });
                    meanwhile();
                }
            }

            void ask(SenderLines mail, boolean maybe, Pair pair, long since, long aheadBefore)
                    throws IOException {
                try {
                    Entry found = maybe ? mail.find(pair.sender(), pair.to()) : null;
                    Timeline<Entry> timeline = truth.timeline(pair);
                    if (!timeline.mayBe(found, since, Math.min(ahead, aheadBefore))) {
                        throw new AssertionError(
                                name
                                        + " answered "
                                        + found
                                        + ", but since "
                                        + since
                                        + ": "
                                        + timeline);
                    }
                } catch (RetiredException e) {
                    throw new AssertionError(e);
                }
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
            run(seed, Flaw.NONE);
        }
    }

    private static void run(long seed, Flaw flaw) {
        Simulation simulation = new Simulation(seed, flaw);
        try {
            simulation.run();
        } catch (AssertionError e) {
            throw new AssertionError(
                    simulation.steps.stream()
                            .map(Object::toString)
                            .collect(
                                    Collectors.joining(
                                            "\n",
                                            "seed " + seed + ": " + e.getMessage() + ", after\n",
                                            "")),
                    e);
        }
    }

    /** A table that does less than it must makes wrong answers, which the simulation finds. */
    @Tag("large")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void shouldFindFlawsOfTables(Flaw flaw) {
        assertThat(LongStream.range(0, SEEDS).anyMatch(seed -> goesWrong(seed, flaw))).isTrue();
    }

    private static boolean goesWrong(long seed, Flaw flaw) {
        try {
            run(seed, flaw);
            return false;
        } catch (AssertionError e) {
            return true;
        }
    }
}
