package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A file with a direct-mapped cache of its pages, for a file that does not change and is read in
 * small pieces again and again. A system call takes longer than copying a piece. For one thread.
 *
 * <p>Page p is kept in slot p mod the number of slots. Reads that cross a page bypass the cache.
 */
public final class PagedFile extends ForwardingFile {
    private static final int PAGE = 4096;
    private static final int SLOTS = 1 << 14;

    private final byte[] @Nullable [] pages;

    /** The number of the page in each slot. */
    private final long[] numbers;

    /** Wraps a file, which this one closes. At most 64 MB of it are kept. */
    public PagedFile(DiskFile file) {
        this(file, SLOTS);
    }

    PagedFile(DiskFile file, int slots) {
        super(file);
        this.pages = new byte[slots][];
        this.numbers = new long[slots];
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
        long number = position / PAGE;
        int from = (int) (position % PAGE);
        int length = into.remaining();
        if (length > PAGE - from) {
            return file.read(into, position);
        }
        byte[] page = page(number);
        if (page == null) {
            return file.read(into, position);
        }
        into.put(page, from, length);
        return length;
    }

    /** Returns a page, or null if it is not whole because the file ends. */
    private byte @Nullable [] page(long number) throws IOException {
        int slot = (int) (number % pages.length);
        byte[] page = pages[slot];
        if (page != null && numbers[slot] == number) {
            return page;
        }
        pages[slot] = null;
        byte[] next = page == null ? new byte[PAGE] : page;
        try {
            file.readFully(ByteBuffer.wrap(next), number * PAGE);
        } catch (EOFException e) {
            return null;
        }
        pages[slot] = next;
        numbers[slot] = number;
        return next;
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
        throw new IOException("a file that is kept in memory is not written");
    }
}
