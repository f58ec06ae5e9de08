package io.github.senderwhitelist.snapshot;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.store.BlockStore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * The header of a snapshot: its first {@value #SIZE} bytes, which have the positions and checksums
 * of the other parts. All numbers are little-endian.
 *
 * <pre>
 *   0  magic                     89 53 57 4C 0D 0A 1A 0A
 *   8  format version            u32, {@value #VERSION}
 *  12  key version               u32, {@link AddressSyntax#VERSION}
 *  16  file length               u64
 *  24  seed of the hashes        u64
 *  32  build time                u64, milliseconds since 1970; 0: not recorded
 *  40  digest of the sources     32 bytes, SHA-256
 *  72  addresses of senders      u64, denied ones included
 *  80  domains of senders        u64, denied ones included
 *  88  entries that deny         u64
 *  96  entries with conditions   u64
 * 104  entries for recipients    u64
 * 112  entries of users          u64: those with a line that no administrator wrote
 * 120  entries                   u64, senders without any of their own left out
 * 128  address filter            kind u32, k u16, rows − 1 u16, m u64
 * 144  domain filter             the same
 * 160  sections                  offset u64, length u64, CRC-32C u32, zero u32; in this order:
 *        blocks                  whole blocks, each of whose checksums is in the index; no CRC-32C but zero
 *        ranks                   of domains, and then of forms
 *        index                   of the blocks
 *        address filter          m/8 bytes
 *        domain filter           m/8 bytes
 *        feed                    all zeros if it is not the base of a living list
 * 304  zeros
 * 508  CRC-32C                   u32, of the bytes before it
 * </pre>
 *
 * <p>The components are in the order of the table, the digest in hexadecimal.
 */
public record SnapshotHeader(
        long fileLength,
        long seed,
        long buildTime,
        String sourceDigest,
        long addresses,
        long domains,
        long denied,
        long conditional,
        long pairs,
        long personal,
        long entries,
        FilterShape addressFilter,
        FilterShape domainFilter,
        Section blocks,
        Section ranks,
        Section index,
        Section addressBits,
        Section domainBits,
        Section feed) {
    /** The bytes that every snapshot begins with; no text list does. */
    private static final byte[] MAGIC = {(byte) 0x89, 'S', 'W', 'L', '\r', '\n', 0x1a, '\n'};

    /** The version of the format written, and the only one read. */
    public static final int VERSION = 5;

    static final int SIZE = 512;
    static final int MAGIC_LENGTH = 8;
    private static final int DIGEST_AT = 40;
    private static final int COUNTS_AT = 72;
    private static final int CRC_AT = SIZE - 4;

    /** Verifies all sizes, so that they may be relied on when parts are allocated. */
    public SnapshotHeader {
        for (Section part : List.of(blocks, ranks, index, addressBits, domainBits, feed)) {
            require(
                    part.equals(Section.NONE)
                            || (part.offset() >= SIZE
                                    && part.length() >= 0
                                    && part.length() <= fileLength - part.offset()),
                    "a part of %s bytes at %s in a file of %s"
                            .formatted(part.length(), part.offset(), fileLength));
        }
        long ofSenders = entries - pairs;
        require(
                Math.min(Math.min(addresses, domains), Math.min(pairs, ofSenders)) >= 0
                        && ofSenders <= addresses + domains
                        && LongStream.of(denied, conditional, personal)
                                .allMatch(count -> count >= 0 && count <= entries),
                "negative counts");
        require(blocks.length() % BlockStore.BLOCK == 0, "a part of a block");
        long blockCount = blocks.length() / BlockStore.BLOCK;
        require(
                LongStream.of(blockCount, ranks.length(), index.length(), feed.length())
                        .allMatch(length -> length <= Integer.MAX_VALUE - 8),
                "a part of the exact store is too long");
        require(
                addressBits.length() == addressFilter.bytes()
                        && domainBits.length() == domainFilter.bytes(),
                "a filter's part has another length than its m says");
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new IllegalArgumentException(what);
        }
    }

    /** Returns whether these first bytes of a file are those of a snapshot. */
    public static boolean isSnapshot(byte[] start) {
        return start.length >= MAGIC_LENGTH
                && Arrays.equals(start, 0, MAGIC_LENGTH, MAGIC, 0, MAGIC_LENGTH);
    }

    /** Returns the bytes that blocks, ranks and index of the exact store take together. */
    public long storeBytes() {
        return blocks.length() + ranks.length() + index.length();
    }

    /**
     * Writes the header of a file that has all sections, and returns it. Counts, filters and
     * sections are in the order of the table.
     */
    static SnapshotHeader write(
            DiskFile out,
            long seed,
            long buildTime,
            byte[] digest,
            LongStream counts,
            List<FilterShape> filters,
            List<Section> sections)
            throws IOException {
        ByteBuffer header = ByteBuffer.allocate(SIZE).order(LITTLE_ENDIAN);
        header.put(MAGIC).putInt(VERSION).putInt(AddressSyntax.VERSION).putLong(out.size());
        header.putLong(seed).putLong(buildTime).put(digest);
        counts.forEach(header::putLong);
        for (FilterShape filter : filters) {
            header.putInt(filter.kind().code());
            header.putInt(filter.k() | (filter.rows() - 1) << 16).putLong(filter.m());
        }
        for (Section section : sections) {
            header.putLong(section.offset()).putLong(section.length());
            header.putInt(section.checksum()).putInt(0);
        }
        header.putInt(CRC_AT, BlockStore.crc(header.array(), CRC_AT));
        out.writeFully(header.clear(), 0);
        return decode(header.array(), Path.of(out.toString()), out.size());
    }

    /** Decodes and verifies the header of a file with this name and length. */
    static SnapshotHeader decode(byte[] bytes, Path file, long actualLength)
            throws SnapshotException {
        if (!isSnapshot(bytes)) {
            throw new SnapshotException(
                    file,
                    "not a whitelist snapshot (.swl); 'whitelist build' makes one of a text list");
        }
        if (bytes.length < SIZE) {
            throw SnapshotException.damaged(file, "cut off within the header");
        }
        ByteBuffer in = ByteBuffer.wrap(bytes).order(LITTLE_ENDIAN).position(MAGIC_LENGTH);
        int version = in.getInt();
        int keyVersion = in.getInt();
        if (version != VERSION || keyVersion != AddressSyntax.VERSION) {
            throw new SnapshotException(
                    file,
                    ("snapshot format %s with keys of form %s; this program reads format %s with"
                                    + " form %s, and would answer wrong. Build it again with this"
                                    + " program, or use the newer one")
                            .formatted(version, keyVersion, VERSION, AddressSyntax.VERSION));
        }
        if (in.getInt(CRC_AT) != BlockStore.crc(bytes, CRC_AT)) {
            throw SnapshotException.damaged(file, "the header has a wrong checksum");
        }
        try {
            long length = in.getLong();
            require(
                    length == actualLength,
                    "the file has " + actualLength + " bytes, its header says " + length);
            return new SnapshotHeader(
                    length,
                    in.getLong(),
                    in.getLong(),
                    HexFormat.of().formatHex(bytes, DIGEST_AT, COUNTS_AT),
                    in.position(COUNTS_AT).getLong(),
                    in.getLong(),
                    in.getLong(),
                    in.getLong(),
                    in.getLong(),
                    in.getLong(),
                    in.getLong(),
                    filter(in),
                    filter(in),
                    section(in),
                    section(in),
                    section(in),
                    section(in),
                    section(in),
                    section(in));
        } catch (IllegalArgumentException e) {
            throw SnapshotException.damaged(file, String.valueOf(e.getMessage()));
        }
    }

    private static FilterShape filter(ByteBuffer in) {
        int code = in.getInt();
        int k = in.getInt();
        Optional<FilterKind> kind = FilterKind.of(code);
        require(kind.isPresent(), "filter kind " + code + " is not known");
        return new FilterShape(kind.get(), in.getLong(), k & 0xffff, (k >>> 16) + 1);
    }

    /** The checksum is in the lower half of the last number. */
    private static Section section(ByteBuffer in) {
        return new Section(in.getLong(), in.getLong(), (int) in.getLong());
    }
}
