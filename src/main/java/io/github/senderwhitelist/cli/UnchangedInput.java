package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskInput;
import io.github.senderwhitelist.disk.FileState;

import java.io.FilterInputStream;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A stream of a whole file. When it is closed, it throws an exception if the file was written to
 * meanwhile: a part of it may be missing then. A file that was replaced, or has another name now,
 * was read whole.
 */
final class UnchangedInput extends FilterInputStream {
    private final Path file;
    private final FileState before;

    private UnchangedInput(Path file, FileState before) throws IOException {
        super(DiskInput.open(Disk.LOCAL, file));
        this.file = file;
        this.before = before;
    }

    /** Opens a file. */
    static UnchangedInput open(Path file) throws IOException {
        return new UnchangedInput(file, Disk.LOCAL.state(file));
    }

    @Override
    public void close() throws IOException {
        super.close();
        FileState now = Disk.LOCAL.state(file);
        if (before.isSameFileAs(now) && !before.equals(now)) {
            throw new IOException(
                    file
                            + ": changed while it was read, so a part of it may be missing; nothing"
                            + " was written. Run the command again when it stands still, or replace"
                            + " lists by renaming");
        }
    }
}
