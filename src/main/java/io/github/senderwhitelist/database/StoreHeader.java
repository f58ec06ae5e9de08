package io.github.senderwhitelist.database;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVStoreException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.HashMap;
import java.util.Map;

/**
 * The header of a file of H2's, which names a chunk and says whether the file was closed. It is
 * written twice. Here it is kept in such a state that no change is lost when a process ends without
 * closing the file. H2 alone would lose some, in two ways:
 *
 * <p>It does not write the header anew for each chunk. From the chunk that the header names it goes
 * to the next one, and so on, to find the newest. Yet the space of chunks is used again, once
 * nothing in them is needed and they are 45 seconds old. If the process ends while a chunk is
 * written in the place of one on that way, H2 takes the one before that for the newest: a state of
 * the database that is up to 20 changes old. So {@link #nameNewest} looks at all chunks. That takes
 * as long as reading the file once.
 *
 * <p>And when the process ends after the first chunk was written, and before the header, that still
 * says that the file was closed. If the chunk took the place of an old one, H2 sees that, and takes
 * some older chunk for the newest. So {@link #markOpen} is for the time before the first chunk.
 *
 * <p>In a third way a copy of an old chunk is taken for the newest. So {@link H2Engine} does not
 * let H2 move chunks, and no chunk is in the file twice.
 *
 * <p>Written for H2 2.4.240: {@code RandomAccessStore.readStoreHeader} and {@code writeChunk}.
 */
final class StoreHeader {
    private static final int BLOCK = ChunkFiles.BLOCK;
    private static final int COPIES = 2;

    /** The bytes that it takes at the beginning of the file. */
    static final int LENGTH = COPIES * BLOCK;

    private static final int BLOCKS_AT_ONCE = 256;
    private static final int MOST_HEAD = 1024;
    private static final int FOOTER = 128;

    /** What a header begins with. */
    private static final String FIRST = "H:2,";

    private static final String CHECKSUM = "fletcher";
    private static final String CLOSED = "clean";

    /** What every chunk begins with. */
    private static final byte[] BEGIN = "chunk:".getBytes(ISO_8859_1);

    private final FileChannel file;
    private final Map<String, String> header;
    private final boolean closed;

    private record Chunk(long block, long id, long version, long length) {}

    private StoreHeader(FileChannel file, Map<String, String> header, boolean closed) {
        this.file = file;
        this.header = header;
        this.closed = closed;
    }

    /** Returns whether a file holds nothing but a part of a header, or not even that. */
    static boolean isUnfinished(FileChannel file) throws IOException {
        if (file.size() > LENGTH || (file.size() == LENGTH && read(file) != null)) {
            return false;
        }
        String text = new String(read(file, 0, LENGTH), ISO_8859_1);
        return text.startsWith(FIRST) || text.chars().allMatch(c -> c == 0);
    }

    /** Reads the header. Returns null if there is none, such as in a new file. */
    static @Nullable StoreHeader read(FileChannel file) throws IOException {
        Map<String, String> first = checked(read(file, 0, BLOCK));
        Map<String, String> second = checked(read(file, BLOCK, BLOCK));
        boolean closed = first != null && first.containsKey(CLOSED) && first.equals(second);
        boolean secondIsNewer = first == null || (second != null && isNewer(second, first));
        Map<String, String> header = secondIsNewer ? second : first;
        return header == null ? null : new StoreHeader(file, header, closed);
    }

    /** Returns whether the file was closed, so that the chunk named is the newest. */
    boolean isClosed() {
        return closed;
    }

    /** Makes the disk keep that the file is open. */
    void markOpen() throws IOException {
        write(header);
    }

    /**
     * Finds the newest whole chunk of a file that was not closed, and names it in both headers. One
     * of them may say still that the file was closed.
     */
    void nameNewest() throws IOException {
        Chunk newest = null;
        long blocks = file.size() / BLOCK;
        for (long from = COPIES; from < blocks; from += BLOCKS_AT_ONCE) {
            byte[] bytes = read(file, from * BLOCK, BLOCKS_AT_ONCE * BLOCK);
            for (int at = 0; at < bytes.length; at += BLOCK) {
                Chunk chunk = chunk(bytes, at, from + at / BLOCK);
                if (chunk != null && (newest == null || isNewer(chunk, newest))) {
                    newest = chunk;
                }
            }
        }
        Map<String, String> named = new HashMap<>(header);
        if (newest != null) {
            named.put("block", Long.toHexString(newest.block));
            named.put("chunk", Long.toHexString(newest.id));
            named.put("version", Long.toHexString(newest.version));
        }
        write(named);
    }

    /** Returns whether a chunk is newer than another. Of two equal ones, that is the one named. */
    private boolean isNewer(Chunk chunk, Chunk other) {
        return chunk.version > other.version || (chunk.version == other.version && isNamed(chunk));
    }

    private static boolean isNewer(Map<String, String> header, Map<String, String> other) {
        return number(header, "version") > number(other, "version");
    }

    private boolean isNamed(Chunk chunk) {
        return chunk.version == number(header, "version")
                && chunk.block == number(header, "block")
                && chunk.id == number(header, "chunk");
    }

    /** Returns the chunk that begins at {@code bytes[at]}, or null if there is no whole one. */
    private @Nullable Chunk chunk(byte[] bytes, int at, long block) throws IOException {
        for (int i = 0; i < BEGIN.length; i++) {
            if (at + i >= bytes.length || bytes[at + i] != BEGIN[i]) {
                return null;
            }
        }
        int length = Math.min(MOST_HEAD, bytes.length - at);
        String head = new String(bytes, at, length, ISO_8859_1);
        int end = head.indexOf('\n');
        Chunk chunk = end < 0 ? null : chunk(parse(head.substring(0, end)), block);
        if (chunk == null || chunk.length < 1 || chunk.length > file.size() / BLOCK - block) {
            return null;
        }
        long after = block + chunk.length;
        Map<String, String> footer = checked(read(file, after * BLOCK - FOOTER, FOOTER));
        return footer != null && chunk.equals(chunk(footer, block)) ? chunk : null;
    }

    /** Returns the chunk that its head or its footer tells of. */
    private static @Nullable Chunk chunk(@Nullable Map<String, String> told, long block) {
        if (told == null || (told.containsKey("block") && number(told, "block") != block)) {
            return null;
        }
        return new Chunk(
                block, number(told, "chunk"), number(told, "version"), number(told, "len"));
    }

    /** Writes a header that does not say that the file was closed. */
    private void write(Map<String, String> said) throws IOException {
        HashMap<String, String> open = new HashMap<>(said);
        open.remove(CLOSED);
        StringBuilder text = new StringBuilder();
        DataUtils.appendMap(text, open);
        byte[] bytes = text.toString().getBytes(ISO_8859_1);
        DataUtils.appendMap(text, CHECKSUM, DataUtils.getFletcher32(bytes, 0, bytes.length));
        bytes = text.append('\n').toString().getBytes(ISO_8859_1);
        for (long at = 0; at < LENGTH; at += BLOCK) {
            ByteBuffer block = ByteBuffer.allocate(BLOCK).put(bytes).rewind();
            while (block.hasRemaining()) {
                file.write(block, at + block.position());
            }
            // So one of the two is always whole.
            file.force(false);
        }
    }

    /** Returns what a text with a checksum says, or null if it was not written whole. */
    private static @Nullable Map<String, String> checked(byte[] bytes) {
        String text = new String(bytes, ISO_8859_1).trim();
        int end = text.lastIndexOf(',' + CHECKSUM + ':');
        if (end < 0) {
            return null;
        }
        try {
            int checksum =
                    Integer.parseUnsignedInt(text, end + CHECKSUM.length() + 2, text.length(), 16);
            byte[] checked = text.substring(0, end).getBytes(ISO_8859_1);
            return checksum == DataUtils.getFletcher32(checked, 0, checked.length)
                    ? parse(text.substring(0, end))
                    : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static @Nullable Map<String, String> parse(String text) {
        try {
            return DataUtils.parseMap(text);
        } catch (MVStoreException e) {
            return null;
        }
    }

    /** Returns a number that H2 wrote in hexadecimal, or -1. */
    private static long number(Map<String, String> map, String key) {
        try {
            return Long.parseUnsignedLong(map.getOrDefault(key, ""), 16);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** Returns bytes of the file; fewer, if it ends before. */
    private static byte[] read(FileChannel file, long position, int length) throws IOException {
        long left = Math.clamp(file.size() - position, 0, length);
        ByteBuffer bytes = ByteBuffer.allocate((int) left);
        while (bytes.hasRemaining() && file.read(bytes, position + bytes.position()) >= 0) {
            // The rest.
        }
        return bytes.array();
    }
}
