package io.github.senderwhitelist.list;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/**
 * A stream that decompresses gzip data (RFC 1952) of one or more members. Every byte must belong to
 * a complete member. Java's GZIPInputStream instead ends the data at anything after a member that
 * is not a complete member, so it would accept a half-written file.
 */
final class GzipMembers extends InputStream {
    private static final int DEFLATE = 8;
    private static final int HEADER_CRC = 2;
    private static final int EXTRA = 4;
    private static final int NAME = 8;
    private static final int COMMENT = 16;
    private static final int RESERVED = 0xe0;

    private final InputStream in;
    private final Inflater inflater = new Inflater(true);
    private final byte[] packed = new byte[1 << 16];
    private int packedLength;
    private int packedAt;
    private final CRC32 crc = new CRC32();
    private final CRC32 headerCrc = new CRC32();
    private long length;
    private boolean inMember;
    private boolean ended;

    GzipMembers(InputStream in) {
        this.in = in;
    }

    /** Returns whether data with this beginning is gzip. */
    static boolean isPacked(byte[] start) {
        return start.length >= 2 && start[0] == 0x1f && start[1] == (byte) 0x8b;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int from, int count) throws IOException {
        if (count == 0) {
            return 0;
        }
        while (!ended) {
            if (!inMember && !nextMember()) {
                break;
            }
            int unpacked = unpack(bytes, from, count);
            if (unpacked > 0) {
                crc.update(bytes, from, unpacked);
                length += unpacked;
                return unpacked;
            }
            if (inflater.finished()) {
                endMember();
            } else {
                feed();
            }
        }
        return -1;
    }

    private int unpack(byte[] bytes, int from, int count) throws ZipException {
        try {
            int unpacked = inflater.inflate(bytes, from, count);
            if (inflater.needsDictionary()) {
                throw new ZipException("a preset dictionary, which gzip does not have");
            }
            return unpacked;
        } catch (DataFormatException e) {
            throw new ZipException(String.valueOf(e.getMessage()));
        }
    }

    private void feed() throws IOException {
        if (packedAt == packedLength && !fill()) {
            throw new EOFException("cut off");
        }
        inflater.setInput(packed, packedAt, packedLength - packedAt);
        packedAt = packedLength;
    }

    private boolean fill() throws IOException {
        int count = in.read(packed, 0, packed.length);
        packedAt = 0;
        packedLength = Math.max(0, count);
        return count > 0;
    }

    /** Reads the header of the next member. Returns false when there is none. */
    private boolean nextMember() throws IOException {
        if (packedAt == packedLength && !fill()) {
            ended = true;
            inflater.end();
            return false;
        }
        headerCrc.reset();
        if (headerByte() != 0x1f || headerByte() != 0x8b || headerByte() != DEFLATE) {
            throw new ZipException("something that is not gzip");
        }
        int flags = headerByte();
        if ((flags & RESERVED) != 0) {
            throw new ZipException("a header with unknown flags");
        }
        // The modification time, extra flags and operating system are not needed.
        skipHeader(6);
        if ((flags & EXTRA) != 0) {
            skipHeader(headerByte() | headerByte() << 8);
        }
        if ((flags & NAME) != 0) {
            skipText();
        }
        if ((flags & COMMENT) != 0) {
            skipText();
        }
        if ((flags & HEADER_CRC) != 0) {
            long expected = headerCrc.getValue() & 0xffff;
            require((headerByte() | headerByte() << 8) == expected, "a header");
        }
        inflater.reset();
        crc.reset();
        length = 0;
        inMember = true;
        return true;
    }

    private void skipHeader(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            headerByte();
        }
    }

    private void skipText() throws IOException {
        while (headerByte() != 0) {
            // Names and comments are not needed.
        }
    }

    private int headerByte() throws IOException {
        int b = packedByte();
        headerCrc.update(b);
        return b;
    }

    private int packedByte() throws IOException {
        if (packedAt == packedLength && !fill()) {
            throw new EOFException("cut off");
        }
        return packed[packedAt++] & 0xff;
    }

    private void endMember() throws IOException {
        packedAt = packedLength - inflater.getRemaining();
        require(trailer() == crc.getValue(), "data");
        require(trailer() == (length & 0xffffffffL), "a length");
        inMember = false;
    }

    private long trailer() throws IOException {
        long value = 0;
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            value |= (long) packedByte() << shift;
        }
        return value;
    }

    private static void require(boolean condition, String what) throws ZipException {
        if (!condition) {
            throw new ZipException(what + " with a wrong checksum");
        }
    }

    @Override
    public void close() throws IOException {
        ended = true;
        inflater.end();
        in.close();
    }
}
