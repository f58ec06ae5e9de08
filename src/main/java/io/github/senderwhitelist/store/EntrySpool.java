package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.BlockFormat.*;

import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.ShortBytes;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.Scratch;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;

/**
 * The entries of a store while their symbols are counted, until they are written: front-coded, with
 * the ranks of their domains. They are in parts, of which each can be read without the others. The
 * first entries are in memory, the others in a temporary file.
 */
final class EntrySpool implements Closeable {
    private static final int CHUNK = 1 << 18;
    private static final int CHUNKS_IN_MEMORY = 32;
    private static final int MOST_ENTRY = 2 * SortKey.MAX_LENGTH + MOST_RULES;

    /** The bytes after which a part ends, since its blocks are kept in memory. */
    private static final int BYTES_PER_PART = 6 << 20;

    private static final int KIND = 3;
    private static final int HAS_RULES = 4;

    private final Scratch scratch;
    private final DomainDictionary dictionary;
    private final int entriesPerPart;
    private final List<Part> parts = new ArrayList<>();
    private int chunksInMemory;
    private @Nullable DiskFile file;
    private long inFile;
    private final byte[] chunk = new byte[CHUNK];
    private int at;
    private int inPart;
    private int bytesInPart;

    /**
     * Creates a spool.
     *
     * @param scratch the place for a temporary file
     * @param entriesPerPart the most entries in a part
     */
    EntrySpool(Scratch scratch, DomainDictionary dictionary, int entriesPerPart) {
        this.scratch = scratch;
        this.dictionary = dictionary;
        this.entriesPerPart = entriesPerPart;
    }

    /** Some bytes of the spool: an array, or {@code length} bytes of the file. */
    private static final class Chunk {
        final byte @Nullable [] bytes;
        final long position;
        final int length;

        Chunk(byte @Nullable [] bytes, long position, int length) {
            this.bytes = bytes;
            this.position = position;
            this.length = length;
        }
    }

    /** Appends an entry. */
    void append(Draft entry) throws IOException {
        if (chunk.length - at < MOST_ENTRY) {
            flush();
        }
        if (parts.isEmpty()) {
            parts.add(new Part(new byte[0]));
        }
        int before = at;
        boolean starts = inPart == 0;
        boolean hasRules = entry.rules.length > 0;
        chunk[at++] = (byte) (entry.kind() | (hasRules ? HAS_RULES : 0));
        if (starts || !entry.forSome()) {
            int shared = starts ? 0 : entry.shared;
            put(entry, 0, shared, entry.senderLocal, entry.senderEnd, entry.senderRank);
        }
        if (entry.forSome()) {
            int shared = starts ? 0 : entry.shared;
            int local = entry.recipientsLocal;
            put(entry, entry.recipients, shared, local, entry.length, entry.recipientsRank);
        }
        if (hasRules) {
            putShort(chunk, at, entry.rules.length);
            System.arraycopy(entry.rules, 0, chunk, at + 2, entry.rules.length);
            at += 2 + entry.rules.length;
        }
        inPart++;
        bytesInPart += at - before;
        if (inPart == entriesPerPart || bytesInPart >= BYTES_PER_PART) {
            endPart(entry);
        }
    }

    private void endPart(Draft last) throws IOException {
        flush();
        parts.getLast().entries = inPart;
        inPart = 0;
        bytesInPart = 0;
        parts.add(new Part(Arrays.copyOf(last.key, last.length)));
    }

    private void put(Draft entry, int from, int shared, int local, int end, int rank) {
        int start = from + shared;
        chunk[at++] = (byte) shared;
        chunk[at++] = (byte) (local - start);
        ShortBytes.copy(entry.key, start, chunk, at, local - start);
        at += local - start;
        putInt(chunk, at, rank);
        at += Integer.BYTES;
        if (rank < 0) {
            int domain = end - local - 1;
            chunk[at++] = (byte) domain;
            ShortBytes.copy(entry.key, local + 1, chunk, at, domain);
            at += domain;
        }
    }

    private void flush() throws IOException {
        if (at == 0) {
            return;
        }
        Chunk flushed;
        if (chunksInMemory < CHUNKS_IN_MEMORY) {
            flushed = new Chunk(Arrays.copyOf(chunk, at), 0, at);
            chunksInMemory++;
        } else {
            if (file == null) {
                file = scratch.create();
            }
            file.writeFully(ByteBuffer.wrap(chunk, 0, at), inFile);
            flushed = new Chunk(null, inFile, at);
            inFile += at;
        }
        parts.getLast().chunks.add(flushed);
        at = 0;
    }

    /** Returns room for reading a part, which can be used for one after the other. */
    static byte[] buffer() {
        return new byte[CHUNK];
    }

    /** Takes entries. */
    @FunctionalInterface
    interface Visitor {
        /** Takes the next entry. The object is used again for the one after it. */
        void visit(Draft entry) throws IOException;
    }

    /** Ends the spool, and returns its parts in order. */
    List<Part> finish() throws IOException {
        flush();
        if (!parts.isEmpty()) {
            parts.getLast().entries = inPart;
            if (inPart == 0) {
                parts.removeLast();
            }
        }
        return parts;
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
            file = null;
        }
    }

    /** Entries that can be read without those before. For one thread, but each for its own. */
    final class Part {
        private final byte[] before;
        private final Queue<Chunk> chunks = new ArrayDeque<>();
        private final Draft entry = new Draft();
        private byte[] bytes = {};
        private int at;
        private boolean started;
        private int entries;

        private Part(byte[] before) {
            this.before = before;
        }

        /** Returns the key of the entry before this part; it is empty for the first part. */
        byte[] before() {
            return before;
        }

        /** Returns the number of its entries. */
        int entries() {
            return entries;
        }

        /**
         * Passes all entries to a visitor, and frees them on the way.
         *
         * @param piece a {@link #buffer} for reading
         */
        void drain(byte[] piece, Visitor visitor) throws IOException {
            for (Chunk next = chunks.poll(); next != null; next = chunks.poll()) {
                if (next.bytes == null) {
                    DiskFile from = file;
                    if (from == null) {
                        throw new IllegalStateException("closed");
                    }
                    from.readFully(ByteBuffer.wrap(piece, 0, next.length), next.position);
                    bytes = piece;
                } else {
                    bytes = next.bytes;
                }
                for (at = 0; at < next.length; ) {
                    read();
                    visitor.visit(entry);
                }
            }
        }

        private void read() {
            int head = bytes[at++];
            int kind = head & KIND;
            boolean afterAddress = entry.kind() == RecipientKind.ADDRESS.code();
            if (!started || kind == 0) {
                read(0, 0, entry.senderLocal);
            }
            if (kind != 0) {
                entry.key[entry.senderEnd] = 0;
                entry.key[entry.senderEnd + 1] = (byte) kind;
                int from = SortKey.recipientsStart(entry.senderEnd);
                read(kind, from, afterAddress ? entry.recipientsLocal : from);
            }
            started = true;
            if ((head & HAS_RULES) == 0) {
                entry.rules = RulesCodec.PLAIN;
            } else {
                int size = getShort(bytes, at);
                entry.rules = Arrays.copyOfRange(bytes, at + 2, at + 2 + size);
                at += 2 + size;
            }
        }

        /** Reads a key to {@code key[from …)}, given the end of the local part before. */
        private void read(int kind, int from, int beforeEnd) {
            byte[] key = entry.key;
            entry.shared = bytes[at++] & 0xff;
            entry.setReplaced(from + entry.shared, beforeEnd);
            int follow = bytes[at++] & 0xff;
            ShortBytes.copy(bytes, at, key, from + entry.shared, follow);
            at += follow;
            int local = from + entry.shared + follow;
            key[local] = 0;
            int rank = getInt(bytes, at);
            at += Integer.BYTES;
            int domain = rank < 0 ? bytes[at++] & 0xff : dictionary.length(rank);
            if (rank < 0) {
                ShortBytes.copy(bytes, at, key, local + 1, domain);
                at += domain;
            } else {
                dictionary.copy(rank, key, local + 1);
            }
            int end = local + 1 + domain;
            if (kind == 0) {
                entry.setSender(local, end, rank);
            } else {
                entry.setRecipients(local, end, rank);
            }
        }
    }
}
