package io.github.senderwhitelist.living;

import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.disk.FaultyDisk;
import io.github.senderwhitelist.disk.FaultyDisk.Fault;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.living.Follower.Owing;
import io.github.senderwhitelist.living.Follower.Setup;
import io.github.senderwhitelist.living.Follower.State;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Target;
import io.github.senderwhitelist.living.MemoryRecord.Moment;
import io.github.senderwhitelist.tools.Extent;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Servers that follow one record, at random: their steps are interleaved, break off and fail in
 * every place, and the database is restored between and within them. After each step, what a server
 * has acknowledged is active there; and a server that has read the log and owes nothing answers as
 * the record does.
 *
 * <p>{@code -Dsimulation.seeds=100000} runs as many seeds; {@code -Dsimulation.first=N} begins at
 * one. With SQLite there are a twentieth of them.
 */
@Tag("more")
class SimulationTest {
    private static final int SEEDS =
            Integer.getInteger("simulation.seeds", Extent.of(300, 2_000, 2_000));

    private static final int FIRST = Integer.getInteger("simulation.first", 0);
    private static final int STEPS = 40;

    private static final List<Key> SENDERS =
            List.of(key("a@x.example"), key("b@x.example"), key("@x.example"));
    private static final List<Key> RECIPIENTS =
            List.of(key("u@here.example"), key("@here.example"), key("@.here.example"));

    /** A failure on purpose. */
    private static final class Broken extends IOException {
        private static final long serialVersionUID = 1L;
    }

    /** One run. */
    private static final class World {
        final long seed;
        final Random random;

        /** The record, or with SQLite only what goes wrong with that. */
        final MemoryRecord memory;

        private final @Nullable Path folder;
        private @Nullable Database database;
        private int backups;
        final ListRecord record;
        final List<Server> servers = new ArrayList<>();
        final List<String> steps = new ArrayList<>();
        long nanos;
        @Nullable Object backup;

        private boolean isAway;

        int written;
        int restores;

        World(long seed, @Nullable Path folder) throws IOException {
            this.seed = seed;
            this.folder = folder;
            this.random = new Random(seed);
            this.memory = new MemoryRecord(random);
            this.record = folder == null ? memory : sqlite(folder);
        }

        private static Path file(Path folder) {
            return folder.resolve("lists.db");
        }

        /** Returns a record that fails at the same moments as that in memory, but for commits. */
        private ListRecord sqlite(Path folder) throws IOException {
            database = Database.sqlite(file(folder), Duration.ofSeconds(5));
            return (ListRecord)
                    Proxy.newProxyInstance(
                            ListRecord.class.getClassLoader(),
                            new Class<?>[] {ListRecord.class},
                            (proxy, method, arguments) -> {
                                ListRecord now = Objects.requireNonNull(database).record("own");
                                Object result;
                                try {
                                    result = method.invoke(now, arguments);
                                } catch (InvocationTargetException e) {
                                    throw e.getCause();
                                }
                                switch (method.getName()) {
                                    case "write" -> memory.faults.at(Moment.AFTER_COMMIT);
                                    case "log", "forEach" ->
                                            memory.faults.at(Moment.END_OF_READING);
                                    default -> {}
                                }
                                return result;
                            });
        }

        private Object backUp() throws Exception {
            if (folder == null) {
                return memory.backup();
            }
            Path copy = folder.resolve("backup" + backups++);
            try (Connection plain = DriverManager.getConnection("jdbc:sqlite:" + file(folder));
                    Statement statement = plain.createStatement()) {
                statement.execute("vacuum into '" + copy + "'");
            }
            return copy;
        }

        void close() {
            servers.forEach(server -> server.follower.close());
            if (database != null) {
                database.close();
            }
        }

        boolean chance(double share) {
            return random.nextDouble() < share;
        }

        void run() throws Exception {
            record.create();
            for (int i = 0; i < 2 + random.nextInt(2); i++) {
                servers.add(new Server(this, i));
            }
            for (int i = 0; i < STEPS; i++) {
                step();
            }
            for (Server server : servers) {
                server.settle();
            }
        }

        private void step() throws Exception {
            nanos += Duration.ofMillis(random.nextInt(8_000)).toNanos();
            Server server = servers.get(random.nextInt(servers.size()));
            int what = random.nextInt(100);
            steps.add(server.number + ":" + what);
            if (what < 34) {
                server.write();
            } else if (what < 42) {
                bulk();
            } else if (what < 46) {
                backup = backUp();
            } else if (what < 50 && backup != null) {
                restore(backup);
            } else if (what < 52) {
                memory.now = Instant.now().plus(Duration.ofDays(random.nextInt(1_400) - 700L));
            } else if (what < 54) {
                sweep();
            } else if (what < 56) {
                foreign();
            } else if (what < 58 && folder == null) {
                away(server);
            } else if (what < 72) {
                server.read(chance(0.3));
            } else if (what < 82) {
                server.between(server.follower::merge);
            } else if (what < 92) {
                server.between(server.follower::readTable);
            } else {
                server.restart();
            }
            for (Server each : servers) {
                each.requireAcknowledged();
                each.requireSameAsRecordIfQuiet();
            }
        }

        /** A command changes an entry, and asks no server. */
        private void foreign() throws IOException {
            Target target = target();
            Edit edit = new Edit(target, before -> List.of(rule(target.origin())));
            record.write(List.of(edit), "command");
            forget(target);
        }

        /** Only what is removed may be gone from a server. */
        private void sweep() throws IOException {
            Map<Target, List<Rule>> before = new HashMap<>();
            for (Server each : servers) {
                for (Target target : each.acknowledged.keySet()) {
                    before.put(target, present(target));
                }
            }
            record.sweep();
            for (Map.Entry<Target, List<Rule>> each : before.entrySet()) {
                if (!present(each.getKey()).equals(each.getValue())) {
                    forget(each.getKey());
                }
            }
        }

        /** The database, or the list in it, is gone for a moment, in which a server may start. */
        private void away(Server server) throws IOException {
            Object all = memory.backup();
            isAway = true;
            if (chance(0.5)) {
                memory.away = "gone";
            } else {
                memory.drop();
            }
            server.write();
            server.read(false);
            server.requireAcknowledged();
            if (chance(0.5)) {
                server.restart();
                server.write();
            }
            isAway = false;
            memory.away = null;
            memory.restore(all);
        }

        List<Rule> present(Target target) throws IOException {
            if (isAway) {
                return List.of();
            }
            Entry there = record.find(target.sender(), target.to());
            return there == null ? List.of() : there.rulesOf(target.origin());
        }

        Target target() {
            Key sender = SENDERS.get(random.nextInt(SENDERS.size()));
            int recipient = random.nextInt(RECIPIENTS.size() + 1) - 1;
            Key to = recipient < 0 ? null : RECIPIENTS.get(recipient);
            Origin origin =
                    recipient == 0 && !sender.isDomain()
                            ? List.of(Origin.values()).get(random.nextInt(3))
                            : Origin.ADMIN;
            return new Target(origin, sender, to);
        }

        /** A command puts entries in parts, and is perhaps killed. */
        private void bulk() throws IOException {
            for (int part = 0; part < 1 + random.nextInt(2); part++) {
                List<Entry> entries = new ArrayList<>();
                for (Key sender : SENDERS) {
                    entries.add(new Entry(sender, null, List.of(rule(Origin.ADMIN))));
                }
                record.load(entries, chance(0.5));
                entries.forEach(entry -> forget(Target.of(entry)));
            }
            if (chance(0.6)) {
                record.endLoad();
            }
        }

        void restore(Object to) throws IOException {
            if (folder == null) {
                memory.restore(to);
            } else {
                Objects.requireNonNull(database).close();
                for (String end : List.of("", "-wal", "-shm")) {
                    Files.deleteIfExists(Path.of(file(folder) + end));
                }
                Files.copy((Path) to, file(folder));
                database = Database.sqlite(file(folder), Duration.ofSeconds(5));
            }
            restores++;
            servers.forEach(each -> each.acknowledged.clear());
        }

        Rule rule(Origin origin) {
            return new Rule(
                    origin != Origin.LEARNED && chance(0.2),
                    null,
                    chance(0.2) ? Instant.parse("2026-01-01T00:00:00Z") : null,
                    null,
                    origin,
                    "n" + written++);
        }

        /** Nobody knows any more what others know of an entry. */
        void forget(Target target) {
            servers.forEach(each -> each.acknowledged.remove(target));
        }
    }

    /** A server that is driven step by step. */
    private static final class Server {
        final World world;
        final int number;
        final Path file;

        /** What the server has acknowledged and nobody has changed since. */
        final Map<Target, List<Rule>> acknowledged = new HashMap<>();

        private final MemoryDisk files = new MemoryDisk();
        private FaultyDisk disk;
        private Meanwhile onDisk = isLocked -> {};
        private Follower follower;

        /** Whether a base is made, which the server does one at a time. */
        private boolean isMaking;

        Server(World world, int number) {
            this.world = world;
            this.number = number;
            this.file = Path.of("/work/" + number + ".base");
            start();
        }

        private void start() {
            disk =
                    new FaultyDisk(files) {
                        @Override
                        protected void before(Call call, Path path) throws IOException {
                            onDisk.come(false);
                        }
                    };
            LivingSettings settings =
                    TestLivingLists.settings("own", Duration.ofSeconds(2), Duration.ofSeconds(30));
            follower =
                    new Follower(
                            new Setup(
                                    settings,
                                    world.record,
                                    disk,
                                    file,
                                    new ListCounters(),
                                    new LivingListener() {},
                                    6_000 + Changes.BITS / Byte.SIZE,
                                    () -> world.nanos++,
                                    () -> world.memory.now));
            try {
                if (!follower.resume()) {
                    follower.readTable();
                }
            } catch (IOException e) {
                // It knows nothing until the table can be read.
            }
        }

        void restart() {
            acknowledged.clear();
            start();
        }

        /** Reads the log; the reading may break off at its end. */
        void read(boolean breaks) {
            with(
                    moment -> {
                        if (breaks && moment == Moment.END_OF_READING) {
                            throw new Broken();
                        }
                    },
                    follower::read);
        }

        /** Takes a step with a database or disk that fails on purpose. */
        private void with(MemoryRecord.Faults faults, Step step) {
            MemoryRecord.Faults before = world.memory.faults;
            world.memory.faults = faults;
            try {
                step.run();
            } catch (IOException | FaultyDisk.Crash e) {
                // Refused, or not known here yet.
            } finally {
                world.memory.faults = before;
            }
        }

        /** Runs something that takes long: others write and restore while it does. */
        void between(Step step) {
            if (world.chance(0.1)) {
                disk.arm(Fault.FULL, world.random.nextInt(30), true);
            } else if (world.chance(0.1)) {
                disk.arm(Fault.CRASH, world.random.nextInt(60), true);
            }
            int at = world.random.nextInt(12);
            int[] calls = {0};
            MemoryRecord.Faults before = world.memory.faults;
            boolean breaks = world.chance(0.2);
            Meanwhile others =
                    isLocked -> {
                        if (calls[0]++ == at) {
                            MemoryRecord.Faults now = world.memory.faults;
                            world.memory.faults = before;
                            meanwhile(isLocked);
                            world.memory.faults = now;
                        }
                    };
            onDisk = others;
            isMaking = true;
            with(
                    moment -> {
                        boolean isEnd = moment == Moment.END_OF_READING;
                        if (isEnd || moment == Moment.VISIT) {
                            others.come(isEnd);
                        }
                        if (isEnd && breaks) {
                            throw new Broken();
                        }
                    },
                    step);
            onDisk = isLocked -> {};
            isMaking = false;
            disk.arm(null, 0, false);
            if (isDead()) {
                restart();
            }
        }

        /**
         * Has others do something.
         *
         * @param isLocked whether this server changes its state now, so that it waits itself
         */
        private void meanwhile(boolean isLocked) throws IOException {
            if (world.chance(0.2) && world.backup != null) {
                world.restore(world.backup);
            }
            Server other = world.servers.get(world.random.nextInt(world.servers.size()));
            if (!isLocked || other != this) {
                other.write();
            }
            if (world.chance(0.3)) {
                world.bulk();
            }
        }

        private boolean isDead() {
            try {
                disk.state(file);
                return false;
            } catch (FaultyDisk.Crash e) {
                return true;
            }
        }

        /**
         * Edits one or two entries. The commit may fail, its answer be lost, or the server merge
         * before it takes it.
         */
        void write() throws IOException {
            List<Edit> edits = new ArrayList<>();
            Map<Target, List<Rule>> wanted = new HashMap<>();
            for (int i = 0; i < 1 + world.random.nextInt(2); i++) {
                Target target = world.target();
                List<Rule> rules =
                        world.chance(0.3) ? List.of() : List.of(world.rule(target.origin()));
                if (world.chance(0.3)) {
                    rules = world.present(target);
                }
                List<Rule> now = rules;
                edits.add(new Edit(target, before -> now));
                wanted.put(target, now);
                world.forget(target);
            }
            int restores = world.restores;
            with(
                    failing(),
                    () -> {
                        follower.write(edits, "test");
                        // What was restored after the commit has lost it, acknowledged or not.
                        if (world.restores == restores) {
                            acknowledged.putAll(wanted);
                        }
                    });
        }

        private MemoryRecord.Faults failing() {
            int fault = world.random.nextInt(20);
            return moment -> {
                boolean isAfter = moment == Moment.AFTER_COMMIT;
                if (fault == 0 ? moment == Moment.BEFORE_COMMIT : fault == 1 && isAfter) {
                    throw new Broken();
                }
                if (fault == 2 && isAfter && world.backup != null) {
                    world.restore(world.backup);
                }
                if (fault == 3 && isAfter && !isMaking) {
                    follower.merge();
                }
            };
        }

        private @Nullable Entry answer(Key sender, @Nullable Key to) throws IOException {
            Generation base = Objects.requireNonNull(follower.state()).base();
            try {
                if (!base.mightContain(sender)) {
                    return null;
                }
                return base.find(sender, to);
            } catch (RetiredException e) {
                throw new AssertionError(e);
            }
        }

        void requireAcknowledged() throws IOException {
            for (Map.Entry<Target, List<Rule>> each : acknowledged.entrySet()) {
                Target target = each.getKey();
                Entry found = answer(target.sender(), target.to());
                List<Rule> rules = found == null ? List.of() : found.rulesOf(target.origin());
                assertThat(rules).as(() -> where() + target).isEqualTo(each.getValue());
            }
        }

        /** Reads all, and answers as the record does. */
        void settle() throws IOException {
            for (int i = 0; i < 4 && follower.isFull(); i++) {
                follower.merge();
            }
            follower.read();
            requireAcknowledged();
            world.nanos += Duration.ofMinutes(11).toNanos();
            if (follower.mustReadTable()) {
                assertThat(follower.readTable()).isTrue();
            }
            requireSameAsRecord();
            requireAcknowledged();
            follower.merge();
            requireSameAsRecord();
        }

        /** A server that owes nothing, and has read all, answers as the record does. */
        void requireSameAsRecordIfQuiet() throws IOException {
            State state = follower.state();
            if (state != null
                    && state.owing() == Owing.NOTHING
                    && state.position().equals(world.record.last())) {
                requireSameAsRecord();
            }
        }

        private void requireSameAsRecord() throws IOException {
            State state = Objects.requireNonNull(follower.state());
            Supplier<String> as = this::where;
            assertThat(state.owing()).as(as).isEqualTo(Owing.NOTHING);
            assertThat(state.position()).as(as).isEqualTo(world.record.last());
            List<Entry> all = world.record.page(null, 100_000);
            assertThat(state.base().header().entries() + state.changes().entries())
                    .as(as)
                    .isEqualTo(all.size());
            for (Key sender : SENDERS) {
                Entry head = world.record.find(sender, null);
                Entry answer = answer(sender, null);
                Set<RecipientKind> kinds = head == null ? Set.of() : head.kinds();
                assertThat(rules(answer)).as(as).isEqualTo(rules(head));
                assertThat(answer == null ? Set.of() : answer.kinds()).as(as).containsAll(kinds);
                for (Key to : RECIPIENTS) {
                    assertThat(rules(answer(sender, to)))
                            .as(() -> where() + sender + " " + to)
                            .isEqualTo(rules(world.record.find(sender, to)));
                }
            }
            boolean personal =
                    all.stream()
                            .anyMatch(
                                    each ->
                                            each.rulesOf(Origin.ADMIN).size()
                                                    < each.rules().size());
            assertThat(state.base().hasPersonal() || !personal).as(as).isTrue();
        }

        /** Returns what has happened so far. */
        private String where() {
            return "seed " + world.seed + ", server " + number + ", " + world.steps + ": ";
        }

        private static List<Rule> rules(@Nullable Entry entry) {
            return entry == null ? List.of() : RulesCodec.ordered(entry.rules());
        }
    }

    /** A moment within a step, when others may do something. */
    private interface Meanwhile {
        void come(boolean isLocked) throws IOException;
    }

    private interface Step {
        void run() throws IOException;
    }

    private static void run(long seed, @Nullable Path folder) throws Exception {
        World world = new World(seed, folder);
        try {
            world.run();
        } catch (Exception e) {
            throw new AssertionError("seed " + seed + ": " + world.steps, e);
        } finally {
            world.close();
        }
    }

    @Test
    void serversShouldAnswerWhatIsTrue() throws Exception {
        for (int seed = FIRST; seed < FIRST + SEEDS; seed++) {
            run(seed, null);
        }
    }

    @Test
    void serversShouldAnswerWhatIsTrueWithSqlite(@TempDir Path folder) throws Exception {
        for (int seed = FIRST; seed < FIRST + SEEDS / 20; seed++) {
            run(seed, Files.createDirectory(folder.resolve("seed" + seed)));
        }
    }
}
