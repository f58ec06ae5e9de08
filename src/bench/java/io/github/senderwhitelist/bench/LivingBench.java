package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.cli.Main;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.database.Postgres;
import io.github.senderwhitelist.decision.Authentication;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.ListCounters.LookupTimer;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.decision.Question;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.SmallLists;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Whitelist;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingListener;
import io.github.senderwhitelist.living.LivingSettings;
import io.github.senderwhitelist.living.LivingStatus;
import io.github.senderwhitelist.tools.PairGenerator;

import org.postgresql.ds.PGSimpleDataSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A living list of pairs of senders and recipients: the time of the import by the command, the
 * bytes in the database and of the base, the memory, the times of checks and of starts, and the
 * looks into the base. Properties: n (pairs, 10^6), only (sqlite, postgres), dir.
 */
final class LivingBench {
    private static final int STRANGERS = 1_000_000;
    private static final int HITS = 20_000;
    private static final int CHANGES = 10_000;
    private static final String NAME = "own";

    private final Path folder;
    private final int users = (int) (BenchProperties.number("n", 1_000_000) / PairGenerator.KNOWN);
    private final PairGenerator pairs = new PairGenerator(users, "user0@tenant0.example");

    private LivingBench(Path folder) {
        this.folder = folder;
    }

    private void inSqlite(Path list) throws Exception {
        Path file = folder.resolve("lists.db");
        load(list, "--database", "jdbc:sqlite:" + file);
        RoundTimes.line("sqlite: %d MB on disk", Files.size(file) >> 20);
        try (Database database = Database.sqlite(file, Duration.ofHours(1))) {
            measure(database);
        }
    }

    private void inPostgres(Path list) throws Exception {
        try (Postgres server = Postgres.started(folder)) {
            String url = server.url("public");
            load(list, "--database", url, "--user", "postgres");
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setURL(url);
            source.setUser("postgres");
            try (Connection connection = source.getConnection()) {
                for (String table :
                        List.of("whitelist_entry", "whitelist_feed", "whitelist_history")) {
                    RoundTimes.line(
                            "postgres: %s has %d MB, of it indexes %d MB",
                            table,
                            number(connection, "select pg_total_relation_size('" + table + "')")
                                    >> 20,
                            number(connection, "select pg_indexes_size('" + table + "')") >> 20);
                }
            }
            try (Database database =
                    Database.postgres(url, "postgres", "", Duration.ofHours(1), 10)) {
                measure(database);
            }
        }
    }

    /** Runs the command in a process of its own. */
    static void load(Path list, String... where) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx1g", "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(Main.class.getName(), "import", list.toString(), "--list", NAME));
        command.addAll(List.of(where));
        long start = System.nanoTime();
        if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
            throw new IllegalStateException("the import failed");
        }
        RoundTimes.line("import: %.1f s", (System.nanoTime() - start) / 1e9);
    }

    private static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private void measure(Database database) throws Exception {
        RoundTimes.line("entries: %d", database.table(NAME).count());
        long heap = heap();
        ListCounters counters = new ListCounters(LookupTimer.NONE);
        LivingSettings settings =
                new LivingSettings(
                        NAME,
                        FilterSize.ofRate(0.001),
                        10L * HITS,
                        Duration.ofHours(1),
                        0,
                        Duration.ofHours(1),
                        Duration.ofHours(2),
                        true);
        long start = System.nanoTime();
        double seconds;
        try (LivingList list = open(settings, database, counters)) {
            seconds = (System.nanoTime() - start) / 1e9;
            LivingStatus status = list.status();
            RoundTimes.line(
                    "first base: %.1f s, %d senders, %.1f MB on disk, heap %.1f MB more",
                    seconds, status.addresses(), Files.size(base()) / 1e6, (heap() - heap) / 1e6);
            Whitelist whitelist =
                    new Whitelist(List.of(list), PlainWhitelist.policy(Subaddressing.DEFAULT));
            Questions hits = new Questions(whitelist, counters, HITS, i -> known(i));
            hits.ask("warm-up", 0);
            hits.ask("listed, not cached", 1);
            hits.ask("listed, cached", 1);
            Questions strangers =
                    new Questions(
                            whitelist,
                            counters,
                            STRANGERS,
                            i ->
                                    new String[] {
                                        PairGenerator.sender(PairGenerator.SENDERS + i),
                                        pairs.user(i % users)
                                    });
            strangers.ask("stranger, warm-up", 0);
            long lookups = counters.lookups();
            strangers.ask("stranger", 0);
            RoundTimes.line(
                    "%d strangers: %d looks into the base",
                    STRANGERS, counters.lookups() - lookups);
        }
        measureStart(settings, database, seconds);
    }

    private LivingList open(LivingSettings settings, Database database, ListCounters counters) {
        return LivingList.open(settings, database.table(NAME), base(), new Silent(), counters);
    }

    private Path base() {
        return folder.resolve("own.base");
    }

    private void measureStart(LivingSettings settings, Database database, double first)
            throws IOException {
        List<Entry> changes = new ArrayList<>();
        for (int i = 0; i < CHANGES; i++) {
            String sender = "new" + i + "@stranger.example";
            changes.add(new Entry(SmallLists.address(sender).key(), false));
        }
        database.table(NAME).putAll(changes, "bench");
        long start = System.nanoTime();
        try (LivingList list = open(settings, database, new ListCounters(LookupTimer.NONE))) {
            double seconds = (System.nanoTime() - start) / 1e9;
            RoundTimes.line(
                    "start with a base and changes: %.3f s, %.2f %% of the first base, %d changes",
                    seconds, 100 * seconds / first, list.status().changes());
        }
        Files.delete(base());
    }

    /** Returns a sender and the user who knows it. */
    private String[] known(int i) {
        SplittableRandom random = new SplittableRandom(i);
        int user = random.nextInt(users);
        int sender = PairGenerator.known(user)[random.nextInt(PairGenerator.KNOWN)];
        return new String[] {PairGenerator.sender(sender), pairs.user(user)};
    }

    private static long heap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /** Makes a sender and a recipient. */
    @FunctionalInterface
    private interface Pairs {
        String[] get(int i);
    }

    /** Questions, each of which is timed. */
    private record Questions(Whitelist whitelist, ListCounters counters, int count, Pairs pairs) {
        /** Asks the questions of a round, which no other has. */
        void ask(String what, int round) {
            long[] times = new long[count];
            long lookups = counters.lookups();
            int listed = 0;
            for (int i = 0; i < count; i++) {
                String[] pair = pairs.get(i + round * count);
                Question question =
                        new Question(
                                Sender.parse(pair[0]),
                                List.of(pair[1]),
                                Authentication.UNCONFIRMED);
                long start = System.nanoTime();
                listed += whitelist.check(question).getFirst() instanceof Listed ? 1 : 0;
                times[i] = System.nanoTime() - start;
            }
            Arrays.sort(times);
            RoundTimes.line(
                    "%-20s %d asked, %d listed, %d lookups, p50 %.1f us, p99 %.1f us",
                    what,
                    count,
                    listed,
                    counters.lookups() - lookups,
                    times[count / 2] / 1e3,
                    times[(int) (count * 0.99)] / 1e3);
        }
    }

    static final class Silent implements LivingListener {
        @Override
        public void built(LivingStatus status) {}

        @Override
        public void failed(String what, Throwable cause) {
            RoundTimes.line("%s: %s", what, cause);
        }

        @Override
        public void recovered() {}
    }

    public static void main(String... arguments) throws Exception {
        Path folder = BenchProperties.folder();
        LivingBench bench = new LivingBench(folder);
        Path list = folder.resolve("pairs.txt");
        bench.pairs.write(list);
        RoundTimes.line("%s: %d MB of text", list, Files.size(list) >> 20);
        if (BenchProperties.wanted("sqlite")) {
            bench.inSqlite(list);
        }
        if (BenchProperties.wanted("postgres")) {
            bench.inPostgres(list);
        }
    }
}
