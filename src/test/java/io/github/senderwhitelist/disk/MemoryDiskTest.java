package io.github.senderwhitelist.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.disk.FaultyDisk.Fault;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

class MemoryDiskTest implements DiskContract {
    private final MemoryDisk disk = new MemoryDisk();

    @AfterEach
    void nothingIsOpen() {
        assertThat(disk.openFiles()).isEmpty();
    }

    @Override
    public Disk disk() {
        return disk;
    }

    @Override
    public Path folder() {
        disk.putFolder(Path.of("/folder"));
        return Path.of("/folder");
    }

    /** Some systems cannot lock files or force folders, and what is closed is already in place. */
    @ParameterizedTest
    @ValueSource(ints = {1, 6, 7})
    void shouldReplaceAFileThoughThatCallFails(int call) throws IOException {
        Path target = folder().resolve("a");
        FaultyDisk faulty = new FaultyDisk(disk);
        faulty.arm(Fault.ERROR, call, false);
        try (AtomicFile file = AtomicFile.create(faulty, target)) {
            file.file().writeFully(ByteBuffer.wrap(new byte[] {2, 3}), 0);
            file.publish();
        }
        assertThat(faulty.struckCalls()).hasSize(1);
        assertThat(disk.bytes(target)).containsExactly(2, 3);
    }
}
