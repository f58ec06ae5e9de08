package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A disk that forwards all calls to another one, for subclasses that change some of them. */
public class ForwardingDisk implements Disk {
    private final Disk disk;

    /** Wraps a disk. */
    public ForwardingDisk(Disk disk) {
        this.disk = disk;
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return disk.open(file);
    }

    @Override
    public DiskFile create(Path file, @Nullable Path like) throws IOException {
        return disk.create(file, like);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        disk.rename(from, to);
    }

    @Override
    public boolean renameIfAbsent(Path from, Path to) throws IOException {
        return disk.renameIfAbsent(from, to);
    }

    @Override
    public void delete(Path file) throws IOException {
        disk.delete(file);
    }

    @Override
    public void createFolder(Path folder) throws IOException {
        disk.createFolder(folder);
    }

    @Override
    public void force(Path folder) throws IOException {
        disk.force(folder);
    }

    @Override
    public List<Path> list(Path folder) throws IOException {
        return disk.list(folder);
    }

    @Override
    public FileState state(Path file) {
        return disk.state(file);
    }

    @Override
    public long freeBytes(Path folder) throws IOException {
        return disk.freeBytes(folder);
    }
}
