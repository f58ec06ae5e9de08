package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.database.Postgres;
import io.github.senderwhitelist.tools.PairGenerator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * The databases that option only names, each with generated pairs that the command has imported,
 * or, with option file, those that an earlier run has left in this folder.
 */
final class FilledDatabases {
    private FilledDatabases() {}

    /** Measures one. */
    @FunctionalInterface
    interface Measurement {
        /**
         * Measures a database.
         *
         * @param url its URL
         * @param folder the folder that it is in
         */
        void of(String url, Database database, Path folder) throws Exception;
    }

    /** Measures each. */
    static void forEach(Measurement measurement) throws Exception {
        String old = BenchOptions.text("file");
        Path folder = old.isEmpty() ? BenchOptions.folder() : Path.of(old);
        RoundTimes.line("in %s", folder);
        if (BenchOptions.wanted("sqlite")) {
            Path file = folder.resolve("lists.db");
            String url = "jdbc:sqlite:" + file;
            if (old.isEmpty()) {
                String given = "jdbc:sqlite:file://" + file.toAbsolutePath();
                fill(folder, "--database", given, "--create");
                RoundTimes.line("sqlite: %d MB on disk", Files.size(file) >> 20);
            }
            try (Database database = Database.sqlite(file, Duration.ofHours(1))) {
                measurement.of(url, database, folder);
            }
        }
        if (BenchOptions.wanted("postgres")) {
            try (Postgres server = Postgres.started(folder)) {
                String url = server.url("public");
                if (old.isEmpty()) {
                    fill(folder, "--conf", conf(folder, url).toString());
                }
                RoundTimes.line(
                        "postgres: the entries take %d MB, of it indexes %d MB",
                        bytes(url, "pg_total_relation_size") >> 20,
                        bytes(url, "pg_indexes_size") >> 20);
                try (Database database =
                        Database.postgres(url, "postgres", "", Duration.ofHours(1), 10)) {
                    measurement.of(url, database, folder);
                }
            }
        }
    }

    private static void fill(Path folder, String... where) throws Exception {
        Path text = folder.resolve("pairs.txt");
        int users = (int) (BenchOptions.number("n", 1_000_000) / PairGenerator.KNOWN);
        new PairGenerator(users, "user0@tenant0.example").write(text);
        LivingBench.load(text, where);
        Files.delete(text);
    }

    /** Returns a folder of James' configurations, which defines the list and its user. */
    private static Path conf(Path folder, String url) throws IOException {
        Path conf = Files.createDirectories(folder.resolve("conf"));
        Files.writeString(
                conf.resolve("whitelists.xml"),
                "<whitelists><whitelist name='%s'><source>%s</source><user>postgres</user></whitelist></whitelists>"
                        .formatted(LivingBench.NAME, url.replace("&", "&amp;")));
        return conf;
    }

    private static long bytes(String url, String function) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, "postgres", "");
                Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("select " + function + "('whitelist_entry')")) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
