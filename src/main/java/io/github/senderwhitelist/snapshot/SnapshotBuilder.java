package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.KeyHasher;
import io.github.senderwhitelist.filter.BloomFilter;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.list.TextList;
import io.github.senderwhitelist.store.BlockStoreWriter;
import io.github.senderwhitelist.store.Serial;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * Makes snapshots. A snapshot is written to a temporary file beside its place, forced to the disk,
 * and renamed: a crash leaves the old one or the new one.
 */
public final class SnapshotBuilder {
    private static final int ALIGNMENT = 4096;

    private final BuildOptions options;
    private final long seed;
    private final long buildTime;

    /**
     * A builder.
     *
     * @param seed of the hashes: secret and random, or given to get the same bytes again
     * @param buildTime milliseconds since 1970, written into the header; 0: not recorded
     */
    public SnapshotBuilder(BuildOptions options, long seed, long buildTime) {
        this.options = options;
        this.seed = seed;
        this.buildTime = buildTime;
    }

    /** Whether a snapshot may take the place of the one before. */
    @FunctionalInterface
    public interface Admission {
        /** Admits every snapshot. */
        Admission ALL = header -> {};

        /** Throws with the reason when it may not. */
        void check(SnapshotHeader header) throws IOException;
    }

    /**
     * Reads a text list and puts its snapshot in place of {@code target}.
     *
     * @param name what messages call the list
     * @param admission the last word before the snapshot takes its place
     * @throws ListRefusedException when the list cannot be used
     */
    public BuildReport build(InputStream list, String name, Path target, Admission admission)
            throws IOException {
        MessageDigest digest = sha256();
        EntrySorter sorter = new EntrySorter();
        TextList.Summary summary =
                TextList.read(new DigestInputStream(list, digest), name, sorter::add);
        if (summary.entries() == 0) {
            throw new ListRefusedException(
                    name
                            + ": holds no entries ("
                            + summary.lines()
                            + " lines); a list without entries is refused. Put at least one entry"
                            + " into it");
        }
        List<Entry> entries = sorter.sorted();
        SnapshotHeader header = publish(entries, digest.digest(), target, admission);
        return new BuildReport(summary, sorter.duplicates(), sorter.contradictions(), header);
    }

    private SnapshotHeader publish(
            List<Entry> entries, byte[] digest, Path target, Admission admission)
            throws IOException {
        Path directory = target.resolveSibling(".").toAbsolutePath().normalize();
        Path temporary = Files.createTempFile(directory, "." + target.getFileName() + ".", ".tmp");
        try {
            SnapshotHeader header;
            try (FileChannel out = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                header = write(out, entries, digest);
                admission.check(header);
                out.force(true);
            }
            Files.move(
                    temporary,
                    target,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            forceDirectory(directory);
            return header;
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /**
     * The rename itself is safe from a crash once the directory is on the disk; not every system
     * can do that.
     */
    private static void forceDirectory(Path directory) {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            // The file is in place; only its survival of a power cut in the next seconds is less
            // sure.
            return;
        }
    }

    private SnapshotHeader write(FileChannel out, List<Entry> entries, byte[] digest)
            throws IOException {
        long salt = salt(digest);
        KeyHasher hasher = new KeyHasher(seed);
        long domains = entries.stream().filter(entry -> entry.key().isDomain()).count();
        long addresses = entries.size() - domains;
        BloomFilter addressFilter = options.addressFilter(addresses).create();
        BloomFilter domainFilter = options.domainFilter(domains).create();
        OutputStream blocksOut = new BufferedOutputStream(Channels.newOutputStream(out), 1 << 18);
        BlockStoreWriter store =
                new BlockStoreWriter(blocksOut, EntrySorter.commonDomains(entries), salt);
        long denied = 0;
        out.position(ALIGNMENT);
        for (Entry entry : entries) {
            store.append(entry);
            (entry.key().isDomain() ? domainFilter : addressFilter).add(hasher.hash(entry.key()));
            denied += entry.denied() ? 1 : 0;
        }
        store.finish();
        blocksOut.flush();
        Section blocks = new Section(ALIGNMENT, out.position() - ALIGNMENT, store.checksum());
        Section dictionary = write(out, store.dictionary());
        Section index = write(out, store.index());
        Section addressBits = FilterSection.write(out, align(out.size()), addressFilter);
        Section domainBits = FilterSection.write(out, align(out.size()), domainFilter);
        SnapshotHeader header =
                new SnapshotHeader(
                        AddressSyntax.VERSION,
                        out.size(),
                        seed,
                        salt,
                        buildTime,
                        HexFormat.of().formatHex(digest),
                        addresses,
                        domains,
                        denied,
                        addressFilter.shape(),
                        domainFilter.shape(),
                        blocks,
                        dictionary,
                        index,
                        addressBits,
                        domainBits);
        FileBytes.write(out, ByteBuffer.wrap(header.encode()), 0);
        return header;
    }

    private static Section write(FileChannel out, byte[] bytes) throws IOException {
        long offset = align(out.size());
        FileBytes.write(out, ByteBuffer.wrap(bytes), offset);
        return new Section(offset, bytes.length, FileBytes.crc(ByteBuffer.wrap(bytes)));
    }

    private static long align(long position) {
        return (position + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /** Same sources and seed, same salt; another snapshot, another salt. */
    private long salt(byte[] digest) {
        ByteBuffer bytes = ByteBuffer.allocate(digest.length + Long.BYTES).order(Serial.ORDER);
        bytes.put(digest).putLong(seed);
        return ByteBuffer.wrap(sha256().digest(bytes.array())).getLong();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
