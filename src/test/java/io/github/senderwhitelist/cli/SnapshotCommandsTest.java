package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.senderwhitelist.filter.FilterKind;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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
        assertThat(Main.run(arguments)).as(err()).isZero();
        out.reset();
        return path(name + ".swl");
    }

    @Test
    void shouldExportWhatWasBuilt() {
        for (String list : List.of(build("a"), path("a.txt"))) {
            out.reset();
            assertThat(Main.run("export", list)).isZero();
            assertThat(out())
                    .isEqualTo(
                            "@example.org\nalice@example.com\nbob@example.com\n!eve@example.com\n");
        }
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
            assertThat(Main.run("build", list.toString(), "-o", target)).isEqualTo(2);
        }
        assertThat(err()).contains("the list " + list + " itself").contains("/dev/full: a folder,");
        assertThat(list).hasContent("alice@example.com\n");
        assertThat(Files.isRegularFile(Path.of("/dev/full"))).isFalse();
    }

    @Test
    void shouldReplaceTheSnapshotThatALinkLeadsTo() throws IOException {
        Path snapshot = Path.of(build("a"));
        Path disk = Files.createDirectory(folder.resolve("disk"));
        Path moved = Files.move(snapshot, disk.resolve("a.swl"));
        Files.createSymbolicLink(snapshot, moved);
        Object before = Files.getAttribute(moved, "unix:ino");
        assertThat(Main.run("build", path("a.txt"), "-o", snapshot.toString())).isZero();

        assertThat(out()).startsWith(snapshot + ": ");
        assertThat(Files.isSymbolicLink(snapshot)).isTrue();
        assertThat(Files.getAttribute(moved, "unix:ino")).isNotEqualTo(before);
        try (var files = Files.list(disk)) {
            assertThat(files).containsExactly(moved);
        }
    }

    /** Somebody else may have made the link. */
    @Test
    void shouldWriteThroughNoLinkToAnythingElse() throws IOException {
        Path list = Files.writeString(folder.resolve("list"), "alice@example.com\n");
        Path other = Files.writeString(folder.resolve("other"), "precious");
        Path link = Files.createSymbolicLink(folder.resolve("link"), other);

        assertThat(Main.run("build", list.toString(), "-o", link.toString())).isEqualTo(2);

        assertThat(err()).contains(link + ": a link to " + other + ", which is no snapshot");
        assertThat(other).hasContent("precious");
        assertThat(Files.isSymbolicLink(link)).isTrue();
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
            assertThat(Main.run(command)).isEqualTo(2);
            assertThat(err()).contains(": a pipe or a device; allowed: a regular file");
        }
    }

    @Test
    void shouldDistinguishAddedFromRemoved() {
        String a = build("a");
        assertThat(Main.run("diff", a, build("b"))).isEqualTo(1);
        assertThat(out())
                .isEqualTo(
                        """
                        -alice@example.com
                        +carol@example.com
                        -!eve@example.com
                        +eve@example.com
                        """);
        out.reset();
        assertThat(Main.run("diff", a, a)).isZero();
        assertThat(out()).isEmpty();
    }

    /** Conditions survive build, diff, verify and export. */
    @Test
    void shouldKeepConditions() throws IOException {
        String text =
                """
                @example.org until=2027-01-31
                alice@example.com
                alice@example.com to=@a.example
                alice@example.com auth=dkim to=@b.example note=ticket #4711
                !eve@example.com from=2026-01-01
                """;
        Files.writeString(Path.of(path("c.txt")), text);
        Files.writeString(
                Path.of(path("d.txt")),
                text.replace("2027-01-31", "2027-02-28").replace("dkim", "spf"));
        String c = build("c");
        assertThat(Main.run("export", c)).isZero();
        assertThat(out().lines()).containsExactlyInAnyOrderElementsOf(text.lines().toList());
        Files.writeString(Path.of(path("again.txt")), out());
        out.reset();
        assertThat(Main.run("diff", c, build("again"))).isZero();
        assertThat(Main.run("diff", c, build("d"))).isEqualTo(1);
        assertThat(out().lines())
                .containsExactlyInAnyOrder(
                        "-@example.org until=2027-01-31",
                        "+@example.org until=2027-02-28",
                        "-alice@example.com auth=dkim to=@b.example note=ticket #4711",
                        "+alice@example.com auth=spf to=@b.example note=ticket #4711");
        out.reset();
        assertThat(Main.run("info", c)).isZero();
        assertThat(out()).containsPattern("addresses +2\n").containsPattern("conditional +3\n");
        assertThat(Main.run("verify", c, "--against", path("c.txt"))).isZero();
        assertThat(Main.run("verify", c, "--against", path("d.txt"))).isEqualTo(1);
        assertThat(err().lines())
                .containsExactlyInAnyOrder(
                        "@example.org until=2027-02-28: not in the snapshot",
                        "alice@example.com auth=spf to=@b.example note=ticket #4711: not in the"
                                + " snapshot");
    }

    @Test
    void shouldTakeAnyNumberOfRecipientsForOneSender() throws IOException {
        StringBuilder list = new StringBuilder();
        for (int i = 0; i < 5_000; i++) {
            list.append("alice@example.com to=@tenant").append(i).append(".example\n");
        }
        Files.writeString(Path.of(path("a.txt")), list);
        assertThat(Main.run("build", path("a.txt"), "-o", path("a.swl"))).isZero();
        assertThat(out()).contains("1 address, 0 domains, 5,000 for some recipients");
        Main.run("export", path("a.swl"));
        assertThat(out().lines().filter(line -> line.startsWith("alice@"))).hasSize(5_000);
        assertThat(Main.run("verify", path("a.swl"), "--against", path("a.txt"))).isZero();
    }

    @Test
    void shouldSumUpWhatWasBuilt() throws IOException {
        String[] list = {
            "a@x.example", "a@x.example", "b@x.example", "!b@x.example", "!@y.example"
        };
        write("a.txt", list);
        assertThat(Main.run("build", path("a.txt"), "-o", path("a.swl"))).isZero();
        assertThat(out())
                .contains(
                        ": 2 addresses, 1 domain; of these 2 denied; 5 lines, 1 duplicate, 1 both"
                                + " listed and denied; 20.55 kB; ");
    }

    @Test
    void shouldNameALineThatThereIsNoRoomFor() throws IOException {
        StringBuilder list = new StringBuilder("bob@example.com\n");
        for (int i = 0; i < 6; i++) {
            list.append("!alice@example.com until=2090-01-01 note=")
                    .append(i)
                    .append("x".repeat(220))
                    .append("\n");
        }
        Files.writeString(Path.of(path("a.txt")), list);
        build("a");
        assertThat(err())
                .containsPattern(
                        ".*:[0-9]+: '!alice@example.com until=2090-01-01 note=4x+.*: too many"
                                + " lines with conditions .*The sender is denied without");
        Main.run("export", path("a.swl"));
        assertThat(out().lines()).contains("!alice@example.com", "bob@example.com");
    }

    @Test
    void shouldBuildTheSameBytesFromTheSameSeed() throws IOException {
        byte[] first = Files.readAllBytes(Path.of(build("a", "--seed", "7")));
        assertThat(Files.readAllBytes(Path.of(build("a", "--seed", "7")))).isEqualTo(first);
        assertThat(Files.readAllBytes(Path.of(build("a")))).isNotEqualTo(first);
    }

    @Test
    void shouldCheckASnapshotAsItsList() {
        String snapshot = build("a");
        String[] senders = {
            "alice+x@example.com", "x@example.org", "eve@example.com", "z@z.example"
        };
        for (String list : new String[] {snapshot, path("a.txt")}) {
            out.reset();
            assertThat(Main.run("check", list, senders[0], senders[1], senders[2], senders[3]))
                    .isEqualTo(1);
            assertThat(out().lines())
                    .containsExactly(
                            "alice+x@example.com\tlisted\tlisted\talice@example.com",
                            "x@example.org\tlisted\tlisted\t@example.org",
                            "eve@example.com\tnot-listed\tdenied\t!eve@example.com",
                            "z@z.example\tnot-listed\tstranger\t");
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
        assertThat(Main.run("check", snapshot, "alice@example.com")).isZero();
        assertThat(Main.run("verify", snapshot)).isEqualTo(2);
        assertThat(err()).contains("damaged: a filter has a wrong checksum");
    }

    /** No disk of a test has room for what a list of 4 TB would become. */
    @ParameterizedTest
    @CsvSource({"blocked, 6.00 TB", "ribbon, 7.00 TB"})
    void shouldRefuseToStartWithoutSpace(String kind, String needed) throws IOException {
        long bytes = 4_000_000_000_000L;
        assumeThat(Files.getFileStore(folder).getUsableSpace()).isLessThan(bytes);
        try (RandomAccessFile sparse = new RandomAccessFile(path("large.txt"), "rw")) {
            sparse.setLength(bytes);
        }
        assertThat(Main.run("build", path("large.txt"), "-o", path("large.swl"), "--filter", kind))
                .isEqualTo(Main.FAILURE);
        assertThat(err())
                .contains("free, about " + needed + " needed; nothing was written. Use --temp")
                .hasLineCount(1);
        assertThat(folder.resolve("large.swl")).doesNotExist();
    }

    @Test
    void shouldVerifyAgainstTheListItWasBuiltOf() {
        String snapshot = build("a", "--bits-per-address", "8");
        assertThat(Main.run("verify", snapshot, "--against", path("a.txt"))).isZero();
        assertThat(out())
                .contains("4 entries: every checksum is right, every entry is in its filter")
                .contains("4 found, 0 missing")
                .containsPattern("measured \\S+ % on 1,000,000 strangers, predicted \\S+ %");
        assertThat(Main.run("verify", snapshot, "--against", path("b.txt"))).isEqualTo(1);
        assertThat(err()).isEqualTo("carol@example.com: not in the snapshot\n");
    }

    @Test
    void shouldReportWhichLinesOfTheListItIsVerifiedAgainstAreBad() throws IOException {
        String snapshot = build("a");
        Path list = folder.resolve("bad.txt");
        Files.write(
                list,
                Stream.concat(
                                Files.readAllLines(Path.of(path("a.txt"))).stream(),
                                Stream.generate(() -> "@example.com").limit(200))
                        .toList());
        Files.writeString(list, "nobody\n", StandardOpenOption.APPEND);

        assertThat(Main.run("verify", snapshot, "--against", list.toString())).isEqualTo(1);

        assertThat(err()).contains("'nobody'", "1 bad line was skipped");
    }

    @Test
    void shouldRefuseSnapshotsWhereTextIsNeeded() {
        String snapshot = build("a");
        String message = "a.swl: a snapshot; allowed: a text list. Nothing was written";
        assertThat(Main.run("build", snapshot, "-o", path("b.swl"))).isEqualTo(2);
        assertThat(err()).contains(message).hasLineCount(1);
        assertThat(Main.run("build", "", "-o", path("b.swl"))).isEqualTo(2);
        assertThat(err()).contains("no file has an empty name");
    }

    @Test
    void shouldRefuseASwappedBlock() throws IOException {
        Path snapshot = Path.of(build("a"));
        byte[] bytes = Files.readAllBytes(snapshot);
        bytes[4096] ^= 1;
        Files.write(snapshot, bytes);
        assertThat(Main.run("verify", snapshot.toString())).isEqualTo(2);
        assertThat(err().lines()).singleElement().asString().contains("wrong checksum");
    }

    @Test
    void shouldSayWhatASnapshotHolds() {
        assertThat(Main.run("info", build("a", "--seed", "7"), "--json")).isZero();
        assertThat(out())
                .startsWith("{\n")
                .endsWith("}\n")
                .contains(
                        "\"addresses\": 3,",
                        "\"domains\": 1,",
                        "\"denied\": 1,",
                        "\"filter\": \"blocked\",")
                .contains("\"m\": 512,", "\"built\": \"not recorded\",");
        assertThat(Main.run("info", path("a.swl"))).isZero();
        assertThat(out()).containsPattern("addresses +3\n");
    }

    /** The textbook values of the formulas, as the command prints them. */
    @ParameterizedTest
    @CsvSource({
        "1000, 8, 8192, 6, ",
        "10^9, 8, 8000000000, 6, 2.158 %",
        "10^9, 16, 16000000000, 11, 0.04587 %",
        "10^9, 1, 1000000000, 1, 63.21 %",
    })
    void shouldPlanByTheFormulas(String n, String bits, String m, String k, String p) {
        assertThat(
                        Main.run(
                                "plan",
                                "--addresses",
                                n,
                                "--bits-per-address",
                                bits,
                                "--filter",
                                "classic"))
                .isZero();
        assertThat(out().lines().toList().getLast())
                .contains(" " + m + " ", " " + k + " ", p == null ? "" : p);
    }

    /** As {@code build} would choose: with a rate, blocked; with bits, ribbon where it has them. */
    @ParameterizedTest
    @CsvSource({
        "--false-positive-rate, 0.001, blocked",
        "--false-positive-rate, 0.5, blocked",
        "--bits-per-address, 7, blocked",
        "--bits-per-address, 7.25, ribbon",
        "--bits-per-address, 64, ribbon",
    })
    void shouldPlanTheKindThatTheSizeSuggests(String option, String size, String kind)
            throws IOException {
        assertThat(Main.run("plan", "--addresses", "10^6", option, size)).isZero();
        assertThat(out().lines().toList().get(2)).startsWith(kind + " ");

        String snapshot = build("a", option, size);
        assertThat(Main.run("info", snapshot)).isZero();
        assertThat(out()).containsPattern("filter +" + kind + "\n");
    }

    /** The filter that is taken, and the textbook's beside it. */
    @Test
    void shouldPlanTheHeadline() {
        assertThat(Main.run("plan", "--addresses", "10^9", "--bits-per-address", "8")).isZero();
        assertThat(out())
                .contains(
                        "1,000,000,000 addresses; the exact store takes about 9.00 GB, on disk"
                                + " only")
                .containsPattern("\nribbon +7\\.996 +\\d+ +7 +0\\.4913 % +1\\.00 GB")
                .containsPattern("\nclassic +8\\.000 +8000000000 +6 +2\\.158 % +1\\.00 GB");
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
        assertThat(Main.run("plan", "--addresses", "" + n, "--false-positive-rate", "0.001"))
                .isZero();
        String[] row = out().lines().toList().get(2).split(" +", -1);
        out.reset();
        assertThat(Main.run("info", snapshot)).isZero();
        assertThat(out()).containsPattern("\nm +" + row[2] + "\n");
        double planned = Double.parseDouble(row[row.length - 2]) * 1000;
        assertThat(row[row.length - 1]).isEqualTo("kB");
        assertThat(planned).isCloseTo((double) Files.size(Path.of(snapshot)), withinPercentage(15));
    }

    @Test
    void shouldPlanAllKindsSideBySide() {
        assertThat(Main.run("plan", "--addresses", "10^6", "--false-positive-rate", "0.01"))
                .isZero();
        assertThat(out().lines().skip(2))
                .zipSatisfy(
                        List.of(
                                "^blocked +9\\.\\d+ +\\d+ +6 +\\S+ % +1\\.2\\d MB +\\S+ MB$",
                                "^classic +9\\.\\d+ +\\d+ +7 +\\S+ % +1\\.20 MB +\\S+ MB$",
                                "^ribbon +7\\.\\d+ +\\d+ +7 +0.7813 % +\\S+ kB +\\S+ MB$"),
                        (line, pattern) -> assertThat(line).matches(pattern));
    }

    @Test
    void shouldSayWhichKindsHaveNoSuchRate() {
        assertThat(Main.run("plan", "--addresses", "10^6", "--false-positive-rate", "1e-9"))
                .isEqualTo(2);
        assertThat(Main.run("plan", "--addresses", "10^6", "--bits-per-address", "1")).isZero();
    }

    /** Every kind finds all entries, and its measured rate is about the predicted one. */
    @ParameterizedTest
    @EnumSource(FilterKind.class)
    void shouldBuildAndVerifyEveryKind(FilterKind kind) throws IOException {
        Path list = folder.resolve("many.txt");
        Files.write(
                list,
                IntStream.range(0, 20_000)
                        .mapToObj(i -> "user" + i + "@example" + i % 100 + ".org")
                        .toList());
        Path file = folder.resolve("many.swl");
        String label = kind.label();
        assertThat(Main.run("build", list.toString(), "-o", file.toString(), "--filter", label))
                .isZero();
        assertThat(Main.run("verify", file.toString(), "--against", list.toString())).isZero();
        assertThat(out()).contains("20,000 entries: every checksum is right");
        assertThat(Main.run("info", file.toString())).isZero();
        assertThat(out()).containsPattern("filter +" + label + "\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "build FOLDER/none.txt -o FOLDER/x.swl | none.txt: no such file",
                "build FOLDER/a.txt -o FOLDER/none/x.swl | no such folder",
                "build FOLDER/a.txt -o FOLDER/x.swl --memory 1m | --memory: 1048576 bytes are too"
                        + " few; allowed: from 16m",
                "build FOLDER/a.txt -o FOLDER/x.swl --memory much | option '--memory': 'much';"
                        + " allowed: a size",
                "build FOLDER/a.txt -o FOLDER/x.swl --filter foo | option '--filter': 'foo';"
                        + " allowed: classic, blocked",
                "build FOLDER/a.txt -o FOLDER/x.swl --false-positive-rate 2 | option"
                        + " '--false-positive-rate': '2'; allowed: a number from 1.0E-9 to 0.5",
                "build FOLDER/a.txt -o - | -o -: a snapshot is not written to standard output",
                "export onw | no list 'onw' in conf/whitelists.xml, and no such file; allowed: own",
                "completion csh | 'csh'; allowed: bash, zsh",
                "build FOLDER/a.txt | Missing required option",
                "plan --addresses 0 | option '--addresses': '0'; allowed: a whole number from 1",
                "plan --addresses 10^18 --filter blocked --bits-per-address 8 | --addresses"
                        + " '1000000000000000000': filter of too many bits; allowed: multiples of",
                "plan --addresses 2e11 | --addresses '200000000000': filter of too many bits",
                "plan --addresses 9 --filter blocked --false-positive-rate 1e-9 |"
                        + " --false-positive-rate: a blocked filter has no",
                "build FOLDER/a.txt -o FOLDER/x.swl --filter fuse | option '--filter': 'fuse';"
                        + " allowed: classic, blocked, ribbon",
                "info FOLDER/a.txt | a.txt: not a whitelist snapshot",
                "info FOLDER/none | FOLDER/none: no such file",
                "info FOLDER | FOLDER: a folder; allowed: a file",
                "export FOLDER/none | FOLDER/none: no such file",
                "diff FOLDER/none FOLDER/a.txt | FOLDER/none: no such file",
                "verify FOLDER/a.txt | not a whitelist snapshot",
            })
    void shouldExitWithTwoAndSayWhy(String line, String message) throws IOException {
        int exit = Main.run(line.replace("FOLDER", folder.toString()).split(" "));

        assertThat(exit).isEqualTo(2);
        assertThat(err().lines()).hasSize(1);
        assertThat(err()).contains(message.replace("FOLDER", folder.toString()));
        assertThat(out()).isEmpty();
        try (var files = Files.list(folder)) {
            assertThat(files).hasSize(2);
        }
    }
}
