package io.github.senderwhitelist.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.senderwhitelist.disk.Disk;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

class BlockFileTest {
    private static final int BLOCKS = 100;
    private static final int START = 12_345;

    @TempDir private Path folder;
    private Path file;
    private byte[] content;

    @BeforeEach
    void writeFile() throws IOException {
        assumeThat(Runtime.version().feature()).as("Java").isGreaterThanOrEqualTo(22);
        content = new byte[START + BLOCKS * BlockFormat.SIZE];
        new SplittableRandom(1).nextBytes(content);
        file = Files.write(folder.resolve("blocks"), content);
    }

    private BlockFile mapped() throws IOException {
        BlockFile blocks = BlockFile.mapped(Disk.LOCAL.open(file), file, START, BLOCKS);
        assertThat(blocks.isMapped()).isTrue();
        return blocks;
    }

    @Test
    void shouldReadWhatIsReadByPosition() throws IOException {
        try (BlockFile mapped = mapped();
                BlockFile positional =
                        BlockFile.positional(Disk.LOCAL.openShared(file), file, START)) {
            for (int number = 0; number < BLOCKS; number++) {
                byte[] expected = positional.read(number, byte[]::clone);
                assertThat(mapped.read(number, byte[]::clone)).isEqualTo(expected);
                assertThat(expected[0]).isEqualTo(content[START + number * BlockFormat.SIZE]);
            }
        }
    }

    @Test
    void shouldGoOnWithTheSameFileWhenAnotherTakesItsName() throws IOException {
        try (BlockFile mapped = mapped()) {
            Files.delete(file);
            Files.writeString(file, "other");
            assertThat((byte) mapped.read(BLOCKS - 1, block -> block[2047]))
                    .isEqualTo(content[content.length - 1]);
        }
    }

    @Test
    void shouldFailOnlyTheLookupWhenTheFileBecomesShorter() throws IOException {
        try (BlockFile mapped = mapped()) {
            try (RandomAccessFile shorter = new RandomAccessFile(file.toFile(), "rw")) {
                shorter.setLength(START + 10L * BlockFormat.SIZE);
            }
            for (int i = 0; i < 20_000; i++) {
                assertThatIOException()
                        .isThrownBy(() -> mapped.read(BLOCKS - 1, block -> block[0]))
                        .withMessageContaining(
                                file + ": block 99 of its exact store cannot be read");
            }
            assertThat((byte) mapped.read(3, block -> block[0]))
                    .isEqualTo(content[START + 3 * BlockFormat.SIZE]);
        }
    }

    @Test
    void shouldFailWhenClosed() throws IOException {
        BlockFile mapped = mapped();
        mapped.close();
        assertThatIOException()
                .isThrownBy(() -> mapped.read(0, block -> block[0]))
                .withMessageContaining("closed");
    }

    @Test
    void shouldLetGoOfTheFileWhenClosed() throws IOException {
        BlockFile mapped = mapped();
        Path maps = Path.of("/proc/self/maps");
        assumeThat(maps).exists();
        assertThat(Files.readString(maps)).contains(file.toString());
        mapped.close();
        assertThat(Files.readString(maps)).doesNotContain(file.toString());
    }
}
