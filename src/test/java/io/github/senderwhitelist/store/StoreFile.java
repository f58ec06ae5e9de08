package io.github.senderwhitelist.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.Scratch;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/** An exact store of given entries in a file, after other bytes as in a snapshot. */
final class StoreFile {
    static final int START = 12_345;

    private final Path path;
    private final byte[] blocks;
    private final byte[] dictionary;
    private final byte[] index;
    private final long salt;

    StoreFile(Path path, byte[] blocks, byte[] dictionary, byte[] index, long salt) {
        this.path = path;
        this.blocks = blocks;
        this.dictionary = dictionary;
        this.index = index;
        this.salt = salt;
    }

    Path path() {
        return path;
    }

    byte[] blocks() {
        return blocks;
    }

    byte[] dictionary() {
        return dictionary;
    }

    byte[] index() {
        return index;
    }

    /** Writes the entries, denied where the map says true. */
    static StoreFile write(
            Path path, SortedMap<Key, Boolean> entries, List<byte[]> domains, long salt)
            throws IOException {
        SortedMap<String, byte[]> encoded = new TreeMap<>();
        for (Map.Entry<Key, Boolean> entry : entries.entrySet()) {
            encoded.put(
                    new String(SortKey.of(entry.getKey()), ISO_8859_1),
                    entry.getValue() ? RulesCodec.encode(Rule.DENIES) : RulesCodec.PLAIN);
        }
        return writeEncoded(path, encoded, domains, salt);
    }

    /** Writes entries given by the bytes of their sort keys, as characters, and their rules. */
    static StoreFile writeEncoded(
            Path path, SortedMap<String, byte[]> entries, List<byte[]> domains, long salt)
            throws IOException {
        return writeParts(path, entries, domains, salt, Integer.MAX_VALUE, 1);
    }

    /** Writes entries in parts of so many, by so many threads. */
    static StoreFile writeParts(
            Path path,
            SortedMap<String, byte[]> entries,
            List<byte[]> domains,
            long salt,
            int perPart,
            int threads)
            throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[START]);
        Scratch scratch = new Scratch(Disk.LOCAL, Objects.requireNonNull(path.getParent()));
        try (BlockStoreWriter writer =
                new BlockStoreWriter(out, domains, salt, entries.size(), scratch, perPart)) {
            Map<String, Integer> numbers = new HashMap<>();
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                byte[] key = entry.getKey().getBytes(ISO_8859_1);
                writer.append(key, key.length, entry.getValue(), number(entry.getKey(), numbers));
            }
            writer.finish(threads, written -> {});
            byte[] file = out.toByteArray();
            Files.write(path, file);
            byte[] blocks = new byte[file.length - START];
            System.arraycopy(file, START, blocks, 0, blocks.length);
            return new StoreFile(path, blocks, writer.dictionary(), writer.index(), salt);
        }
    }

    /** Gives some domains a number, some several, and some none. */
    private static int number(String key, Map<String, Integer> numbers) {
        String domain = key.substring(key.lastIndexOf(0) + 1);
        int kind = Math.floorMod(domain.hashCode(), 3);
        int which = kind == 1 ? key.length() % 2 : 0;
        return kind == 2 ? -1 : numbers.computeIfAbsent(which + domain, any -> numbers.size());
    }

    int blockCount() {
        return blocks.length / BlockStoreWriter.blockSize();
    }

    /** A store and its open file. */
    record Opened(BlockStore store, DiskFile file) implements Closeable {
        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    Opened open() throws IOException {
        return open(salt);
    }

    Opened open(long otherSalt) throws IOException {
        return open(Disk.LOCAL.open(path), otherSalt);
    }

    /** Opens the store in another file of the same bytes. */
    Opened open(DiskFile file) throws IOException {
        return open(file, salt);
    }

    private Opened open(DiskFile file, long otherSalt) throws IOException {
        return new Opened(
                BlockStore.open(
                        file,
                        path,
                        START,
                        blockCount(),
                        otherSalt,
                        ByteBuffer.wrap(dictionary).order(Serial.ORDER),
                        ByteBuffer.wrap(index).order(Serial.ORDER)),
                file);
    }

    static Key key(String local, String domain) {
        return Key.of(
                local.getBytes(StandardCharsets.UTF_8), domain.getBytes(StandardCharsets.UTF_8));
    }
}
