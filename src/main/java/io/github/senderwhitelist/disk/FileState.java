package io.github.senderwhitelist.disk;

import java.time.Instant;

/**
 * What tells one content of a file from another without reading it. Two states of a file that are
 * equal mean that it was not changed between them, as far as its file system can tell.
 *
 * @param type what it is
 * @param size its length in bytes; 0 for what is no file
 * @param changed when it was changed last. Where the system tells the time of the last change of
 *     data, name or permissions (Unix {@code ctime}), that time, because nobody can set it back
 * @param identity tells the file from others that have had its name
 * @param details everything else that may tell two contents apart
 */
public record FileState(Type type, long size, Instant changed, Object identity, Object details) {
    /** What a name can stand for. */
    public enum Type {
        /** A file that can be read from beginning to end. */
        REGULAR,
        /** A folder. */
        FOLDER,
        /** A pipe, a device, a socket. */
        OTHER,
        /** Nothing that can be looked at. */
        MISSING
    }

    /** Returns whether there is a regular file. */
    public boolean isRegular() {
        return type == Type.REGULAR;
    }

    /** Returns whether the two are of one file, whatever happened to its content between them. */
    public boolean isSameFileAs(FileState other) {
        return isRegular() && identity.equals(other.identity);
    }
}
