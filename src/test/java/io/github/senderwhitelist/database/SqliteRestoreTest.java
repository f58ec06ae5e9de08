package io.github.senderwhitelist.database;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** {@link RestoreContract} with SQLite. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class SqliteRestoreTest extends RestoreContract<SqliteRestoreTest.Way> {
    private static final List<String> LOGS = List.of("-wal", "-shm");

    @TempDir private Path folder;

    enum Way {
        /** The file alone, copied while it was closed, comes into its place. */
        FILE,
        /** The same with its log, copied while it was open. */
        FILE_AND_LOG,
        /** A file made by SQLite comes into its place. */
        VACUUM_INTO,
        /** SQLite copies the pages, in both directions. */
        BACKUP,
        /** Tables are made again and filled, as a dump does. */
        TABLES,
        /** Tables are emptied and filled. */
        ROWS
    }

    static List<Case<Way>> cases() {
        // The file and its log cannot come into their places at once.
        return cases(Way.values(), each -> each.way() != Way.FILE_AND_LOG || !each.running());
    }

    private Path file() {
        return folder.resolve("lists.db");
    }

    private Path copy() {
        return folder.resolve("copy.db");
    }

    @Override
    Database open() throws IOException {
        return Database.sqlite(file(), TIMEOUT);
    }

    @Override
    Backup backUp(Way way) throws Exception {
        switch (way) {
            case FILE -> whileClosed(() -> Files.copy(file(), copy()));
            case FILE_AND_LOG -> copyOpenFiles();
            case VACUUM_INTO, TABLES, ROWS -> run("vacuum into '" + copy() + "'");
            case BACKUP -> run("backup to '" + copy() + "'");
        }
        return switch (way) {
            case FILE, FILE_AND_LOG, VACUUM_INTO -> this::moveIntoPlace;
            case BACKUP -> () -> run("restore from '" + copy() + "'");
            case TABLES -> () -> fill(true);
            case ROWS -> () -> fill(false);
        };
    }

    private Connection plain() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file());
    }

    private void run(String sql) throws SQLException {
        try (Connection connection = plain()) {
            Sql.run(connection, sql);
        }
    }

    /** Has another process copy the files: closing them here would drop SQLite's locks. */
    private void copyOpenFiles() throws Exception {
        for (String end : List.of("", "-wal")) {
            Process copying =
                    new ProcessBuilder("cp", file() + end, copy() + end).inheritIO().start();
            assertThat(copying.waitFor()).isZero();
        }
        assertThat(Path.of(copy() + "-wal")).isNotEmptyFile();
    }

    private void moveIntoPlace() throws IOException {
        for (String end : LOGS) {
            Files.deleteIfExists(Path.of(file() + end));
        }
        for (String end : List.of("-wal", "")) {
            if (Files.exists(Path.of(copy() + end))) {
                Files.move(
                        Path.of(copy() + end),
                        Path.of(file() + end),
                        StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Fills the tables with the rows of the copy. */
    private void fill(boolean makesTables) throws Exception {
        try (Connection connection = plain()) {
            Sql.run(connection, "attach '" + copy() + "' as copy");
            Sql.run(connection, "begin immediate");
            List<String> tables = tables(connection, "name", " and type = 'table'");
            if (makesTables) {
                Sql.run(connection, "drop view whitelist");
                for (String table : tables) {
                    Sql.run(connection, "drop table " + table);
                }
                for (String statement : tables(connection, "sql", " and sql is not null")) {
                    Sql.run(connection, statement);
                }
            }
            List<String> filled = new ArrayList<>(tables);
            filled.add("sqlite_sequence");
            for (String table : filled) {
                Sql.run(connection, "delete from main." + table);
                Sql.run(
                        connection,
                        "insert into main.%s select * from copy.%s".formatted(table, table));
            }
            Sql.run(connection, "commit");
        }
    }

    private static List<String> tables(Connection connection, String column, String condition)
            throws SQLException, IOException {
        return Sql.query(
                connection,
                "select "
                        + column
                        + " from copy.sqlite_schema where name not like 'sqlite%'"
                        + condition
                        + " order by rowid",
                row -> row.getString(1));
    }
}
