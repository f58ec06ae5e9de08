package io.github.senderwhitelist.living;

import static io.github.senderwhitelist.living.SimTable.KEPT;
import static io.github.senderwhitelist.living.SimTable.LONGEST;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.ListCounters.LookupTimer;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.disk.FaultyDisk;
import io.github.senderwhitelist.disk.FaultyDisk.Fault;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.living.BaseAndChanges.Since;
import io.github.senderwhitelist.living.EntryTable.Effect;
import io.github.senderwhitelist.living.EntryTable.Target;
import io.github.senderwhitelist.living.SimTable.Flaw;
import io.github.senderwhitelist.tools.Extent;
import io.github.senderwhitelist.tools.SmallLists;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
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
    private static final int SEEDS = Integer.getInteger("test.seeds", Extent.of(2_000, 100_000));
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

    private static final Set<String> FAILURES =
            Set.of(
                    "down",
                    "locked",
                    "lost by a restart",
                    "too many changes",
                    "still being read",
                    "put back",
                    "output error",
                    "died");

    private static final Path BASE = Path.of("/var/whitelist/test.base");

    /** Room for a few changes. */
    private static final long SMALL = 12_000;

    private static final LivingSettings SETTINGS =
            new LivingSettings(
                    "test",
                    SIZE,
                    100,
                    Duration.ofHours(1),
                    1 << 20,
                    Duration.ofSeconds(2),
                    STALENESS,
                    true);

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

        /** How often each entry was changed. */
        final Map<Target, Integer> changes = new HashMap<>();

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
                feeds.add(new FeedCheck(table, truth, () -> nanos));
            }
        }

        @Override
        public long nanos() {
            return nanos;
        }

        @Override
        public void changed(Target about, List<Rule> rules, boolean inFeed) {
            truth.changed(about, rules, inFeed);
            changes.merge(about, 1, Integer::sum);
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

        @Override
        public void importsInstead() {
            truth.breaks();
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
                case 52, 53 -> server.build();
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
            List<Effect> on(Follower follower) throws IOException;
        }

        /** Returns whether it was done. */
        private static boolean attempt(Attempt attempt) {
            try {
                attempt.run();
                return true;
            } catch (IOException e) {
                String message = String.valueOf(e.getMessage());
                if (FAILURES.stream().noneMatch(message::contains)) {
                    throw new AssertionError(message, e);
                }
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
                    && nanos - backup.nanos() < LONGEST.toNanos()
                    && random.nextInt(3) == 0) {
                table.restore(backup.table());
                truth.restore(backup.truth());
                erased.clear();
                servers.forEach(server -> server.isAheadOfRestore = true);
                note("restored");
            }
        }

        void forget() {
            if (table.forget()) {
                truth.forgets();
                servers.forEach(Server::forget);
                feeds.forEach(FeedCheck::forget);
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
            final MemoryDisk memory = new MemoryDisk();
            final FaultyDisk disk = new FaultyDisk(memory);

            /** When each entry was last changed by this server, and in force. */
            final Map<Target, Long> acknowledged = new HashMap<>();

            Follower follower = follower();
            BaseMaker maker = maker();
            long polled;

            /** When the last poll began, by the clock. */
            long polledAt;

            /** The moment since which what is in force knows all. */
            long known;

            /** Own writes during which the table may have been put back. */
            final List<OwnWrite> writes = new ArrayList<>();

            /** As {@link Timeline#mayBe} takes it. */
            long ahead = Long.MAX_VALUE;

            /** Whether the table was put back since the last poll. */
            boolean isAheadOfRestore;

            boolean polling;
            boolean building;

            Server(String name) {
                this.name = name;
            }

            private Follower follower() {
                return new Follower(
                        table,
                        random::nextLong,
                        () -> nanos,
                        () -> Instant.ofEpochMilli(truth.moment()),
                        random.nextInt(4) == 0 ? SMALL : Follower.MOST_BYTES,
                        Duration.ZERO,
                        why -> {
                            throw new AssertionError(why);
                        });
            }

            private BaseMaker maker() {
                return new BaseMaker(
                        SETTINGS,
                        disk,
                        BASE,
                        table,
                        follower,
                        new ListCounters(LookupTimer.NONE),
                        new LivingListener() {});
            }

            /**
             * What was lost by a restore before the last poll cannot be told from what is old. If
             * that poll is older than the feed is kept beside a long transaction, neither can what
             * it has read.
             */
            void forget() {
                if (isAheadOfRestore) {
                    boolean isOld = nanos - polledAt > KEPT.minus(LONGEST).toNanos();
                    ahead = Math.min(ahead, isOld ? -1 : polled);
                }
            }

            @Nullable BaseAndChanges followed() {
                BaseAndChanges now = follower.inForce();
                return now != null && now.isFollowed() ? now : null;
            }

            void restart() {
                if (polling || building) {
                    return;
                }
                follower.close();
                follower = follower();
                maker = maker();
                acknowledged.clear();
                ahead = Long.MAX_VALUE;
                if (random.nextInt(4) == 0) {
                    attempt(() -> memory.delete(BASE));
                }
                try {
                    maker.resume();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                BaseAndChanges now = follower.inForce();
                known = now == null ? 0 : now.since().asOf();
                polled = known;
                note("started", name, known, now != null);
            }

            void poll() {
                if (polling) {
                    return;
                }
                polling = true;
                long began = truth.moment();
                long beganAt = nanos;
                int imports = truth.imports();
                boolean dead = truth.isImportDead(nanos);
                if (attempt(follower::poll)) {
                    polled = began;
                    polledAt = beganAt;
                    isAheadOfRestore = false;
                    if (dead && imports == truth.imports()) {
                        truth.announce(began);
                    }
                    if (followed() != null) {
                        known = began;
                    }
                    note("polled", name, began, followed() != null);
                }
                polling = false;
            }

            /** Makes a base, which may fail at any step. */
            void build() {
                if (building || polling) {
                    return;
                }
                building = true;
                if (random.nextInt(4) == 0) {
                    disk.arm(Fault.ERROR, random.nextInt(60), false);
                }
                try {
                    if (follower.mustStream()) {
                        Since since = Objects.requireNonNull(follower.next());
                        note("streams", name);
                        make(since, () -> maker.stream(since));
                    } else if (followed() != null) {
                        BaseAndChanges from = Objects.requireNonNull(followed());
                        Since since = follower.begin();
                        if (since != null) {
                            note("folds", name);
                            make(since, () -> maker.fold(from, since, follower::pollAgain));
                            follower.giveUp(since);
                        }
                    }
                } finally {
                    disk.disarm();
                    building = false;
                }
            }

            void make(Since since, Making making) {
                boolean[] inForce = new boolean[1];
                boolean done = attempt(() -> inForce[0] = making.run());
                if (inForce[0]) {
                    known = polled;
                }
                note("made", name, done, inForce[0], since.asOf());
            }

            void change() {
                Target one = target();
                List<Target> two = List.of(one, new Target(one.origin(), any(SENDERS), one.to()));
                Rule rule = rule(one.origin());
                switch (random.nextInt(6)) {
                    case 0 -> change(List.of(one), on -> on.removeAll(List.of(one), "one"));
                    case 1 -> change(two, on -> on.removeAll(two, "two"));
                    case 2 ->
                            change(two, on -> on.update(two, before -> more(before, rule), "two"));
                    case 3 -> {
                        List<Entry> entries = two.stream().map(each -> entry(each)).toList();
                        change(two, on -> on.putAll(entries, "two"));
                    }
                    default -> change(List.of(one), on -> on.putAll(List.of(entry(one)), "one"));
                }
            }

            /**
             * Changes entries, which are in force if the feed goes on, and nothing restarted. What
             * others change at the same time is known with a poll.
             */
            @SuppressWarnings("ReferenceEquality")
            void change(List<Target> targets, Change change) {
                Follower asked = follower;
                Map<Target, Integer> expected = new HashMap<>(changes);
                int restores = truth.restores();
                OwnWrite write = new OwnWrite(targets, truth.moment(), restores);
                writes.add(write);
                attempt(
                        () -> {
                            List<Effect> effects = change.on(asked);
                            for (int i = 0; i < targets.size(); i++) {
                                int own = effects.get(i) == Effect.NONE ? 0 : 1;
                                expected.merge(targets.get(i), own, Integer::sum);
                            }
                            for (Target each : targets) {
                                boolean isAlone =
                                        Objects.equals(
                                                expected.get(each), changes.getOrDefault(each, 0));
                                if (isAlone
                                        && restores == truth.restores()
                                        && asked == follower
                                        && followed() != null) {
                                    acknowledged.put(each, truth.moment());
                                }
                            }
                        });
                if (restores == truth.restores()) {
                    writes.remove(write);
                }
                write.ended = truth.moment();
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
                BaseAndChanges now = follower.inForce();
                if (now == null) {
                    return;
                }
                List<Key> senders = List.of(any(SENDERS), any(SENDERS));
                Generation mail = now.generation();
                long aheadBefore = ahead;
                long knownBefore = known;
                Bound since = new Bound(knownBefore, Map.copyOf(acknowledged));
                for (Key each : senders.subList(random.nextInt(2), 2)) {
                    try {
                        ask(mail, each, since, aheadBefore);
                    } catch (RetiredException e) {
                        return; // A mail asks what is in force by then.
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                    meanwhile();
                }
            }

            void ask(Generation mail, Key sender, Bound since, long aheadBefore)
                    throws IOException, RetiredException {
                boolean maybe = mail.mightContainAddress(sender);
                Entry head = maybe ? mail.find(sender, null) : null;
                requireTrue(mail, sender, null, head, since, aheadBefore);
                for (Key to : RECIPIENTS) {
                    meanwhile();
                    boolean mayHave = head != null && head.kinds().contains(RecipientKind.of(to));
                    Entry found = mayHave ? mail.find(sender, to) : null;
                    requireTrue(mail, sender, to, found, since, aheadBefore);
                }
            }

            void requireTrue(
                    Generation mail,
                    Key sender,
                    @Nullable Key to,
                    @Nullable Entry found,
                    Bound bound,
                    long before) {
                List<Rule> rules = found == null ? List.of() : found.rules();
                if (rules.stream().anyMatch(rule -> rule.origin() != Origin.ADMIN)
                        && !mail.hasPersonal()) {
                    throw new AssertionError(name + " has no personal lines, but " + rules);
                }
                for (Origin origin : Origin.values()) {
                    List<Rule> ofOrigin =
                            rules.stream().filter(rule -> rule.origin() == origin).toList();
                    Target about = new Target(origin, sender, to);
                    Timeline<List<Rule>> timeline = truth.known(about);
                    long since = bound.of(about);
                    for (OwnWrite write : writes) {
                        if (write.isPutBack(about) && bound.known < write.ended) {
                            since = Math.min(since, write.began);
                        }
                    }
                    if (!timeline.mayBe(ofOrigin, since, Math.min(ahead, before))) {
                        throw new AssertionError(
                                "%s answered %s for %s, %s, %s, but since %s: %s"
                                        .formatted(
                                                name, ofOrigin, sender, to, origin, since,
                                                timeline));
                    }
                }
            }
        }

        /**
         * A write by a server. If the table is put back between commit and acknowledgement, what
         * was written is in force until the next poll.
         */
        private final class OwnWrite {
            final List<Target> targets;
            final long began;
            final int restores;
            long ended = Long.MAX_VALUE;

            OwnWrite(List<Target> targets, long began, int restores) {
                this.targets = targets;
                this.began = began;
                this.restores = restores;
            }

            boolean isPutBack(Target about) {
                return targets.contains(about) && restores != truth.restores();
            }
        }

        /** Since when a server must know all, and what it has changed itself. */
        private record Bound(long known, Map<Target, Long> acknowledged) {
            long of(Target about) {
                return Math.max(known, acknowledged.getOrDefault(about, 0L));
            }
        }

        /** Something that makes a base. */
        private interface Making {
            boolean run() throws IOException;
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
