package io.github.senderwhitelist.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;

class BlockFileTest {
    private static final int BLOCKS = 100;
    private static final int START = 12_345;
    private static final long SALT = 77;

    @TempDir private Path folder;
    private Path path;
    private byte[] content;
    private DiskFile file;
    private BlockFile blocks;

    @BeforeEach
    void writeFile() throws IOException {
        content = new byte[START + BLOCKS * BlockFormat.SIZE];
        new SplittableRandom(1).nextBytes(content);
        for (int number = 0; number < BLOCKS; number++) {
            byte[] block = expected(number);
            BlockFormat.putInt(
                    block, BlockFormat.CRC_AT, BlockFormat.checksum(block, SALT, number));
            System.arraycopy(
                    block, 0, content, START + number * BlockFormat.SIZE, BlockFormat.SIZE);
        }
        path = Files.write(folder.resolve("blocks"), content);
        file = Disk.LOCAL.open(path);
        blocks = new BlockFile(file, path, START, SALT);
    }

    @AfterEach
    void closeFile() throws IOException {
        file.close();
    }

    private byte[] expected(int number) {
        int from = START + number * BlockFormat.SIZE;
        return Arrays.copyOfRange(content, from, from + BlockFormat.SIZE);
    }

    private byte[] read(int number) throws IOException {
        return read(blocks, number);
    }

    private static byte[] read(Blocks from, int number) throws IOException {
        return Arrays.copyOf(from.get(number, new byte[Blocks.ROOM]), BlockFormat.SIZE);
    }

    private void overwrite(int number) throws IOException {
        try (RandomAccessFile other = new RandomAccessFile(path.toFile(), "rw")) {
            other.seek(START + (long) number * BlockFormat.SIZE + 5);
            other.write(~content[START + number * BlockFormat.SIZE + 5]);
        }
    }

    @Test
    void shouldRefuseABlockThatWasOverwritten() throws IOException {
        overwrite(7);
        assertThatIOException()
                .isThrownBy(() -> read(7))
                .withMessage(
                        path
                                + ": block 7 of its exact store has a wrong checksum: damaged or"
                                + " overwritten since it was opened");
        assertThat(read(8)).isEqualTo(expected(8));
    }

    @Test
    void shouldGoOnInMemoryWhateverHappensToTheFile() throws IOException {
        Blocks copies = new MemoryBlocks(blocks, BLOCKS);
        for (int number = 0; number < BLOCKS; number++) {
            overwrite(number);
            assertThat(read(copies, number)).isEqualTo(expected(number));
        }
    }

    @Test
    void shouldNotTakeADamagedBlockIntoMemory() throws IOException {
        overwrite(BLOCKS - 1);
        assertThatIOException()
                .isThrownBy(() -> new MemoryBlocks(blocks, BLOCKS))
                .withMessageContaining("block 99 of its exact store has a wrong checksum");
    }

    @Test
    void shouldReadEachBlock() throws IOException {
        for (int number = 0; number < BLOCKS; number++) {
            assertThat(read(number)).isEqualTo(expected(number));
        }
    }

    @Test
    void shouldGoOnWithTheSameFileWhenAnotherTakesItsName() throws IOException {
        Files.delete(path);
        Files.writeString(path, "other");
        assertThat(read(BLOCKS - 1)).isEqualTo(expected(BLOCKS - 1));
    }

    @Test
    void shouldFailOnlyTheLookupWhenTheFileBecomesShorter() throws IOException {
        try (RandomAccessFile shorter = new RandomAccessFile(path.toFile(), "rw")) {
            shorter.setLength(START + 10L * BlockFormat.SIZE);
        }
        assertThatIOException()
                .isThrownBy(() -> read(BLOCKS - 1))
                .withMessage(path + ": ends before block 99 of its exact store");
        assertThat(read(3)).isEqualTo(expected(3));
    }

    @Test
    void shouldFailWhenClosed() throws IOException {
        file.close();
        assertThatIOException()
                .isThrownBy(() -> read(0))
                .withMessageContaining(path + ": block 0 of its exact store cannot be read")
                .withMessageContaining("closed");
    }
}
