package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A disk that forwards all calls to another one, for subclasses that change some of them. */
public class ForwardingDisk implements Disk {
    final Disk disk;

    /** Wraps a disk. */
    public ForwardingDisk(Disk disk) {
        this.disk = disk;
    }

    /** The calls of {@link Disk} and {@link DiskFile}. */
    public enum Call {
        OPEN,
        CREATE,
        RENAME,
        DELETE,
        CREATE_FOLDER,
        FORCE_FOLDER,
        LIST,
        STATE,
        FREE_BYTES,
        READ,
        WRITE,
        SIZE,
        FORCE,
        LOCK,
        CLOSE
    }

    /** Called before each call but {@link Call#STATE}, with the path that a failure would name. */
    void before(Call call, Path path) throws IOException {}

    @Override
    public DiskFile open(Path file) throws IOException {
        before(Call.OPEN, file);
        return disk.open(file);
    }

    @Override
    public DiskFile create(Path file, @Nullable Path like) throws IOException {
        before(Call.CREATE, like == null ? file : like);
        return disk.create(file, like);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        before(Call.RENAME, to);
        disk.rename(from, to);
    }

    @Override
    public void delete(Path file) throws IOException {
        before(Call.DELETE, file);
        disk.delete(file);
    }

    @Override
    public void createFolder(Path folder) throws IOException {
        before(Call.CREATE_FOLDER, folder);
        disk.createFolder(folder);
    }

    @Override
    public void force(Path folder) throws IOException {
        before(Call.FORCE_FOLDER, folder);
        disk.force(folder);
    }

    @Override
    public List<Path> list(Path folder) throws IOException {
        before(Call.LIST, folder);
        return disk.list(folder);
    }

    @Override
    public FileState state(Path file) {
        return disk.state(file);
    }

    @Override
    public long freeBytes(Path folder) throws IOException {
        before(Call.FREE_BYTES, folder);
        return disk.freeBytes(folder);
    }
}
