package io.github.senderwhitelist.disk;

import io.github.senderwhitelist.faults.Deed;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import java.nio.file.Path;

class MemoryDiskTest implements DiskContract {
    private final MemoryDisk disk = new MemoryDisk();

    @BeforeEach
    void folderOfTests() {
        disk.putFolder(folder());
    }

    @AfterEach
    void nothingIsOpen() {
        Deed.require(disk.openFiles().isEmpty(), "open: " + disk.openFiles());
    }

    @Override
    public Disk disk() {
        return disk;
    }

    @Override
    public Path folder() {
        return Path.of("/folder");
    }
}
