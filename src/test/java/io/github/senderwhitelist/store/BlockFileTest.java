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

    @TempDir private Path folder;
    private Path path;
    private byte[] content;
    private DiskFile file;
    private BlockFile blocks;

    @BeforeEach
    void writeFile() throws IOException {
        content = new byte[START + BLOCKS * BlockFormat.SIZE];
        new SplittableRandom(1).nextBytes(content);
        path = Files.write(folder.resolve("blocks"), content);
        file = Disk.LOCAL.openShared(path);
        blocks = new BlockFile(file, path, START);
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
        byte[] block = new byte[BlockFormat.SIZE];
        blocks.read(number, block);
        return block;
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
