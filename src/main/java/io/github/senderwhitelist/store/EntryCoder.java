package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.RecipientKind;

/**
 * The encoder of entries as fields, one after the other in the order of keys. {@link BlockCursor}
 * decodes them.
 */
final class EntryCoder {
    /** The fields of a key, and the context of the next one. */
    private static final class Side {
        final Field shared;
        final Field first;
        final Field next;
        final Field domain;

        /** The context of {@link #shared}. */
        int sharedContext;

        Side(Field shared, Field first, Field next, Field domain) {
            this.shared = shared;
            this.first = first;
            this.next = next;
            this.domain = domain;
        }
    }

    private final FieldSink sink;
    private final Side senders =
            new Side(
                    Field.SENDER_SHARED,
                    Field.SENDER_FIRST,
                    Field.SENDER_NEXT,
                    Field.SENDER_DOMAIN);
    private final Side recipients =
            new Side(
                    Field.RECIPIENTS_SHARED,
                    Field.RECIPIENTS_FIRST,
                    Field.RECIPIENTS_NEXT,
                    Field.RECIPIENTS_DOMAIN);

    /** The context of the kind of the next entry, if it has one. */
    private int kindContext;

    private boolean inRecipients;

    /** Whether the entry before is for one recipient of the sender. */
    private boolean afterAddress;

    EntryCoder(FieldSink sink) {
        this.sink = sink;
    }

    /** Writes an entry that can be read without those before, given prefix and head. */
    void restart(Draft entry, int prefix) {
        sink.symbol(Field.KIND, Field.AT_RESTART, entry.kind());
        firstSender(entry.key, prefix, entry.senderLocal);
        domain(senders, entry.key, entry.senderLocal, entry.senderEnd, entry.senderRank);
        if (entry.forSome()) {
            recipients(entry, true);
        }
        sink.rules(entry);
    }

    /** Writes an entry, after {@link #after} was called for the one before. */
    void follow(Draft entry) {
        if (inRecipients) {
            sink.symbol(Field.KIND, kindContext, entry.kind());
        }
        if (entry.forSome()) {
            recipients(entry, !afterAddress);
        } else {
            following(senders, entry, 0, entry.senderLocal);
            domain(senders, entry.key, entry.senderLocal, entry.senderEnd, entry.senderRank);
        }
        sink.rules(entry);
    }

    private void recipients(Draft entry, boolean isFresh) {
        if (entry.kind() == RecipientKind.ADDRESS.code()) {
            if (isFresh) {
                fresh(recipients, entry.key, entry.recipients, entry.recipientsLocal);
            } else {
                following(recipients, entry, entry.recipients, entry.recipientsLocal);
            }
        }
        domain(recipients, entry.key, entry.recipientsLocal, entry.length, entry.recipientsRank);
    }

    /** Remembers an entry for the one that follows. */
    void after(Draft entry, boolean restarted) {
        boolean ofAddress = entry.kind() == RecipientKind.ADDRESS.code();
        if (!entry.forSome() || restarted) {
            remember(senders, restarted ? -1 : entry.shared);
        }
        if (ofAddress) {
            remember(recipients, restarted || !afterAddress ? -1 : entry.shared);
        }
        afterAddress = ofAddress;
        inRecipients = entry.inRecipients();
        kindContext = entry.forSome() ? Field.AFTER_RECIPIENTS : Field.AFTER_KINDS;
    }

    private static void remember(Side side, int shared) {
        side.sharedContext = shared < 0 || shared > Field.MOST_SHARED ? Field.AFTER_FRESH : shared;
    }

    /** Writes the sender's local part {@code key[0, local)} at a restart. */
    private void firstSender(byte[] key, int prefix, int local) {
        int mark = sink.mark();
        int known =
                sink.symbol(senders.shared, Field.FRESH, 0) ? sink.head(key, prefix, local) : -1;
        if (known >= 0 && Characters.write(sink, senders.next, key, 0, local, known)) {
            return;
        }
        sink.reset(mark);
        bytes(senders, Field.FRESH, key, 0, local, 0);
    }

    private void fresh(Side side, byte[] key, int from, int to) {
        int mark = sink.mark();
        if (sink.symbol(side.shared, Field.FRESH, 0)
                && Characters.write(sink, side.next, key, from, to, 0)) {
            return;
        }
        sink.reset(mark);
        bytes(side, Field.FRESH, key, from, to, 0);
    }

    /** Writes a local part, given the one before. */
    private void following(Side side, Draft entry, int from, int to) {
        int mark = sink.mark();
        if (entry.shared <= Field.MOST_SHARED
                && sink.symbol(side.shared, side.sharedContext, entry.shared)
                && first(side, entry, from, to)) {
            return;
        }
        sink.reset(mark);
        bytes(side, side.sharedContext, entry.key, from, to, entry.shared);
    }

    private boolean first(Side side, Draft entry, int from, int to) {
        int replaced = entry.replaced < 0 ? Symbols.END : Symbols.floor((byte) entry.replaced);
        if (from + entry.shared == to) {
            return sink.symbol(side.first, replaced, Symbols.END);
        }
        byte b = entry.key[from + entry.shared];
        return Symbols.isSymbol(b)
                && sink.symbol(side.first, replaced, Symbols.floor(b))
                && Characters.write(sink, side.next, entry.key, from, to, entry.shared + 1);
    }

    /** Writes a local part byte by byte. */
    private void bytes(Side side, int context, byte[] key, int from, int to, int shared) {
        sink.symbol(side.shared, context, Field.ESCAPE);
        sink.bits(shared, Byte.SIZE);
        sink.bits(to - from - shared, Byte.SIZE);
        sink.bytes(key, from + shared, to);
    }

    /** Writes the domain after a local part that ends at {@code local}. */
    private void domain(Side side, byte[] key, int local, int end, int rank) {
        if (rank >= 0) {
            int bucket = Field.bucket(rank);
            sink.symbol(side.domain, 0, bucket);
            sink.bits(rank - Field.bucketStart(bucket), Field.bucketBits(bucket));
            return;
        }
        int mark = sink.mark();
        if (sink.symbol(side.domain, 0, Field.NO_RANK)
                && Characters.write(sink, Field.DOMAIN_NEXT, key, local + 1, end, 0)) {
            return;
        }
        sink.reset(mark);
        sink.symbol(side.domain, 0, Field.AS_BYTES);
        sink.bits(end - local - 1, Byte.SIZE);
        sink.bytes(key, local + 1, end);
    }
}
