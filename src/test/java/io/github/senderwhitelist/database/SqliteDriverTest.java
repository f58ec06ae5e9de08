package io.github.senderwhitelist.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.JDBC;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

class SqliteDriverTest {
    @TempDir Path folder;

    /** Another program in the same process, such as another server, can have its own driver. */
    @Test
    void shouldWorkBesideACopyOfTheDriverInAnotherClassLoader() throws Exception {
        URL jar = JDBC.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader =
                        new URLClassLoader(new URL[] {jar}, ClassLoader.getPlatformClassLoader());
                Connection other = open(loader);
                Statement statement = other.createStatement();
                Database ours =
                        Database.sqlite(folder.resolve("lists.db"), Duration.ofSeconds(10))) {
            ListRecord record = ours.record("own");
            record.create();
            record.write(List.of(Edit.put(Lines.entry("alice@example.com"))), "admin");
            statement.execute("create table t (x)");

            assertThat(other.getClass().getClassLoader()).isSameAs(loader);
            assertThat(statement.executeUpdate("insert into t values (1)")).isEqualTo(1);
            assertThat(record.count()).isEqualTo(1);
        }
    }

    /** The folder's owner could swap the library before it is loaded. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void rootShouldLoadNothingFromTheFolderOfAnotherUser() throws Exception {
        assumeTrue(Files.getAttribute(folder, "unix:uid").equals(0), "left out: needs root");
        Path below = Files.createDirectories(folder.resolve("of-another/below"));
        assertThat(SqliteDriver.makeFolder(below)).hasParent(below);
        Files.setAttribute(folder.resolve("of-another"), "unix:uid", 12_345);
        Path elsewhere = SqliteDriver.makeFolder(below);
        Files.delete(elsewhere);
        assertThat(elsewhere.startsWith(folder)).isFalse();
        Files.setAttribute(folder.resolve("of-another"), "unix:uid", 0);
        Files.setPosixFilePermissions(below, PosixFilePermissions.fromString("rwxrwxr-x"));
        Path again = SqliteDriver.makeFolder(below);
        Files.delete(again);
        assertThat(again.startsWith(folder)).isFalse();
        assertThat(below.toFile().list()).hasSize(1);
    }

    private Connection open(ClassLoader loader) throws Exception {
        return (Connection)
                loader.loadClass(JDBC.class.getName())
                        .getMethod("createConnection", String.class, Properties.class)
                        .invoke(
                                null,
                                "jdbc:sqlite:" + folder.resolve("other.db"),
                                new Properties());
    }
}
