package io.github.senderwhitelist.bench;

import static java.util.Objects.requireNonNull;

import com.google.common.math.Quantiles;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.LogRows;
import io.github.senderwhitelist.living.ListRecord.Position;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingSettings;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The record of a living list: the time in which all its entries are streamed, the changes that are
 * acknowledged in a second beside a bare loop of the same statements, the bytes of a change in the
 * history, and the time of a poll beside a transaction that stays open. Options: n (pairs that are
 * there before, 10^6), rounds (3), only (sqlite, postgres), dir, and file: a folder in which this
 * has put such a database, to be used once more. The heap is that of {@code -Dbench.heap}.
 */
final class RecordBench {
    private static final String NAME = "own";
    private static final Duration PHASE = Duration.ofSeconds(8);
    private static final int BEHIND = 100_000;
    private static final int POLLS = 100;

    private static final String LOCK =
            "update whitelist_list set seq = seq where name = ? returning id, seq";
    private static final String BEFORE =
            "select sender, recipient, rules from whitelist_entry where list = ? and sender = ?"
                    + " and recipient = ?";
    private static final String END = "update whitelist_list set seq = ? where id = ?";
    private static final List<String> PUT =
            List.of(
                    "insert into whitelist_entry(list, sender, recipient, rules) values (?, ?, ?,"
                            + " '')",
                    "insert into whitelist_log(list, sender, recipient, seq, token, kind, at)"
                            + " values (?, ?, ?, ?, 1, 0, 1)",
                    "insert into whitelist_history(list, sender, recipient, origin, at, who, rules)"
                            + " values (?, ?, ?, ?, 1, 'bench', '')");

    private final Engine engine;
    private final Database database;
    private final AtomicLong next = new AtomicLong(System.currentTimeMillis() * 1000);

    private RecordBench(Engine engine, Database database) {
        this.engine = engine;
        this.database = database;
    }

    /** What differs between the databases. */
    private interface Engine {
        String name();

        Connection connect() throws SQLException;

        String begin();

        /** Returns the bytes of the history on disk, with its indexes, as a statement. */
        String historyBytes();
    }

    private record Sqlite(String url) implements Engine {
        @Override
        public String name() {
            return "sqlite";
        }

        @Override
        public Connection connect() throws SQLException {
            Connection connection = DriverManager.getConnection(url);
            for (String pragma :
                    List.of(
                            "busy_timeout = 60000",
                            "journal_mode = wal",
                            "synchronous = full",
                            "journal_size_limit = 16777216")) {
                run(connection, "pragma " + pragma);
            }
            return connection;
        }

        @Override
        public String begin() {
            return "begin immediate";
        }

        @Override
        public String historyBytes() {
            return "select sum(pgsize) from dbstat where name like 'whitelist_history%'";
        }
    }

    private record PostgreSql(String url) implements Engine {
        @Override
        public String name() {
            return "postgres";
        }

        @Override
        public Connection connect() throws SQLException {
            return DriverManager.getConnection(url, "postgres", "");
        }

        @Override
        public String begin() {
            return "begin; set local synchronous_commit = on";
        }

        @Override
        public String historyBytes() {
            return "select pg_total_relation_size('whitelist_history')";
        }
    }

    private void measure() throws Exception {
        ListRecord table = database.record(NAME);
        stream(table);
        puts(table);
        polls(table);
    }

    private void stream(ListRecord table) throws IOException {
        AtomicLong entries = new AtomicLong();
        long start = System.nanoTime();
        table.forEach(entry -> entries.incrementAndGet(), why -> {});
        RoundTimes.line(
                "%s: %d entries streamed in order in %.1f s, with -Xmx%d MB",
                engine.name(),
                entries.get(),
                (System.nanoTime() - start) / 1e9,
                Runtime.getRuntime().maxMemory() >> 20);
    }

    /** Something that is done again and again. */
    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    /** Makes what each thread does. */
    @FunctionalInterface
    private interface Works {
        Work open() throws Exception;
    }

    private void puts(ListRecord table) throws Exception {
        LivingSettings settings =
                new LivingSettings(
                        NAME,
                        FilterSize.ofRate(0.01),
                        1000,
                        0,
                        Duration.ofSeconds(2),
                        Duration.ofHours(2),
                        true);
        long before = number(engine.historyBytes());
        long rowsBefore = number("select count(*) from whitelist_history");
        int rounds = (int) BenchOptions.number("rounds", 3);
        double[][] rates = new double[4][rounds];
        try (LivingList list =
                LivingList.open(
                        settings,
                        table,
                        BenchOptions.folder().resolve("record.base"),
                        new LivingBench.Silent(),
                        new ListCounters())) {
            Works ours = () -> () -> list.put(entry(next.getAndIncrement()), "bench");
            Works bare = this::bareLoop;
            for (int round = 0; round < rounds; round++) {
                rates[0][round] = rate(1, bare);
                rates[1][round] = rate(1, ours);
                rates[2][round] = rate(8, bare);
                rates[3][round] = rate(8, ours);
            }
        }
        double[] medians = Arrays.stream(rates).mapToDouble(Quantiles.median()::compute).toArray();
        RoundTimes.line(
                "%s: puts a second, bare loop and LivingList.put: 1 thread %.0f, %.0f;"
                        + " 8 threads %.0f, %.0f; ratios %.2f, %.2f; 8 to 1 thread %.1f",
                engine.name(),
                medians[0],
                medians[1],
                medians[2],
                medians[3],
                medians[1] / medians[0],
                medians[3] / medians[2],
                medians[3] / medians[1]);
        long rows = number("select count(*) from whitelist_history") - rowsBefore;
        RoundTimes.line(
                "%s: history has %.0f bytes a change, of %d changes",
                engine.name(), (number(engine.historyBytes()) - before) / (double) rows, rows);
    }

    private static double rate(int threads, Works works) throws Exception {
        AtomicLong done = new AtomicLong();
        List<Work> each = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            each.add(works.open());
        }
        long start = System.nanoTime();
        long end = start + PHASE.toNanos();
        List<Callable<Boolean>> tasks = new ArrayList<>();
        for (Work work : each) {
            tasks.add(
                    () -> {
                        while (System.nanoTime() < end) {
                            work.run();
                            done.incrementAndGet();
                        }
                        return true;
                    });
        }
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (Future<Boolean> task : pool.invokeAll(tasks)) {
                task.get();
            }
        }
        return done.get() / ((System.nanoTime() - start) / 1e9);
    }

    private static Entry entry(long number) {
        return new Entry(
                key("p" + number + "@new" + number % 10_007 + ".example"),
                key("user" + number % 1000 + "@tenant0.example"),
                List.of(new Rule(false, null, null, null, Origin.LEARNED, "")));
    }

    private static Key key(String address) {
        return Addresses.parse(address).key();
    }

    /** Writes what {@link LivingList#put} does, by statements that are prepared once. */
    private Work bareLoop() throws SQLException {
        Connection connection = engine.connect();
        PreparedStatement lock = connection.prepareStatement(LOCK);
        PreparedStatement before = connection.prepareStatement(BEFORE);
        PreparedStatement last = connection.prepareStatement(END);
        List<PreparedStatement> put = new ArrayList<>();
        for (String each : PUT) {
            put.add(connection.prepareStatement(each));
        }
        return () -> {
            long number = next.getAndIncrement();
            byte[] sender = bytes("p" + number, "new" + number % 10_007);
            byte[] recipient = bytes("user" + number % 1000, "tenant0");
            run(connection, engine.begin());
            lock.setString(1, NAME);
            long[] row = row(lock);
            before.setInt(1, (int) row[0]);
            before.setBytes(2, sender);
            before.setBytes(3, recipient);
            before.executeQuery().close();
            for (PreparedStatement each : put) {
                each.setInt(1, (int) row[0]);
                each.setBytes(2, sender);
                each.setBytes(3, recipient);
            }
            put.get(1).setLong(4, row[1] + 1);
            put.get(2).setInt(4, Origin.LEARNED.code());
            for (PreparedStatement each : put) {
                each.executeUpdate();
            }
            last.setLong(1, row[1] + 1);
            last.setInt(2, (int) row[0]);
            last.executeUpdate();
            run(connection, "commit");
        };
    }

    private static long[] row(PreparedStatement lock) throws SQLException {
        try (ResultSet rows = lock.executeQuery()) {
            rows.next();
            return new long[] {rows.getLong(1), rows.getLong(2)};
        }
    }

    /** Returns a key of about the size and the order of one in the table. */
    private static byte[] bytes(String local, String domain) {
        return (local + "\0" + domain + ".example").getBytes(StandardCharsets.US_ASCII);
    }

    /** Polls beside a transaction that has changed something and stays open. */
    private void polls(ListRecord table) throws Exception {
        try (Connection open = engine instanceof PostgreSql ? engine.connect() : null) {
            if (open != null) {
                run(open, "create table if not exists held(x int)");
                run(open, "begin");
                run(open, "insert into held values (1)");
            }
            Position position = table.last();
            for (int i = 0; i < BEHIND / 1000; i++) {
                List<Edit> edits = new ArrayList<>();
                for (int k = 0; k < 1000; k++) {
                    edits.add(Edit.put(entry(next.getAndIncrement())));
                }
                table.write(edits, "bench");
            }
            long start = System.nanoTime();
            LogRows read = requireNonNull(table.log(position));
            double first = (System.nanoTime() - start) / 1e6;
            double[] times = new double[POLLS];
            long again = 0;
            for (int i = 0; i < POLLS; i++) {
                start = System.nanoTime();
                again += requireNonNull(table.log(read.to())).changes().size();
                times[i] = (System.nanoTime() - start) / 1e6;
            }
            RoundTimes.line(
                    "%s: poll %s: %d changes in %.0f ms; once read %.2f ms, %.2f at most,"
                            + " %d changes again",
                    engine.name(),
                    open == null ? "alone" : "beside an open transaction",
                    read.changes().size(),
                    first,
                    Quantiles.median().compute(times),
                    Arrays.stream(times).max().orElseThrow(),
                    again);
        }
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = engine.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    public static void main(String... arguments) throws Exception {
        FilledDatabases.forEach(
                (url, database, folder) ->
                        new RecordBench(
                                        url.startsWith("jdbc:sqlite:")
                                                ? new Sqlite(url)
                                                : new PostgreSql(url),
                                        database)
                                .measure());
    }
}
