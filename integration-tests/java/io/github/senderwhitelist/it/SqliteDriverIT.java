package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.ChildJava;
import io.github.senderwhitelist.tools.Needs;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How the jar loads SQLite's library where something is in the way, in processes of its own. */
class SqliteDriverIT {
    /** Drivers of other extensions, copied by Maven (dependency, phase pre-integration-test). */
    static final Path SAME = Path.of("target/drivers/same.jar");

    private static final Path OLDER = Path.of("target/drivers/older.jar");

    private static final String FOR_SYSTEMS =
            "libraries for Linux and macOS on x86-64 and arm64, and for Windows on x86-64";

    private static final Path COMMANDS = Path.of("target/whitelist");

    @TempDir Path folder;
    private Path data = Path.of("");
    private Path mount = Path.of("");

    @BeforeEach
    void makeFolders() throws IOException {
        data = Files.createDirectory(folder.resolve("data"));
        mount = Files.createDirectory(folder.resolve("mount"));
    }

    private record Result(int exit, String out, String err) {}

    private Result run(List<String> command) throws Exception {
        Path out = folder.resolve("out.txt");
        Path err = folder.resolve("err.txt");
        int exit =
                new ProcessBuilder(command)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start()
                        .waitFor();
        return new Result(exit, Files.readString(out), Files.readString(err));
    }

    /**
     * Returns a command that puts an entry, with these jars in this order, and itself after them.
     */
    private static List<String> add(Path database, List<String> options, Path... jars) {
        List<String> command = ChildJava.command("--enable-native-access=ALL-UNNAMED");
        command.addAll(options);
        command.add("-cp");
        command.add(
                Stream.concat(Stream.of(jars), Stream.of(COMMANDS))
                        .map(Path::toString)
                        .collect(Collectors.joining(File.pathSeparator)));
        command.add("io.github.senderwhitelist.cli.Main");
        command.addAll(List.of("add", "own", "alice@example.com", "--create"));
        command.add("--database=jdbc:sqlite:file://" + database);
        return command;
    }

    private static void assertWorks(Result result) {
        assertThat(result.err().lines()).singleElement().asString().contains("a new database");
        assertThat(result).isEqualTo(new Result(0, "own: 1 added, 0 unchanged\n", result.err()));
    }

    /** Nothing is left but a database that works. */
    private static void assertRefused(Result result, Path database, String... words) {
        assertThat(result.exit()).as(result.err()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err().lines().toList())
                .hasSize(2)
                .satisfies(lines -> assertThat(lines.get(0)).contains("a new database"))
                .satisfies(lines -> assertThat(lines.get(1)).contains(words));
        assertThat(database).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"james-sender-whitelist.jar", "james-sender-whitelist-javax.jar"})
    void shouldLoadTheLibraryAndLeaveNoneOfIt(String jar) throws Exception {
        assertWorks(run(add(data.resolve("lists.db"), List.of(), Path.of("target", jar))));

        assertThat(data)
                .isDirectoryContaining("glob:**/lists.db")
                .isDirectoryNotContaining("glob:**/.*");
    }

    @Test
    void shouldNotWarnOfItsLibrary() throws Exception {
        List<String> command = ChildJava.command("-jar", COMMANDS.toString());
        command.addAll(List.of("add", "own", "--create", "alice@example.com"));
        command.add("--database=jdbc:sqlite:file://" + data.resolve("lists.db"));

        assertWorks(run(command));
    }

    @Test
    void shouldRefuseAnOlderDriverThatComesFirst() throws Exception {
        Path database = data.resolve("lists.db");

        assertRefused(
                run(add(database, List.of(), OLDER, James39.JAR)),
                database,
                OLDER.toAbsolutePath().toString(),
                "SQLite 3.50.3",
                "3.51.3 or newer");
        assertWorks(run(add(database, List.of(), SAME, OLDER, James39.JAR)));
    }

    @Test
    void shouldNameASystemThatThereIsNoLibraryFor() throws Exception {
        Path database = data.resolve("lists.db");

        assertRefused(
                run(add(database, List.of("-Dos.arch=riscv64"), James39.JAR)),
                database,
                James39.JAR.toString(),
                "no library for " + System.getProperty("os.name") + " on riscv64",
                FOR_SYSTEMS);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldDoWithATemporaryFolderInWhichNothingRuns() throws Exception {
        List<String> options = List.of("-Djava.io.tmpdir=" + mount);

        assertWorks(run(withoutRunning(add(data.resolve("lists.db"), options, James39.JAR))));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldSayWhyTheLibraryCannotBeLoaded() throws Exception {
        Path database = mount.resolve("lists.db");

        assertRefused(
                run(withoutRunning(add(database, List.of(), James39.JAR))),
                database,
                "libsqlitejdbc.so for Linux on " + System.getProperty("os.arch"),
                mount.resolve(".sqlite-").toString(),
                "failed to map segment from shared object",
                "noexec",
                "-Dorg.sqlite.tmpdir=");
        assertWorks(
                run(
                        withoutRunning(
                                add(
                                        database,
                                        List.of("-Dorg.sqlite.tmpdir=" + data),
                                        James39.JAR))));
    }

    /** Runs a command where no file of one of the folders may be run. */
    private List<String> withoutRunning(List<String> command) throws Exception {
        List<String> under = new ArrayList<>(List.of("unshare", "--mount"));
        if (!System.getProperty("user.name").equals("root")) {
            under.add("--map-root-user");
        }
        String mounting = "mount -t tmpfs -o noexec,mode=0755 none " + mount;
        under.addAll(List.of("sh", "-c", mounting + " && exec \"$@\"", "sh"));
        List<String> trial = new ArrayList<>(under);
        trial.add("true");
        Needs.require(run(trial).exit() == 0, under + " is not allowed here");
        under.addAll(command);
        return under;
    }
}
