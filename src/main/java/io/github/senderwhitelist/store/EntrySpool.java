package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.BlockFormat.*;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.Scratch;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Keeps entries between the counting of their symbols and the writing, front-coded, with the ranks
 * of their domains. The first ones are in memory, the others in a temporary file.
 */
final class EntrySpool implements Closeable {
    private static final int CHUNK = 1 << 18;
    private static final int CHUNKS_IN_MEMORY = 32;
    private static final int MOST_ENTRY = 2 * SortKey.MAX_LENGTH + MOST_RULES;
    private static final int KIND = 3;
    private static final int HAS_RULES = 4;

    private final Scratch scratch;
    private final DomainDictionary dictionary;
    private final List<byte[]> chunks = new ArrayList<>();
    private final List<Integer> lengthsInFile = new ArrayList<>();
    private @Nullable DiskFile file;
    private long inFile;
    private byte[] chunk = new byte[CHUNK];
    private int at;

    /** Creates a spool with room for a temporary file. */
    EntrySpool(Scratch scratch, DomainDictionary dictionary) {
        this.scratch = scratch;
        this.dictionary = dictionary;
    }

    /** Appends an entry. */
    void append(Draft entry) throws IOException {
        if (chunk.length - at < MOST_ENTRY) {
            flush();
        }
        boolean hasRules = entry.rules.length > 0;
        chunk[at++] = (byte) (entry.kind() | (hasRules ? HAS_RULES : 0));
        if (entry.forSome()) {
            put(entry, entry.recipients, entry.recipientsLocal, entry.length, entry.recipientsRank);
        } else {
            put(entry, 0, entry.senderLocal, entry.senderEnd, entry.senderRank);
        }
        if (hasRules) {
            putShort(chunk, at, entry.rules.length);
            System.arraycopy(entry.rules, 0, chunk, at + 2, entry.rules.length);
            at += 2 + entry.rules.length;
        }
    }

    private void put(Draft entry, int from, int local, int end, int rank) {
        int start = from + entry.shared;
        chunk[at++] = (byte) entry.shared;
        chunk[at++] = (byte) (local - start);
        System.arraycopy(entry.key, start, chunk, at, local - start);
        at += local - start;
        putInt(chunk, at, rank);
        at += Integer.BYTES;
        if (rank < 0) {
            int domain = end - local - 1;
            chunk[at++] = (byte) domain;
            System.arraycopy(entry.key, local + 1, chunk, at, domain);
            at += domain;
        }
    }

    private void flush() throws IOException {
        if (chunks.size() < CHUNKS_IN_MEMORY) {
            chunks.add(Arrays.copyOf(chunk, at));
        } else {
            if (file == null) {
                file = scratch.create();
            }
            file.writeFully(ByteBuffer.wrap(chunk, 0, at), inFile);
            inFile += at;
            lengthsInFile.add(at);
        }
        at = 0;
    }

    /** Takes entries. */
    @FunctionalInterface
    interface Visitor {
        /** Takes the next entry. The object is used again for the one after it. */
        void visit(Draft entry) throws IOException;
    }

    /** Hands out all entries, and forgets them on the way. */
    void drain(Visitor visitor) throws IOException {
        flush();
        Draft entry = new Draft();
        for (int i = 0; i < chunks.size(); i++) {
            byte[] bytes = chunks.set(i, RulesCodec.PLAIN);
            read(bytes, bytes.length, entry, visitor);
        }
        byte[] piece = new byte[CHUNK];
        long position = 0;
        for (int length : lengthsInFile) {
            if (file == null) {
                throw new IllegalStateException("closed");
            }
            file.readFully(ByteBuffer.wrap(piece, 0, length), position);
            position += length;
            read(piece, length, entry, visitor);
        }
    }

    private void read(byte[] bytes, int length, Draft entry, Visitor visitor) throws IOException {
        chunk = bytes;
        for (at = 0; at < length; ) {
            int head = chunk[at++];
            read(entry, head & KIND);
            if ((head & HAS_RULES) == 0) {
                entry.rules = RulesCodec.PLAIN;
            } else {
                int size = getShort(chunk, at);
                entry.rules = Arrays.copyOfRange(chunk, at + 2, at + 2 + size);
                at += 2 + size;
            }
            visitor.visit(entry);
        }
    }

    private void read(Draft entry, int kind) {
        byte[] key = entry.key;
        int from = 0;
        if (kind != 0) {
            key[entry.senderEnd] = 0;
            key[entry.senderEnd + 1] = (byte) kind;
            from = SortKey.recipientsStart(entry.senderEnd);
        }
        entry.shared = chunk[at++] & 0xff;
        int follow = chunk[at++] & 0xff;
        System.arraycopy(chunk, at, key, from + entry.shared, follow);
        at += follow;
        int local = from + entry.shared + follow;
        key[local] = 0;
        int rank = getInt(chunk, at);
        at += Integer.BYTES;
        int domain = rank < 0 ? chunk[at++] & 0xff : dictionary.length(rank);
        if (rank < 0) {
            System.arraycopy(chunk, at, key, local + 1, domain);
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

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
            file = null;
        }
    }
}
