package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.BlockFormat.*;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.coding.BitReader;
import io.github.senderwhitelist.coding.ContextCode;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * A cursor over the entries of a block, whose fields describe the current entry.
 *
 * <p>It can be used for one block after the other.
 *
 * <p>A forged block, with a right checksum and wrong content, makes the methods throw an
 * IndexOutOfBoundsException.
 */
final class BlockCursor {
    private static final int NO_RANK = -1;

    /** Room for a block that has no array of its own. */
    final byte[] buffer = new byte[Blocks.ROOM];

    private byte[] block = buffer;
    private final BitReader in = new BitReader(buffer);
    private final DomainDictionary dictionary;
    private final EntryCodes codes;
    private final Head heads;
    private final ContextCode kinds;
    private final ContextCode commonRules;
    private int groups;
    private int prefix;
    private int group;

    /** The bit after the group. */
    private int groupEnd;

    private int kindContext;
    private boolean inRecipients;

    /** Whether the entry is for one recipient of the sender. */
    private boolean ofAddress;

    private int recipientKind;

    /** The sender of the entry. */
    final CodedKey sender;

    /** The recipients of the entry, if it is for some. */
    final CodedKey recipients;

    /** Whether the entry is for some recipients only. */
    boolean forSome;

    /** Whether the sender was read with the entry, not with one before. */
    boolean hasSender;

    /** The rules of the entry, encoded. */
    byte[] rules = RulesCodec.PLAIN;

    /** Creates a cursor without a block. */
    BlockCursor(DomainDictionary dictionary, EntryCodes codes) {
        this.dictionary = dictionary;
        this.codes = codes;
        this.heads = new Head(codes);
        this.kinds = codes.of(Field.KIND);
        this.commonRules = codes.of(Field.RULES);
        this.sender =
                new CodedKey(
                        codes.of(Field.SENDER_SHARED),
                        codes.of(Field.SENDER_FIRST),
                        codes.of(Field.SENDER_NEXT),
                        codes.of(Field.SENDER_DOMAIN));
        this.recipients =
                new CodedKey(
                        codes.of(Field.RECIPIENTS_SHARED),
                        codes.of(Field.RECIPIENTS_FIRST),
                        codes.of(Field.RECIPIENTS_NEXT),
                        codes.of(Field.RECIPIENTS_DOMAIN));
    }

    /**
     * Moves before the first entry of a block.
     *
     * @param verified the block, as {@link Blocks#get} returns it
     */
    void start(byte[] verified) {
        block = verified;
        in.start(verified);
        group = -1;
        groups = getShort(block, GROUPS_AT);
        prefix = block[0] & 0xff;
        if (groups > END_AT / GROUP_BYTES || 1 + prefix > END_AT) {
            throw new IndexOutOfBoundsException("a block of " + groups + " groups");
        }
    }

    private long groupAt(int number) {
        return getGroup(block, END_AT - GROUP_BYTES * (groups - number));
    }

    /** Moves to the next entry; returns false after the last one. */
    boolean next() {
        if (nextInGroup()) {
            return true;
        }
        if (group + 1 >= groups) {
            return false;
        }
        startGroup(group + 1);
        return true;
    }

    /** Moves to the first entry of a group. */
    private void startGroup(int number) {
        long word = groupAt(number);
        group = number;
        groupEnd = number + 1 < groups ? offset(groupAt(number + 1)) : getShort(block, END_AT);
        in.position(offset(word));
        int kind = kinds.read(in, Field.AT_RESTART);
        sender.readFirst(head(word));
        hasSender = true;
        ofAddress = false;
        readRest(kind);
    }

    private boolean nextInGroup() {
        int start = in.position();
        if (group < 0 || start == groupEnd) {
            return false;
        }
        int kind = inRecipients ? kinds.read(in, kindContext) : 0;
        hasSender = kind == 0;
        if (hasSender) {
            sender.readFollowing();
            sender.readDomain();
        }
        readRest(kind);
        if (in.position() == start) {
            throw new IndexOutOfBoundsException("an entry without bits");
        }
        return true;
    }

    /** Reads the recipients of an entry of some kind, and its rules. */
    private void readRest(int kind) {
        forSome = kind != 0;
        boolean isAddress = kind == RecipientKind.ADDRESS.code();
        if (forSome) {
            if (!isAddress) {
                recipients.clearLocal();
            } else if (ofAddress) {
                recipients.readFollowing();
            } else {
                recipients.readFresh();
            }
            recipients.readDomain();
        }
        ofAddress = isAddress;
        recipientKind = kind;
        rules = readRules();
        inRecipients = forSome || RulesCodec.hasKinds(rules, 0, rules.length);
        kindContext = forSome ? Field.AFTER_RECIPIENTS : Field.AFTER_KINDS;
        if (in.position() > groupEnd) {
            throw new IndexOutOfBoundsException("an entry goes beyond its group");
        }
    }

    private byte[] readRules() {
        int symbol = commonRules.read(in, forSome ? 1 : 0);
        if (symbol != Field.COMMON_RULES) {
            return codes.rules(symbol);
        }
        byte[] bytes = new byte[in.bits(RULES_LENGTH_BITS)];
        in.bytes(bytes, 0, bytes.length);
        return bytes;
    }

    /** A key in the block. */
    final class CodedKey {
        private final ContextCode sharedCode;
        private final ContextCode firstCode;
        private final ContextCode nextCode;
        private final ContextCode domainCode;

        /** The local part. */
        private final byte[] text = new byte[256];

        private int length;
        private int sharedContext;

        /** The bytes that the local part shares with the one before; 0 if it is fresh. */
        private int shared;

        private int rank;

        /** The domain, if it has no rank. */
        private byte[] literal = RulesCodec.PLAIN;

        private int literalLength;

        /**
         * The bytes that the key sought shares with the key that was compared last, which is less.
         */
        private int matched;

        private CodedKey(
                ContextCode sharedCode,
                ContextCode firstCode,
                ContextCode nextCode,
                ContextCode domainCode) {
            this.sharedCode = sharedCode;
            this.firstCode = firstCode;
            this.nextCode = nextCode;
            this.domainCode = domainCode;
        }

        /** Reads the sender of the first entry of a group, given its head. */
        private void readFirst(int head) {
            if (startFresh()) {
                while (length < prefix && block[1 + length] != 0) {
                    text[length] = block[1 + length];
                    length++;
                }
                if (length == prefix) {
                    length = heads.read(in, head, text, length);
                    if (text[length - 1] == 0) {
                        length--;
                    } else {
                        length = Characters.read(in, nextCode, text, length);
                    }
                }
            }
            readDomain();
        }

        /** Makes the local part empty, as that of a domain is. */
        private void clearLocal() {
            length = 0;
            shared = 0;
        }

        private void readFresh() {
            if (startFresh()) {
                length = Characters.read(in, nextCode, text, 0);
            }
        }

        /** Begins a local part that shares nothing; returns false if it was bytes, and is read. */
        private boolean startFresh() {
            sharedContext = Field.AFTER_FRESH;
            clearLocal();
            if (sharedCode.read(in, Field.FRESH) == Field.ESCAPE) {
                readUncoded();
                return false;
            }
            return true;
        }

        /** Reads a local part, given the one before. */
        private void readFollowing() {
            long next = in.peek();
            int coded = sharedCode.coded(next, sharedContext);
            int taken = ContextCode.bits(coded);
            shared = ContextCode.symbol(coded);
            if (shared == Field.ESCAPE) {
                in.skip(taken);
                readUncoded();
            } else {
                if (shared > length) {
                    throw new IndexOutOfBoundsException("more bytes shared than there are");
                }
                int replaced = shared < length ? Symbols.floor(text[shared]) : Symbols.END;
                coded = firstCode.coded(next >>> taken, replaced);
                in.skip(taken + ContextCode.bits(coded));
                length = shared;
                int symbol = ContextCode.symbol(coded);
                if (symbol != Symbols.END) {
                    text[length] = Symbols.toByte(symbol);
                    length = Characters.read(in, nextCode, text, length + 1);
                }
            }
            sharedContext = shared <= Field.MOST_SHARED ? shared : Field.AFTER_FRESH;
        }

        private void readUncoded() {
            shared = in.bits(Byte.SIZE);
            int follow = in.bits(Byte.SIZE);
            if (shared > length) {
                throw new IndexOutOfBoundsException("more bytes shared than there are");
            }
            in.bytes(text, shared, follow);
            length = shared + follow;
        }

        private void readDomain() {
            long next = in.peek();
            int coded = domainCode.coded(next, 0);
            int taken = ContextCode.bits(coded);
            int bucket = ContextCode.symbol(coded);
            if (bucket < Field.NO_RANK) {
                int width = Field.bucketBits(bucket);
                int rest = (int) (next >>> taken) & ((1 << width) - 1);
                rank = Field.bucketStart(bucket) + rest;
                in.skip(taken + width);
                return;
            }
            in.skip(taken);
            rank = NO_RANK;
            if (literal.length == 0) {
                literal = new byte[256];
            }
            if (bucket == Field.NO_RANK) {
                literalLength = Characters.read(in, codes.of(Field.DOMAIN_NEXT), literal, 0);
            } else {
                literalLength = in.bits(Byte.SIZE);
                in.bytes(literal, 0, literalLength);
            }
            if (literalLength == 0) {
                throw new IndexOutOfBoundsException("an empty domain");
            }
        }

        /** Returns the key. */
        Key key() {
            return Key.of(Arrays.copyOf(text, length), domain());
        }

        private byte[] domain() {
            return rank == NO_RANK
                    ? Arrays.copyOf(literal, literalLength)
                    : dictionary.domain(rank);
        }

        /** Starts comparing keys with another one. */
        private void startComparing() {
            matched = 0;
        }

        /**
         * Compares the local part with that of a key, after all keys before it since {@link
         * #startComparing}. They were less, or had the same local part.
         */
        private int compareLocal(Key key) {
            if (shared != matched) {
                return shared > matched ? -1 : 1;
            }
            byte[] wanted = key.bytes();
            int local = key.localLength();
            int mismatch = Arrays.mismatch(text, shared, length, wanted, shared, local);
            if (mismatch < 0) {
                matched = local;
                return 0;
            }
            matched = shared + mismatch;
            return Arrays.compareUnsigned(text, matched, length, wanted, matched, local);
        }

        /** Returns whether this has the domain of a key. */
        private boolean hasDomain(Key key) {
            byte[] wanted = key.bytes();
            int from = key.domainStart();
            return rank == NO_RANK
                    ? Arrays.equals(literal, 0, literalLength, wanted, from, wanted.length)
                    : dictionary.isDomain(rank, wanted, from, wanted.length);
        }

        /** Compares the whole key with another one. */
        private int compare(Key key) {
            byte[] other = key.bytes();
            int order = Arrays.compareUnsigned(text, 0, length, other, 0, key.localLength());
            if (order != 0) {
                return order;
            }
            int from = key.domainStart();
            return rank == NO_RANK
                    ? Arrays.compareUnsigned(literal, 0, literalLength, other, from, other.length)
                    : -dictionary.compare(other, from, other.length, rank);
        }
    }

    /**
     * Moves to the entry for a sender and some recipients, or all if {@code to} is null; returns
     * false if the block does not hold it.
     *
     * @param sortKey the sort key of both
     */
    boolean seek(Key key, @Nullable Key to, byte[] sortKey) {
        if (!Arrays.equals(block, 1, 1 + prefix, sortKey, 0, Math.min(prefix, sortKey.length))) {
            return false;
        }
        if (!seekGroup(key, to, sortKey)) {
            return false;
        }
        sender.startComparing();
        boolean ofSender = false;
        do {
            if (hasSender) {
                int order = sender.compareLocal(key);
                if (order > 0) {
                    return false;
                }
                ofSender = order == 0 && sender.hasDomain(key);
                recipients.startComparing();
            }
            if (ofSender && to == null) {
                return !forSome;
            }
            if (to != null && ofSender && forSome) {
                int order = compareRecipients(to);
                if (order > 0) {
                    return false;
                }
                if (order == 0 && recipients.hasDomain(to)) {
                    return true;
                }
            }
        } while (nextInGroup());
        return false;
    }

    private int compareRecipients(Key to) {
        int kinds = recipientKind - RecipientKind.of(to).code();
        return kinds != 0 ? kinds : recipients.compareLocal(to);
    }

    /**
     * Moves to the last group whose first entry is not after the key; returns whether there is one.
     */
    private boolean seekGroup(Key key, @Nullable Key to, byte[] sortKey) {
        int head = heads.of(sortKey, prefix, sortKey.length);
        int low = firstGroup(head);
        int high = low;
        while (high < groups && head(groupAt(high)) == head) {
            high++;
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            startGroup(middle);
            if (compare(key, to) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low > 0 && group != low - 1) {
            startGroup(low - 1);
        }
        return low > 0;
    }

    /** Compares the first entry of a group with a key. */
    private int compare(Key key, @Nullable Key to) {
        int order = sender.compare(key);
        if (order != 0 || to == null) {
            return order != 0 || !forSome ? order : 1;
        }
        if (!forSome) {
            return -1;
        }
        int kinds = recipientKind - RecipientKind.of(to).code();
        return kinds != 0 ? kinds : recipients.compare(to);
    }

    /** Returns the first group whose head is not less than this one. */
    private int firstGroup(int head) {
        int low = 0;
        int high = groups;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (head(groupAt(middle)) < head) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
