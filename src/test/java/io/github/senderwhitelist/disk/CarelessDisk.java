package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A disk that omits one of the steps that make a list survive a power cut. */
public final class CarelessDisk extends ForwardingDisk {
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
        super(disk);
        this.neglect = neglect;
        this.folder = folder;
    }

    @Override
    public DiskFile create(Path file, @Nullable Path like) throws IOException {
        return new CarelessFile(super.create(file, like));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        super.rename(from, to);
        for (DiskFile file : unforced) {
            file.force();
        }
        unforced.clear();
    }

    @Override
    public void force(Path forced) throws IOException {
        if (neglect != Neglect.FOLDER || !forced.equals(folder)) {
            super.force(forced);
        }
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
