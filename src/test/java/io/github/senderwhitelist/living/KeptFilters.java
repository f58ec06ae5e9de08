package io.github.senderwhitelist.living;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.living.Follower.Kept;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;

/** Keeps small filters in files, for tests of disks. */
public final class KeptFilters {
    private static final FilterSize SIZE = FilterSize.ofBitsPerKey(10);

    private KeptFilters() {}

    /** Keeps filters of this position. */
    public static void write(Disk disk, Path file, long position) throws IOException {
        new FilterFile(disk, file)
                .write(
                        new Kept(
                                new FeedPosition("epoch", Long.toString(position)),
                                new KeyFilters(SIZE, position, 100, 100)));
    }

    /** Returns the position of the filters that were kept last. */
    public static long read(Disk disk, Path file) throws IOException {
        return Long.parseLong(
                Objects.requireNonNull(new FilterFile(disk, file).read(SIZE)).position().place());
    }
}
