package io.github.senderwhitelist.living;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.disk.Folders;
import io.github.senderwhitelist.disk.UnfinishedFile;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.living.Follower.Kept;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * The file in which the filters of a living list are kept, so that a server that starts need not
 * read the whole table.
 *
 * <p>All numbers are little-endian: magic (u64), format version, key version, length of the header
 * (u32 each), seed (u64); for each of the two filters the keys it was made for, those added, m (u64
 * each) and k (u32); the length of the epoch (u32) and the epoch, and the same of the place; a
 * CRC-32C of all this (u32); the words of both filters; a CRC-32C of them (u32).
 */
final class FilterFile {
    private static final long MAGIC = 0x0a1a46424c57534aL;
    private static final int VERSION = 1;
    private static final int PREFIX = Long.BYTES + 3 * Integer.BYTES;
    private static final int FILTERS = 2;

    /** The bytes of a header without an epoch. */
    private static final int FIXED =
            PREFIX + Long.BYTES + FILTERS * (3 * Long.BYTES + Integer.BYTES) + 3 * Integer.BYTES;

    private static final int MOST_HEADER = 1 << 20;
    private static final int CHUNK = 1 << 20;

    private final Disk disk;
    private final Path file;

    FilterFile(Disk disk, Path file) {
        this.disk = disk;
        this.file = file;
    }

    /** Replaces the file. After a crash, the old one is still there. */
    void write(Kept kept) throws IOException {
        Folders.make(disk, Objects.requireNonNull(file.toAbsolutePath().getParent()), true);
        UnfinishedFile.sweep(disk, file);
        try (UnfinishedFile unfinished = UnfinishedFile.of(disk, file)) {
            DiskFile out = unfinished.file();
            ByteBuffer header = header(kept);
            long at = header.remaining();
            out.writeFully(header, 0);
            CRC32C crc = new CRC32C();
            for (KeyFilter filter : filters(kept.filters())) {
                writeWords(filter, out, at, crc);
                at += filter.bytes();
            }
            out.writeFully(checksum(crc), at);
            unfinished.publish();
        }
    }

    private static List<KeyFilter> filters(KeyFilters filters) {
        return List.of(filters.addresses(), filters.domains());
    }

    private static ByteBuffer header(Kept kept) {
        byte[] epoch = kept.position().epoch().getBytes(UTF_8);
        byte[] place = kept.position().place().getBytes(UTF_8);
        ByteBuffer header = allocate(FIXED + epoch.length + place.length);
        header.putLong(MAGIC)
                .putInt(VERSION)
                .putInt(AddressSyntax.VERSION)
                .putInt(header.capacity())
                .putLong(kept.filters().seed());
        for (KeyFilter filter : filters(kept.filters())) {
            FilterShape shape = filter.filter().shape();
            header.putLong(filter.capacity())
                    .putLong(filter.added())
                    .putLong(shape.m())
                    .putInt(shape.k());
        }
        header.putInt(epoch.length).put(epoch).putInt(place.length).put(place);
        CRC32C crc = new CRC32C();
        crc.update(header.duplicate().flip());
        return header.putInt((int) crc.getValue()).flip();
    }

    /** Writes the words. Bits may be set meanwhile; each is written or not. */
    private static void writeWords(KeyFilter filter, DiskFile out, long start, CRC32C crc)
            throws IOException {
        ByteBuffer chunk = allocate((int) Math.min(CHUNK, filter.bytes()));
        for (long at = 0; at < filter.bytes(); at += CHUNK) {
            chunk.clear().limit((int) Math.min(CHUNK, filter.bytes() - at));
            filter.filter().write(at / Long.BYTES, chunk.asLongBuffer());
            crc.update(chunk.duplicate());
            out.writeFully(chunk, start + at);
        }
    }

    private static ByteBuffer checksum(CRC32C crc) {
        return allocate(Integer.BYTES).putInt((int) crc.getValue()).flip();
    }

    private static ByteBuffer allocate(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Returns what was kept; null if there is nothing, or the filters are of another size.
     *
     * @throws IOException if the file cannot be read, or is damaged
     */
    @Nullable Kept read(FilterSize size) throws IOException {
        if (disk.state(file).type() == FileState.Type.MISSING) {
            return null;
        }
        try (DiskFile in = disk.open(file)) {
            ByteBuffer header = readHeader(in);
            long seed = header.getLong();
            Part addresses = Part.read(header);
            Part domains = Part.read(header);
            FeedPosition position = new FeedPosition(text(header), text(header));
            long start = (long) header.position() + Integer.BYTES;
            if (in.size() != start + addresses.bytes() + domains.bytes() + Integer.BYTES) {
                throw damaged();
            }
            if (!addresses.isOf(size) || !domains.isOf(size)) {
                return null;
            }
            KeyFilters filters = new KeyFilters(seed, addresses.create(), domains.create());
            readWords(in, start, filters);
            return new Kept(position, filters);
        } catch (EOFException
                | BufferUnderflowException
                | NegativeArraySizeException
                | IllegalArgumentException e) {
            throw damaged();
        }
    }

    private static String text(ByteBuffer header) {
        byte[] text = new byte[header.getInt()];
        header.get(text);
        return new String(text, UTF_8);
    }

    /** What the header says of one filter. */
    private record Part(long capacity, long added, FilterShape shape) {
        static Part read(ByteBuffer header) {
            return new Part(
                    header.getLong(),
                    header.getLong(),
                    new FilterShape(FilterKind.BLOCKED, header.getLong(), header.getInt()));
        }

        boolean isOf(FilterSize size) {
            return KeyFilter.shape(size, capacity).equals(shape);
        }

        long bytes() {
            return shape.bytes();
        }

        KeyFilter create() {
            return new KeyFilter(shape, capacity, added);
        }
    }

    /** Returns the header without its checksum, at the seed. */
    private ByteBuffer readHeader(DiskFile in) throws IOException {
        ByteBuffer prefix = allocate(PREFIX);
        in.readFully(prefix, 0);
        if (prefix.getLong() != MAGIC) {
            throw new IOException(file + ": no kept filters");
        }
        int version = prefix.getInt();
        int keyVersion = prefix.getInt();
        int length = prefix.getInt();
        if (version != VERSION || keyVersion != AddressSyntax.VERSION) {
            throw new IOException(file + ": kept by another version of the plugin");
        }
        if (length < FIXED || length > MOST_HEADER) {
            throw damaged();
        }
        ByteBuffer header = allocate(length);
        in.readFully(header, 0);
        int end = length - Integer.BYTES;
        CRC32C crc = new CRC32C();
        crc.update(header.duplicate().limit(end));
        if (header.getInt(end) != (int) crc.getValue()) {
            throw damaged();
        }
        return header.limit(end).position(PREFIX);
    }

    private void readWords(DiskFile in, long start, KeyFilters filters) throws IOException {
        CRC32C crc = new CRC32C();
        long at = start;
        for (KeyFilter filter : filters(filters)) {
            ByteBuffer chunk = allocate((int) Math.min(CHUNK, filter.bytes()));
            for (long read = 0; read < filter.bytes(); read += CHUNK) {
                chunk.clear().limit((int) Math.min(CHUNK, filter.bytes() - read));
                in.readFully(chunk, at + read);
                crc.update(chunk.duplicate());
                filter.filter().read(read / Long.BYTES, chunk.asLongBuffer());
            }
            at += filter.bytes();
        }
        ByteBuffer sum = allocate(Integer.BYTES);
        in.readFully(sum, at);
        if (sum.getInt() != (int) crc.getValue()) {
            throw damaged();
        }
    }

    private IOException damaged() {
        return new IOException(file + ": damaged");
    }
}
