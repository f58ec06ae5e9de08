package io.github.senderwhitelist.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;

/** Tests files that were cut or damaged, and sources that are read through different streams. */
class SnapshotDamageTest {
    private static final byte[] LIST = "alice@example.com\n".getBytes(UTF_8);

    @TempDir Path folder = Path.of("made by JUnit");

    @ParameterizedTest
    @ValueSource(ints = {8, 9, 11, 12, 15})
    void shouldRefuseAStubOfLittleMoreThanTheMagic(int length) throws Exception {
        Path file = build(new ByteArrayInputStream(LIST));
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), length));
        assertThatThrownBy(() -> Snapshot.open(Disk.LOCAL, file))
                .isInstanceOf(SnapshotException.class);
    }

    @Test
    void shouldRecordTheDigestWhateverStreamTheSourceComesThrough() throws Exception {
        String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(LIST));
        for (InputStream in :
                new InputStream[] {
                    new ByteArrayInputStream(LIST),
                    new BufferedInputStream(new ByteArrayInputStream(LIST))
                }) {
            assertThat(Snapshot.readHeader(Disk.LOCAL, build(in)).sourceDigest()).isEqualTo(digest);
        }
    }

    @Test
    void shouldNotCopyASnapshotWithAnotherBlock() throws Exception {
        Path file = build(new ByteArrayInputStream(LIST));
        byte[] bytes = Files.readAllBytes(file);
        // The zeros after the entries mean nothing.
        bytes[4096 + 1000] = 1;
        Path forged = Files.write(folder.resolve("forged.swl"), bytes);
        Path target = folder.resolve("target.swl");

        assertThatThrownBy(() -> Snapshot.copy(Disk.LOCAL, forged, target, Admission.ALL, () -> {}))
                .isInstanceOf(SnapshotException.class)
                .hasMessage(
                        forged
                                + ": damaged: block 0 of its exact store has a wrong checksum:"
                                + " damaged or overwritten since it was opened. Build or copy the"
                                + " snapshot again");
        assertThat(target).doesNotExist();
    }

    private Path build(InputStream list) throws Exception {
        Path file = folder.resolve("list.swl");
        BuildOptions options = new BuildOptions(FilterKind.BLOCKED, FilterSize.ofRate(0.001));
        new Builds(options, 1, 0).build(list, "list.txt", file, Admission.ALL);
        return file;
    }
}
