package io.github.senderwhitelist.disk;

import java.nio.file.Path;

/** A change of a disk. Files are identified by inode, since names come to stand for other files. */
public sealed interface Change {
    /** A new, empty file. */
    record Made(Path name, long inode) implements Change {}

    /** Bytes at a position of a file. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Wrote(long inode, long position, byte[] bytes) implements Change {
        @Override
        public String toString() {
            return bytes.length + " bytes written at " + position + " of " + inode;
        }
    }

    /** A file that has another name from now on. */
    record Renamed(Path from, Path to, long inode) implements Change {}

    /** A name that is gone. */
    record Deleted(Path name, long inode) implements Change {}

    /** A new folder. */
    record MadeFolder(Path name) implements Change {}

    /** A file whose bytes are on the disk for good. */
    record ForcedFile(long inode) implements Change {}

    /** A folder whose names are on the disk for good. */
    record ForcedFolder(Path name) implements Change {}

    /** A whole file that another program put in place. It is durable at once. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Put(Path name, long inode, byte[] bytes) implements Change {}

    /** A folder that another program made. It is durable at once. */
    record PutFolder(Path name) implements Change {}

    /** No change of the disk. It notes something that the test knows to be true from here on. */
    record Mark(String what) implements Change {}
}
