package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Runs {@code target/whitelist}, the file itself, as a shell does. */
@Timeout(600)
class ExecutableIT {
    private static final Path BUILT = Path.of("target/whitelist");
    private static final String LISTED = "alice@example.com\tlisted\tlisted\talice@example.com\n";

    private static final int SIGTERM = 143;

    @TempDir Path folder;
    private Path whitelist = BUILT;
    private Path cache = BUILT;
    private String list = "";

    @BeforeEach
    void install() throws IOException {
        // A name with a space must not be taken for two words.
        whitelist = Files.createDirectory(folder.resolve("a folder")).resolve("whitelist");
        Files.copy(BUILT, whitelist);
        cache = folder.resolve("cache");
        list = Files.writeString(folder.resolve("a list"), "alice@example.com\n").toString();
    }

    /** Lets archives be made, which takes longer than the answers. */
    private void makeCache() throws IOException {
        Files.createDirectory(cache);
    }

    private record Result(int exit, String out, String err) {}

    private ProcessBuilder command(String... arguments) {
        List<String> command = new ArrayList<>(List.of(whitelist.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment()
                .putAll(
                        Map.of(
                                "JAVA_HOME",
                                System.getProperty("java.home"),
                                "XDG_CACHE_HOME",
                                cache.toString()));
        return builder;
    }

    private Result run(ProcessBuilder builder) throws Exception {
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        int exit =
                builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start().waitFor();
        return new Result(exit, Files.readString(out), Files.readString(err));
    }

    private Result run(String... arguments) throws Exception {
        return run(command(arguments));
    }

    /** A check of a listed sender, with these variables. */
    private ProcessBuilder check(String... variables) {
        ProcessBuilder builder = command("check", list, "alice@example.com");
        for (int i = 0; i < variables.length; i += 2) {
            builder.environment().put(variables[i], variables[i + 1]);
        }
        return builder;
    }

    private void assertAnswers(ProcessBuilder check) throws Exception {
        assertThat(run(check)).isEqualTo(new Result(0, LISTED, ""));
    }

    private Path archive() {
        return Path.of(cache + "/james-sender-whitelist" + whitelist + ".archive");
    }

    @Test
    void shouldPassArgumentsOutputAndExitCodesOn() throws Exception {
        assertAnswers(check());
        assertThat(run("check", list, "x@y.example", "").exit()).isEqualTo(1);
        Result unknown = run("no such command");
        assertThat(unknown.exit()).isEqualTo(2);
        assertThat(unknown.err()).contains("no such command").hasLineCount(1);
    }

    /** The server's code reads it, but without the libraries of James. */
    @Test
    void shouldSayWhatIsWrongInTheConfiguration() throws Exception {
        Path conf = Files.createDirectory(folder.resolve("conf"));
        Files.writeString(
                conf.resolve("whitelists.xml"),
                "<whitelists><whitelist name='own'><sourc>x</sourc></whitelist></whitelists>");
        Result wrong = run("check", "--conf", conf.toString(), "own", "x@y.example");
        assertThat(wrong.exit()).isEqualTo(2);
        assertThat(wrong.err()).contains("did you mean it by 'sourc'?").hasLineCount(1);
    }

    @Test
    void shouldMakeAnArchiveAtItsFirstUseAndAgainWhenTheProgramHasChanged() throws Exception {
        makeCache();
        run(check());
        long size = Files.size(archive());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(archive())))
                .isEqualTo("rw-------");
        FileTime made = Files.getLastModifiedTime(archive());

        assertThat(isArchiveInUse()).isTrue();
        assertThat(Files.getLastModifiedTime(archive())).isEqualTo(made);
        assertThat(filesBeside(archive())).hasSize(2);

        Files.setLastModifiedTime(whitelist, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
        Files.write(archive(), new byte[] {1});
        assertAnswers(check());
        assertThat(Files.size(archive())).isGreaterThan(size / 2);
        assertThat(isArchiveInUse()).isTrue();
    }

    private boolean isArchiveInUse() throws Exception {
        return ofRunning(command("check", list, "-"), "maps").contains(archive().toString());
    }

    /**
     * Returns what Linux says of a running check. The check is the process that was started, so
     * signals reach it, and it answers each line before it waits for the next.
     */
    private static String ofRunning(ProcessBuilder check, String file) throws Exception {
        Process process = check.start();
        try (BufferedReader answers = process.inputReader(UTF_8);
                Writer questions = process.outputWriter(UTF_8)) {
            questions.append("alice@example.com\n").flush();
            assertThat(answers.readLine() + "\n").isEqualTo(LISTED);
            String said = Files.readString(Path.of("/proc/" + process.pid(), file));
            process.toHandle().destroy();
            assertThat(process.waitFor()).isEqualTo(SIGTERM);
            return said;
        }
    }

    private static List<Path> filesBeside(Path file) throws IOException {
        try (Stream<Path> files = Files.list(file.getParent())) {
            return files.toList();
        }
    }

    /** A start that could not make one tries again after a day, and removes what others left. */
    @Test
    void shouldDoWithoutAnArchiveThatIsDamagedAndMakeItAgainAfterADay() throws Exception {
        makeCache();
        run(check());
        for (byte[] damaged : List.of(new byte[] {1}, new byte[1 << 20], new byte[0])) {
            Files.write(archive(), damaged);
            assertAnswers(check());
        }
        assertThat(archive()).isEmptyFile();

        Path left = Files.writeString(Path.of(archive() + ".4711"), "half an archive");
        FileTime old = FileTime.from(Instant.now().minus(Duration.ofDays(2)));
        Files.setLastModifiedTime(left, old);
        Files.setLastModifiedTime(archive(), old);
        run(check());
        assertThat(archive()).isNotEmptyFile();
        assertThat(filesBeside(archive())).hasSize(2).doesNotContain(left);
    }

    /** Nor does it make one where a cache is not named in full. */
    @Test
    void shouldAnswerWhereNoArchiveCanBeMade() throws Exception {
        makeCache();
        String nowhere = folder.resolve("nowhere").toString();
        for (String place : List.of(nowhere, list, "/proc", "", "cache")) {
            assertAnswers(check("XDG_CACHE_HOME", place, "HOME", list).directory(folder.toFile()));
        }
        assertThat(cache).isEmptyDirectory();
    }

    /** No start may find half of what another one writes. */
    @Test
    void shouldAnswerManyFirstStartsAtOnce() throws Exception {
        makeCache();
        List<Process> starts = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            starts.add(check().start());
        }
        for (Process start : starts) {
            assertThat(new String(start.getInputStream().readAllBytes(), UTF_8)).isEqualTo(LISTED);
            assertThat(new String(start.getErrorStream().readAllBytes(), UTF_8)).isEmpty();
            assertThat(start.waitFor()).isZero();
        }
        assertThat(filesBeside(archive())).hasSize(2);
        assertThat(isArchiveInUse()).isTrue();
    }

    /** Otherwise somebody else could have code run by whoever starts the program. */
    @Test
    void shouldNotTrustAnArchiveInAFolderThatIsALink() throws Exception {
        makeCache();
        Path foreign = Files.createDirectory(folder.resolve("foreign"));
        Files.createSymbolicLink(cache.resolve("james-sender-whitelist"), foreign);

        assertAnswers(check());
        assertThat(foreign).isEmptyDirectory();
    }

    /** Programs that read answers must not take Java's complaints for some. */
    @Test
    void shouldWriteWhatJavaSaysToStandardError() throws Exception {
        Result result = run(check("JDK_JAVA_OPTIONS", "-Xmx1k"));

        assertThat(result.exit()).isNotZero();
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("heap");
    }

    /** An option may name one of them, such as --password-env. */
    @Test
    void shouldLeaveTheUsersVariablesAsTheyAre() throws Exception {
        ProcessBuilder builder = command("check", list, "-");
        Set<String> mine = new HashSet<>();
        for (String name : List.of("key", "user", "file", "home", "options", "version", "self")) {
            builder.environment().put(name, "mine");
            mine.add(name + "=mine");
        }
        assertThat(ofRunning(builder, "environ").split("\0")).containsAll(mine);
    }

    @Test
    void shouldTakeTheNextJavaWhenOneIsTooOld() throws Exception {
        String path = System.getProperty("java.home") + "/bin:/usr/bin:/bin";

        assertAnswers(check("JAVA_HOME", oldJava().toString(), "PATH", path));
    }

    @Test
    void shouldSayWhichJavaItFoundAndWhichItNeeds() throws Exception {
        // The script alone, which looks at another folder than the system's.
        String script = Files.readString(Path.of("src/build/whitelist.sh"));
        Files.writeString(whitelist, script.replace("/usr/lib/jvm", folder + "/jvm"));
        Path java = oldJava();
        Result result = run(check("JAVA_HOME", java.toString(), "PATH", "/bin"));

        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.err())
                .startsWith("Java 21 or newer is needed; found: " + java + " (17.0.1)")
                .contains("set JAVA_HOME", "Nothing was done")
                .hasLineCount(1);
        assertThat(result.out()).isEmpty();
    }

    /** Java starts neither with two collectors nor with an archive for another one. */
    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseG1GC", "-Xshare:off", "-Xmx64m", "-Xms8m"})
    void shouldTakeTheUsersOptionsOfJava(String option) throws Exception {
        makeCache();
        for (int time = 0; time < 2; time++) {
            Result result = run(check("JDK_JAVA_OPTIONS", option));
            assertThat(result.out()).isEqualTo(LISTED);
            assertThat(result.exit()).isZero();
            ProcessBuilder build = command("build", list, "-o", folder.resolve("x.swl").toString());
            build.environment().put("JDK_JAVA_OPTIONS", option);
            assertThat(run(build).exit()).isZero();
        }
    }

    /** In cron and in containers there is often no locale. */
    @Test
    void shouldWorkInAFolderOfAnyNameWithoutALocale() throws Exception {
        Path odd = Files.createDirectory(folder.resolve("b\u00fcro"));
        Files.copy(Path.of(list), odd.resolve("l.txt"));
        ProcessBuilder builder =
                command("check", "l.txt", "alice@example.com").directory(odd.toFile());
        builder.environment().keySet().removeIf(name -> name.matches("LANG|LC_.*"));

        assertAnswers(builder);
    }

    @Test
    void shouldNotReadWhatElseIsOpenWhenThereIsNoStandardInput() throws Exception {
        ProcessBuilder builder = command("check", list, "-");
        builder.command().addAll(0, List.of("sh", "-c", "exec \"$@\" <&-", "sh"));
        Result result = run(builder);

        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).hasLineCount(1);
    }

    /** A version manager's java is a program that starts the real one. */
    @Test
    void shouldFindTheJavaBehindAProgramThatStartsIt() throws Exception {
        makeCache();
        String real = System.getProperty("java.home") + "/bin/java";
        Path java = program("shims/java", "exec '" + real + "' \"$@\"");
        ProcessBuilder builder = check("PATH", java.getParent() + ":/usr/bin:/bin");
        builder.environment().remove("JAVA_HOME");

        assertAnswers(builder);
        FileTime made = Files.getLastModifiedTime(archive());
        assertAnswers(builder);
        assertThat(Files.getLastModifiedTime(archive())).isEqualTo(made);
    }

    /** Returns the folder of a Java that calls itself 17, and fails when it is started. */
    private Path oldJava() throws IOException {
        program("old java/bin/java", "exit 99");
        Path java = folder.resolve("old java");
        Files.writeString(java.resolve("release"), "OS=x\nJAVA_VERSION=\"17.0.1\"\n");
        return java;
    }

    private Path program(String name, String line) throws IOException {
        Path program = folder.resolve(name);
        Files.createDirectories(program.getParent());
        Files.writeString(program, "#!/bin/sh\n" + line + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        return program;
    }
}
