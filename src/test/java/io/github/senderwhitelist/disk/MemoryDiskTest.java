package io.github.senderwhitelist.disk;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;

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
}
