package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * All access to files. It may be used by any number of threads. In a thread that is interrupted,
 * writing fails, since what it makes is not wanted any more; all else goes on. A call that fails
 * throws an {@link IOException} whose message names the file once and then the reason, usually a
 * {@link java.nio.file.FileSystemException}.
 */
public interface Disk {
    Disk LOCAL = new LocalDisk();

    /** The prefix of the names that temporary files have for a moment. */
    String TEMPORARY_PREFIX = ".swl-temporary-";

    /**
     * Opens a regular file for reading: the one that has the name now. Others are refused, since
     * reading a pipe or a device may never end.
     */
    DiskFile open(Path file) throws IOException;

    /**
     * Returns the lines of a UTF-8 file of at most a megabyte without their line ends, and without
     * the byte order mark that some editors put before the first.
     */
    static List<String> lines(Disk disk, Path file) throws IOException {
        int max = 1 << 20;
        try (InputStream in = disk.open(file).input()) {
            ByteBuffer bytes = ByteBuffer.wrap(in.readNBytes(max + 1));
            if (bytes.limit() > max) {
                throw new IOException(file + ": more than " + max + " bytes");
            }
            String text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
            return text.replaceFirst("^\ufeff", "").lines().toList();
        } catch (CharacterCodingException e) {
            throw new IOException(file + ": not UTF-8", e);
        }
    }

    /**
     * Creates a file for reading and writing, which must not exist.
     *
     * @param target the file that it is to replace: the new file gets its permissions, and failures
     *     get its name. If it is no file, only the owner may read and write the new one
     */
    DiskFile create(Path file, Path target) throws IOException;

    /** Renames a file, replacing one there is, at once or not at all. Failures get the new name. */
    void rename(Path from, Path to) throws IOException;

    /** Deletes a file. Does nothing when it does not exist. */
    void delete(Path file) throws IOException;

    /** Creates a folder that only the owner may access, unless it exists. */
    void createFolder(Path folder) throws IOException;

    /** Creates a folder and its missing parents so that they survive a power cut. */
    static void createFolders(Disk disk, Path folder) throws IOException {
        FileState.Type type = disk.state(folder).type();
        if (type == FileState.Type.REGULAR || type == FileState.Type.OTHER) {
            throw new IOException(folder + ": not a folder");
        }
        Path above = folder.toAbsolutePath().getParent();
        if (type == FileState.Type.MISSING && above != null) {
            createFolders(disk, above);
            disk.createFolder(folder);
            disk.force(above);
        }
    }

    /**
     * Forces the names in a folder to the disk, so that a rename survives a power cut. Where the
     * system cannot do that, a power cut within seconds may bring the old names back.
     */
    void force(Path folder);

    /** Returns everything in a folder; nothing if it cannot be read. */
    List<Path> list(Path folder);

    /** Returns the current state of a file, also of one that does not exist. */
    FileState state(Path file);

    /** Returns how many bytes can still be written to the disk of a folder, if that is known. */
    long freeBytes(Path folder);
}
