package io.github.senderwhitelist.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;

class PagedFileTest {
    private static final int PAGE = 4096;
    private static final int LENGTH = 10 * PAGE + 777;

    @TempDir Path folder;
    private final byte[] content = new byte[LENGTH];
    private Counting under;
    private PagedFile paged;

    /** Counts the reads, and lets them fail on demand. */
    private static final class Counting extends ForwardingFile {
        int reads;
        boolean failing;

        Counting(DiskFile file) {
            super(file);
        }

        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            reads++;
            if (failing) {
                into.put((byte) 0);
                throw new IOException("the disk failed");
            }
            return super.read(into, position);
        }
    }

    @BeforeEach
    void open() throws IOException {
        new Random(1).nextBytes(content);
        under = new Counting(Disk.LOCAL.open(Files.write(folder.resolve("file"), content)));
        paged = new PagedFile(under, 4);
    }

    @AfterEach
    void close() throws IOException {
        paged.close();
    }

    private byte[] read(int position, int length) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(length);
        paged.readFully(into, position);
        return into.array();
    }

    @Test
    void shouldReadWhatIsInTheFile() throws IOException {
        Random random = new Random(2);
        for (int i = 0; i < 20_000; i++) {
            int position = random.nextInt(LENGTH);
            int length = random.nextInt(Math.min(LENGTH - position, 2 * PAGE) + 1);
            assertThat(read(position, length))
                    .isEqualTo(Arrays.copyOfRange(content, position, position + length));
        }
    }

    @Test
    void shouldReadAPageOnce() throws IOException {
        for (int i = 0; i < 100; i++) {
            read(4 * PAGE + i, 1000);
            read(5 * PAGE + i, PAGE - i);
        }

        assertThat(under.reads).isEqualTo(2);
    }

    @Test
    void shouldReportWhereTheFileEnds() throws IOException {
        assertThat(read(LENGTH - 1, 1)).containsExactly(content[LENGTH - 1]);
        assertThat(paged.read(ByteBuffer.allocate(1), LENGTH)).isEqualTo(-1);
        assertThatThrownBy(() -> read(LENGTH - 1, 2)).isInstanceOf(EOFException.class);
        assertThat(paged.size()).isEqualTo(LENGTH);
    }

    /** A page that came half is not kept, and neither is the one whose place it took. */
    @Test
    void shouldKeepNothingOfAReadThatFailed() throws IOException {
        read(0, 10);
        under.failing = true;
        assertThatThrownBy(() -> read(4 * PAGE, 10)).hasMessage("the disk failed");
        under.failing = false;

        assertThat(read(4 * PAGE, 10))
                .isEqualTo(Arrays.copyOfRange(content, 4 * PAGE, 4 * PAGE + 10));
        assertThat(read(0, 10)).isEqualTo(Arrays.copyOf(content, 10));
    }

    @Test
    void shouldRefuseToWrite() {
        assertThatThrownBy(() -> paged.write(ByteBuffer.allocate(1), 0))
                .isInstanceOf(IOException.class);
    }
}
