package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A disk that omits one of the steps that make a list survive a power cut. */
public class CarelessDisk implements Disk {
    private final Disk disk;
    private final Neglect neglect;
    private final Path folder;
    private final List<DiskFile> unforced = new ArrayList<>();

    /** The step that is omitted. */
    public enum Neglect {
        /** Files are not forced. */
        FILES,
        /** One folder is not forced. */
        FOLDER,
        /** Files are forced after they are renamed instead of before. */
        ORDER
    }

    /**
     * Wraps a disk.
     *
     * @param folder the folder that is not forced
     */
    public CarelessDisk(Disk disk, Neglect neglect, Path folder) {
        this.disk = disk;
        this.neglect = neglect;
        this.folder = folder;
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return disk.open(file);
    }

    @Override
    public DiskFile openShared(Path file) throws IOException {
        return disk.openShared(file);
    }

    @Override
    public DiskFile create(Path file, @Nullable Path like) throws IOException {
        return new CarelessFile(disk.create(file, like));
    }

    @Override
    public DiskFile createTemporary(Path in) throws IOException {
        return disk.createTemporary(in);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        disk.rename(from, to);
        for (DiskFile file : unforced) {
            file.force();
        }
        unforced.clear();
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
    public void deleteIfIdle(Path file) throws IOException {
        disk.deleteIfIdle(file);
    }

    @Override
    public void createFolder(Path made, boolean ownerOnly) throws IOException {
        disk.createFolder(made, ownerOnly);
    }

    @Override
    public void force(Path forced) throws IOException {
        if (neglect != Neglect.FOLDER || !forced.equals(folder)) {
            disk.force(forced);
        }
    }

    @Override
    public List<Path> list(Path listed) throws IOException {
        return disk.list(listed);
    }

    @Override
    public FileState state(Path file) {
        return disk.state(file);
    }

    @Override
    public void touch(Path file) throws IOException {
        disk.touch(file);
    }

    @Override
    public long freeBytes(Path in) throws IOException {
        return disk.freeBytes(in);
    }

    @Override
    public boolean isOnOneDisk(Path one, Path other) throws IOException {
        return disk.isOnOneDisk(one, other);
    }

    /** A file of this disk. */
    private final class CarelessFile extends ForwardingFile {
        CarelessFile(DiskFile file) {
            super(file);
        }

        @Override
        public void force() throws IOException {
            switch (neglect) {
                case FILES -> {}
                case FOLDER -> file.force();
                case ORDER -> unforced.add(file);
            }
        }
    }
}
