package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A file that is read in small pieces again and again, and does not change meanwhile. It keeps the
 * pages read last in memory, because a call of the system takes longer than copying a piece. For
 * one thread.
 *
 * <p>Each page has one place, which pages of the same remainder share. Longer reads go past the
 * pages.
 */
public final class PagedFile extends ForwardingFile {
    private static final int PAGE = 4096;
    private static final int PLACES = 1 << 14;

    private final byte[] @Nullable [] pages;

    /** The number of the page in each place. */
    private final long[] numbers;

    /** Wraps a file, which this one closes. At most 64 MB of it are kept. */
    public PagedFile(DiskFile file) {
        this(file, PLACES);
    }

    PagedFile(DiskFile file, int places) {
        super(file);
        this.pages = new byte[places][];
        this.numbers = new long[places];
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
        int place = (int) (number % pages.length);
        byte[] page = pages[place];
        if (page != null && numbers[place] == number) {
            return page;
        }
        pages[place] = null;
        byte[] next = page == null ? new byte[PAGE] : page;
        try {
            file.readFully(ByteBuffer.wrap(next), number * PAGE);
        } catch (EOFException e) {
            return null;
        }
        pages[place] = next;
        numbers[place] = number;
        return next;
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
        throw new IOException("a file that is kept in memory is not written");
    }
}
