package io.github.senderwhitelist.store;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32C;

/** An exact store of given entries in a file, after other bytes as in a snapshot. */
final class StoreFile {
    static final int START = 12_345;

    private final Path path;
    private final byte[] blocks;
    private final byte[] ranks;
    private final byte[] index;

    private StoreFile(Path path, byte[] blocks, byte[] ranks, byte[] index) {
        this.path = path;
        this.blocks = blocks;
        this.ranks = ranks;
        this.index = index;
    }

    Path path() {
        return path;
    }

    byte[] blocks() {
        return blocks;
    }

    byte[] ranks() {
        return ranks;
    }

    byte[] index() {
        return index;
    }

    /** Writes the entries, denied where the map says true. */
    static StoreFile write(Path path, SortedMap<Key, Boolean> entries, List<byte[]> domains)
            throws IOException {
        SortedMap<String, byte[]> encoded = new TreeMap<>();
        for (Map.Entry<Key, Boolean> entry : entries.entrySet()) {
            encoded.put(
                    new String(SortKey.of(entry.getKey()), ISO_8859_1),
                    entry.getValue() ? RulesCodec.encode(Rule.DENIES) : RulesCodec.PLAIN);
        }
        return writeEncoded(path, encoded, domains);
    }

    /**
     * Writes entries given by the bytes of their sort keys, as characters, and their rules; every
     * second of these has a rank.
     */
    static StoreFile writeEncoded(
            Path path, SortedMap<String, byte[]> entries, List<byte[]> domains) throws IOException {
        SortedSet<byte[]> different = new TreeSet<>(Arrays::compareUnsigned);
        different.addAll(entries.values());
        different.remove(RulesCodec.PLAIN);
        List<byte[]> rules = new ArrayList<>(List.of(RulesCodec.PLAIN));
        int count = 0;
        for (byte[] each : different) {
            if (count++ % 2 == 0
                    && each.length <= Ranks.MAX_LENGTH
                    && rules.size() < BlockReader.MAX_RULES) {
                rules.add(each);
            }
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[START]);
        BlockWriter writer = new BlockWriter(out, Ranks.of(domains), Ranks.of(rules));
        for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
            byte[] key = entry.getKey().getBytes(ISO_8859_1);
            writer.append(key, key.length, entry.getValue());
        }
        writer.finish();
        byte[] file = out.toByteArray();
        Files.write(path, file);
        byte[] blocks = Arrays.copyOfRange(file, START, file.length);
        assertThat(writer.blocks() * BlockStore.BLOCK).isEqualTo(blocks.length);
        return new StoreFile(path, blocks, writer.ranks(), writer.index());
    }

    int blockCount() {
        return blocks.length / BlockStore.BLOCK;
    }

    /** A store and its open file. */
    record Opened(BlockStore store, DiskFile file) implements Closeable {
        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    Opened open() throws IOException {
        return open(Disk.LOCAL.open(path));
    }

    /** Opens the store in another file of the same bytes. */
    Opened open(DiskFile file) throws IOException {
        return new Opened(
                BlockStore.open(
                        file,
                        path,
                        START,
                        blockCount(),
                        ByteBuffer.wrap(ranks).order(Serial.ORDER),
                        ByteBuffer.wrap(index).order(Serial.ORDER)),
                file);
    }

    /** Opens the blocks of this file as if they were those of another one. */
    Opened openWithIndexOf(StoreFile other) throws IOException {
        return new StoreFile(path, blocks, other.ranks, other.index).open();
    }

    /** Returns the same file with a block that somebody forged, whose checksum is right. */
    StoreFile withBlock(byte[] block) throws IOException {
        byte[] file = Arrays.copyOf(new byte[START], START + block.length);
        System.arraycopy(block, 0, file, START, block.length);
        Files.write(path, file);
        byte[] forged = index.clone();
        CRC32C crc = new CRC32C();
        crc.update(block);
        ByteBuffer.wrap(forged).order(Serial.ORDER).putInt(0, (int) crc.getValue());
        return new StoreFile(path, block, ranks, forged);
    }

    static Key key(String local, String domain) {
        return Key.of(
                local.getBytes(StandardCharsets.UTF_8), domain.getBytes(StandardCharsets.UTF_8));
    }
}
