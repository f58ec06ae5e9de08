package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.senderwhitelist.filter.FilterKind;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The commands that make and read snapshots. */
class SnapshotCommandsTest extends CommandTest {

    @BeforeEach
    void begin() throws IOException {
        write("a.txt", "bob@example.com", "Alice@example.com", "!eve@example.com", "@example.org");
        write("b.txt", "bob@example.com", "carol@example.com", "eve@example.com", "@example.org");
    }

    private void write(String name, String... lines) throws IOException {
        Files.writeString(folder.resolve(name), String.join("\n", lines) + "\n");
    }

    private String build(String name, String... options) {
        String[] arguments = new String[4 + options.length];
        arguments[0] = "build";
        arguments[1] = path(name + ".txt");
        arguments[2] = "-o";
        arguments[3] = path(name + ".swl");
        System.arraycopy(options, 0, arguments, 4, options.length);
        assertThat(run(arguments)).as(err()).isZero();
        out.reset();
        return path(name + ".swl");
    }

    /** Snapshots contain addresses and the secret seed. */
    @Test
    void shouldKeepASnapshotToTheOwnerUnlessItReplacesOneThatOthersMayRead() throws IOException {
        Path snapshot = Path.of(build("a"));
        assertThat(Files.getPosixFilePermissions(snapshot))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        Files.setPosixFilePermissions(snapshot, PosixFilePermissions.fromString("rw-r-----"));
        build("a");
        assertThat(Files.getPosixFilePermissions(snapshot))
                .isEqualTo(PosixFilePermissions.fromString("rw-r-----"));
    }

    @Test
    void shouldNotReplaceAListByItsOwnSnapshotNorADevice() throws IOException {
        Path list = Files.writeString(folder.resolve("list"), "alice@example.com\n");
        Path link = Files.createSymbolicLink(folder.resolve("link"), list);
        for (String target : List.of(list.toString(), link.toString(), "/dev/full")) {
            assertThat(run("build", list.toString(), "-o", target)).isEqualTo(2);
        }
        assertThat(err().lines()).hasSize(3).allMatch(line -> line.contains(": the list itself"));
        assertThat(list).hasContent("alice@example.com\n");
        assertThat(Files.isRegularFile(Path.of("/dev/full"))).isFalse();
    }

    /** Somebody else may have made the link. */
    @Test
    void shouldReplaceALinkAndNotWhatItLeadsTo() throws IOException {
        Path other = Files.writeString(folder.resolve("other"), "precious");
        Path link = Files.createSymbolicLink(folder.resolve("a.swl"), other);
        build("a");
        assertThat(other).hasContent("precious");
        assertThat(Files.isSymbolicLink(link)).isFalse();
    }

    @Test
    void shouldClearAwayWhatAKilledBuildLeft() throws IOException {
        Path left = Files.writeString(folder.resolve(".a.swl.1a2b.tmp"), "left");
        build("a");
        assertThat(left).doesNotExist();
    }

    @Test
    @Timeout(600)
    void shouldRefusePipesAndReadStandardInputOnce() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        for (String[] command :
                new String[][] {
                    {"check", pipe.toString(), "a@example.com"},
                    {"build", pipe.toString(), "-o", folder.resolve("x.swl").toString()},
                    {"info", pipe.toString()},
                    {"verify", pipe.toString()},
                    {"export", pipe.toString()},
                    {"check", "/dev/zero", "a@example.com"}
                }) {
            err.reset();
            assertThat(run(command)).isEqualTo(2);
            assertThat(err()).contains(": a pipe or a device; allowed: a regular file");
        }
    }

    /** For one question the filter is not read, so damage in it does not matter. */
    @Test
    void shouldNotReadTheFilterForOneQuestion() throws IOException {
        String snapshot = build("a");
        try (RandomAccessFile file = new RandomAccessFile(snapshot, "rw")) {
            file.seek(file.length() - 8);
            file.write(new byte[] {1, 2, 3, 4});
        }
        assertThat(run("check", snapshot, "alice@example.com")).isZero();
        assertThat(run("verify", snapshot)).isEqualTo(2);
        assertThat(err()).contains("damaged: a filter has a wrong checksum");
    }

    /** No disk of a test has room for what a list of 4 TB would become. */
    @Test
    void shouldRefuseToStartWithoutSpace() throws IOException {
        long bytes = 4_000_000_000_000L;
        assumeThat(Files.getFileStore(folder).getUsableSpace()).isLessThan(bytes);
        try (RandomAccessFile sparse = new RandomAccessFile(path("large.txt"), "rw")) {
            sparse.setLength(bytes);
        }
        assertThat(run("build", path("large.txt"), "-o", path("large.swl")))
                .isEqualTo(Main.FAILURE);
        assertThat(err()).contains("free, about 8.00 TB needed; use --temp").hasLineCount(1);
        assertThat(folder.resolve("large.swl")).doesNotExist();
    }

    /** Of large lists, how much entries take depends on what they are like. */
    @ParameterizedTest
    @ValueSource(ints = {1, 10, 100})
    void shouldPlanAboutTheSizeThatIsBuilt(int n) throws IOException {
        write(
                "n.txt",
                IntStream.range(0, n)
                        .mapToObj(i -> "u" + i * 7 + "@h.example")
                        .toArray(String[]::new));
        String snapshot = build("n");
        assertThat(run("plan", "--addresses", "" + n, "--false-positive-rate", "0.001")).isZero();
        String[] row = out().lines().toList().get(2).split(" +", -1);
        out.reset();
        assertThat(run("info", snapshot)).isZero();
        assertThat(out()).containsPattern("\nm +" + row[2] + "\n");
        double planned = Double.parseDouble(row[row.length - 2]) * 1000;
        assertThat(row[row.length - 1]).isEqualTo("kB");
        assertThat(planned).isCloseTo((double) Files.size(Path.of(snapshot)), withinPercentage(15));
    }

    /** Every kind finds all entries, and its measured rate is about the predicted one. */
    @ParameterizedTest
    @EnumSource(FilterKind.class)
    void shouldBuildAndVerifyEveryKind(FilterKind kind) throws IOException {
        String list = path("many.txt");
        List<String> lines = new ArrayList<>(List.of("a@x.org to=b@x.org"));
        for (int i = 1; i < 20_000; i++) {
            lines.add("user" + i + "@example" + i % 100 + ".org");
        }
        Files.write(Path.of(list), lines);
        String file = path("many.swl");
        String label = kind.label();
        assertThat(run("build", list, "-o", file, "--filter", label)).isZero();
        assertThat(run("verify", file, "--against", list)).isZero();
        assertThat(out())
                .contains("20,000 entries: every checksum is right", "20,000 found, 0 missing");
        Files.writeString(Path.of(list), "a@x.org to=b@x.org\na@x.org\n");
        assertThat(run("verify", file, "--against", list)).isEqualTo(Main.NEGATIVE);
        assertThat(out()).endsWith(": 1 found, 1 missing\n");
        assertThat(run("info", file)).isZero();
        assertThat(out()).containsPattern("filter +" + label + "\n");
    }

    private void read(ThrowingCallable meanwhile) throws Throwable {
        Path file = Files.writeString(folder.resolve("list.txt"), "alice@example.com\n");
        try (InputStream in = FileList.unchanged(file)) {
            assertThat(in.read()).isEqualTo('a');
            meanwhile.call();
            in.readAllBytes();
        }
    }

    /** What was replaced or removed, and was open, is whole. */
    @Test
    void shouldReadAListWholeUnlessItIsWrittenToMeanwhile() throws Throwable {
        Path file = folder.resolve("list.txt");
        Path next = Files.writeString(folder.resolve("next"), "bob@example.com\n");
        for (OpenOption how :
                List.of(StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.APPEND)) {
            assertThatThrownBy(() -> read(() -> Files.writeString(file, "more\n", how)))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(file + ": changed while it was read");
        }
        read(() -> Files.move(next, file, StandardCopyOption.REPLACE_EXISTING));
        read(() -> Files.move(file, folder.resolve("old")));
        read(() -> Files.delete(file));
        read(() -> Files.readString(file));
    }
}
