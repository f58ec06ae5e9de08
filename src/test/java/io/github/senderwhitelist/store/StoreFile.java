package io.github.senderwhitelist.store;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/** An exact store of given entries in a file, after other bytes as in a snapshot. */
@SuppressWarnings("ArrayRecordComponent") // nobody compares them
record StoreFile(Path path, byte[] blocks, byte[] ranks, byte[] index) {
    static final int START = 12_345;

    /**
     * Writes entries given by the bytes of their sort keys, as characters, and their rules. Every
     * second of their forms has a rank, as have the plain ones.
     */
    static StoreFile write(Path path, SortedMap<String, byte[]> entries, List<byte[]> domains)
            throws IOException {
        List<byte[]> forms = new ArrayList<>(List.of(new byte[] {0}, new byte[] {1}));
        SortedSet<byte[]> others = new TreeSet<>(Arrays::compareUnsigned);
        entries.forEach(
                (key, rules) -> {
                    String[] parts = key.split("\0", 3);
                    others.add(BlockWriter.form(parts.length < 3 ? 0 : parts[2].charAt(0), rules));
                });
        others.removeAll(forms);
        int count = 0;
        for (byte[] form : others) {
            if (form.length > 1 && form.length <= Ranks.MAX_LENGTH && count++ % 2 == 0) {
                forms.add(form);
            }
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[START]);
        BlockWriter writer = new BlockWriter(out);
        writer.domains = Ranks.of(domains);
        writer.forms = Ranks.of(forms);
        for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
            byte[] key = entry.getKey().getBytes(ISO_8859_1);
            writer.append(key, entry.getValue());
        }
        byte[] index = writer.finish();
        byte[] file = out.toByteArray();
        Files.write(path, file);
        byte[] blocks = Arrays.copyOfRange(file, START, file.length);
        return new StoreFile(path, blocks, writer.ranks(), index);
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
        DiskFile file = Disk.LOCAL.open(path);
        BlockStore store =
                new BlockStore(
                        file,
                        path,
                        START,
                        blocks.length,
                        ByteBuffer.wrap(ranks).order(LITTLE_ENDIAN),
                        ByteBuffer.wrap(index).order(LITTLE_ENDIAN));
        return new Opened(store, file);
    }

    /** Opens the blocks of this file as if they were those of another one. */
    Opened openWithIndexOf(StoreFile other) throws IOException {
        return new StoreFile(path, blocks, other.ranks, other.index).open();
    }

    static Key key(String local, String domain) {
        return Key.of(local.getBytes(UTF_8), domain.getBytes(UTF_8));
    }
}
