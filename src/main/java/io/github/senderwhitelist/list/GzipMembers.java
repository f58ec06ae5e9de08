package io.github.senderwhitelist.list;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * A stream that decompresses gzip data (RFC 1952) of one or more members, which zeros may follow.
 * Java's stream alone takes anything after a member that does not begin as a member for the end, so
 * it would accept a half-written file. Here the packed bytes are counted: behind the last member
 * none but zeros may be left. Damaged data are a {@link ListRefusedException}.
 */
final class GzipMembers extends GZIPInputStream {
    /** The checksum and the length after the data of a member. */
    private static final int TRAILER = 8;

    private final Packed packed;
    private final String name;
    private long filled;
    private boolean reading;

    private GzipMembers(Packed packed, String name) throws IOException {
        super(packed, 1 << 16);
        this.packed = packed;
        this.name = name;
    }

    /** Returns the data in {@code in}, which messages call {@code name}. */
    static InputStream open(InputStream in, String name) throws IOException {
        try {
            return new GzipMembers(new Packed(in), name);
        } catch (EOFException | ZipException e) {
            throw refused(name, e);
        }
    }

    private static ListRefusedException refused(String name, IOException e) {
        String damage = e instanceof EOFException ? "cut off" : String.valueOf(e.getMessage());
        return new ListRefusedException(
                name + ": damaged gzip data (" + damage + "). The list is refused");
    }

    @Override
    protected void fill() throws IOException {
        super.fill();
        filled = packed.count;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        if (reading) {
            // Java calls this again at the end of each member. Many empty ones would go too deep.
            return 0;
        }
        reading = true;
        try {
            int unpacked;
            do {
                unpacked = super.read(bytes, from, length);
            } while (unpacked == 0 && length > 0);
            if (unpacked < 0) {
                packed.transferTo(OutputStream.nullOutputStream());
                if (packed.nonZero > filled - inf.getRemaining() + TRAILER) {
                    throw new ZipException("something that is not gzip");
                }
            }
            return unpacked;
        } catch (EOFException | ZipException e) {
            throw refused(name, e);
        } finally {
            reading = false;
        }
    }

    /** Counts the packed bytes, all of them and those up to the last that is not zero. */
    private static final class Packed extends FilterInputStream {
        private long count;
        private long nonZero;

        Packed(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            int read = in.read(bytes, from, length);
            for (int i = 0; i < read; i++) {
                count++;
                nonZero = bytes[from + i] == 0 ? nonZero : count;
            }
            return read;
        }

        /** Returns that there may be more. Java takes zero for the end of the data. */
        @Override
        public int available() {
            return 1;
        }
    }
}
