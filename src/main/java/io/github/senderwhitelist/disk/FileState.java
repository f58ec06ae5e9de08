package io.github.senderwhitelist.disk;

import java.time.Instant;

/**
 * The properties of a file that change with its content, so that a change is seen without reading
 * the file. When two states of a file are equal, it was not changed between them, as far as the
 * file system records it.
 *
 * @param size its length in bytes; 0 when it is missing
 * @param changed when it was last changed; where the system has it, the time of the last change of
 *     data, name or permissions (Unix {@code ctime}), which nobody can set back
 * @param identity distinguishes this file from all others
 * @param details everything else that may differ between two contents
 */
public record FileState(Type type, long size, Instant changed, Object identity, Object details) {
    /** The kinds of file that a name can stand for. */
    public enum Type {
        REGULAR,
        FOLDER,
        /** A pipe, a device or a socket. */
        OTHER,
        /** No file, or one whose properties cannot be read. */
        MISSING
    }

    /** Returns the state of a file whose properties cannot be read for this reason. */
    static FileState missing(Exception reason) {
        return new FileState(Type.MISSING, 0, Instant.EPOCH, "", reason.getClass().getName());
    }

    /** Returns whether this is a file that can be read from beginning to end. */
    public boolean isRegular() {
        return type == Type.REGULAR;
    }

    /** Returns whether both are states of one regular file, whatever became of its content. */
    public boolean isSameFileAs(FileState other) {
        return isRegular() && identity.equals(other.identity);
    }
}
