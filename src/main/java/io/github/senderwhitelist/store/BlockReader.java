package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Arrays;

/**
 * A reader of the entries of a block, one block after the other. For one thread.
 *
 * <p>A block has {@value #SIZE} bytes: whole entries in the order of their sort keys, zeros, and at
 * {@value #END_AT} where the entries end (u16). An entry is what its sender or its recipients do
 * not share with those before, front-coded as in a printed index:
 *
 * <pre>
 * lengths     u8: in the high half how many bytes the local part shares with the one before, in the low
 *             half how many follow. A half of {@value #IN_BYTE} means that the number is in a byte of its own
 * code        of the domain, and what kind of entry it is:
 *               0 to 63     a sender at the domain of this rank, listed by one plain line
 *               64 to 127   the same for a recipient of the last sender; the rank is 64 less
 *               128         the same; the rank is 64 more than the next byte (u8)
 *               129 to 248  a sender; the rank is 64 + 256 · (code − 129) + the next byte
 *               249 to 252  a sender; the rank is 30,784 + 65,536 · (code − 249) + the next two bytes (u16)
 *               253         no entry: it names the sender of the recipients that follow. A code follows
 *               254         marks (u8) and a code of 0 to 63, 129 to 252 or 255 follow. Marks have in the lowest
 *                           two bits 0 for a sender, else the kind of the recipients, and above them the rank of
 *                           the rules; 62: the rank is 62 + the next byte (u8); 63: they are spelled out
 *               255         a sender whose domain is spelled out
 * shared      u8, if its half is {@value #IN_BYTE}
 * follow      u8, if its half is {@value #IN_BYTE}
 * local part  the bytes that follow
 * domain      if it is spelled out: length (u8) and bytes
 * rules       if they are spelled out: length (u16) and bytes, encoded by {@link RulesCodec}
 * </pre>
 *
 * <p>"Before" is the last sender for a sender, and the last recipients, of whichever sender, for
 * recipients; at the beginning of a block there is none. A domain as recipients has no local part.
 * The first entry of a block names the sender before, if it is for recipients. {@link Ranks} has
 * the domains and rules: nearly all domains have a rank, the most frequent the shortest code. The
 * checksum of a block is in the {@link BlockIndex}, so in memory: a block that was moved, or is of
 * another snapshot, is found out like one that is damaged.
 *
 * <p><b>Why the local part comes first</b>: neighbours then share most of it, and what is left of a
 * domain is one to three bytes. Domain first, a list is 15 to 40 % larger.
 *
 * <p><b>Why {@value #SIZE} bytes</b>: a larger block wastes less, since its first entry shares
 * nothing, and the index is smaller; but a lookup passes half of its entries. In 1, 2 and 4 KiB, a
 * million generated addresses took 10.55, 10.45 and 10.40 bytes each, of people 8.07, 7.99 and
 * 7.95; a hit in memory took 593, 864 and 1,156 ns. In 1 KiB, the longest keys with the most rules
 * do not fit; in {@value #SIZE} bytes all do, so no line is refused for the sake of blocks.
 *
 * <p><b>What a lookup costs</b>: bisecting the index; one read of a block, unless it is in memory,
 * and its checksum; then passing on average half of some 200 entries. Passing one costs a few
 * nanoseconds: bytes are compared only where an entry shares exactly as many bytes with the one
 * before as that shares with the key sought. If it shares more, it is still less; if it shares
 * fewer, it is greater, and the key is not there.
 *
 * <p>A forged block, with a right checksum and wrong content, makes the methods throw an
 * IndexOutOfBoundsException or an IOException, or give a wrong answer, and nothing worse.
 */
final class BlockReader {
    /** The size of a block, in bytes. */
    static final int SIZE = 2048;

    /** Where the end of the entries stands. */
    static final int END_AT = SIZE - Short.BYTES;

    /** The number of domains whose rank is a code by itself. */
    static final int SHORT_RANKS = 64;

    /** The code before a byte, for an entry as those before it. */
    static final int RECIPIENT = 2 * SHORT_RANKS;

    /** The number of domains whose rank these codes have. */
    static final int RECIPIENT_RANKS = SHORT_RANKS + 256;

    /** The first code of a rank in two bytes. */
    static final int TWO_BYTES = RECIPIENT + 1;

    /** The first code of a rank in three bytes. */
    static final int THREE_BYTES = 249;

    /** The number of domains whose rank takes at most two bytes. */
    static final int MIDDLE_RANKS = SHORT_RANKS + (THREE_BYTES - TWO_BYTES) * 256;

    /** The code before that of the domain of a sender who is named only. */
    static final int NAMED = 253;

    /** The code before marks and that of the domain. */
    static final int MARKED = 254;

    /** The code of a domain that is spelled out. */
    static final int SPELLED = 255;

    /** The most domains that can have a rank. */
    static final int MAX_DOMAINS = MIDDLE_RANKS + ((NAMED - THREE_BYTES) << Short.SIZE);

    /** The ends of ranks whose codes are equally long. */
    static final int[] RANKS = {SHORT_RANKS, RECIPIENT_RANKS, MIDDLE_RANKS, MAX_DOMAINS};

    /** The greatest half byte, which says that the number is in a byte of its own. */
    static final int IN_BYTE = 15;

    /** The rules in marks from which on one more byte is added. */
    static final int MORE_RULES = 62;

    /** The rules in marks that are spelled out. */
    static final int SPELLED_RULES = 63;

    /** The most rules that can have a rank. */
    static final int MAX_RULES = MORE_RULES + 256;

    private static final int SENDER = 0;

    private static final int UNKNOWN = -1;

    /** Room for a block that has no array of its own. */
    final byte[] buffer = new byte[SIZE];

    private final Ranks domains;
    private final Ranks commonRules;
    private byte[] block = buffer;
    private int at;
    private int end;

    /** 0 for a sender, else the kind of recipients that the entry is for. */
    private int kind;

    /** Whether it is an entry, not only the name of a sender. */
    private boolean isEntry;

    private int shared;
    private int follow;
    private int textAt;

    /** The rank of the domain, or {@link Ranks#NONE} if it is spelled out. */
    private int rank;

    private int domainAt;
    private int domainLength;

    /** The rank of the rules, or {@link #MAX_RULES} if they are spelled out. */
    private int rules;

    private int rulesAt;
    private int rulesLength;

    private final Text senderText = new Text();
    private final Text recipientText = new Text();
    private Key sender = Key.of(new byte[0], new byte[0]);

    /** Creates a reader without a block. */
    BlockReader(Ranks domains, Ranks commonRules) {
        this.domains = domains;
        this.commonRules = commonRules;
    }

    /**
     * Moves before the first entry of a block.
     *
     * @param verified the block, whose checksum is right
     */
    void start(byte[] verified) {
        block = verified;
        at = 0;
        end = unsignedShort(END_AT);
        senderText.length = 0;
        recipientText.length = 0;
    }

    private int unsigned(int index) {
        return block[index] & 0xff;
    }

    private int unsignedShort(int index) {
        return unsigned(index) | unsigned(index + 1) << Byte.SIZE;
    }

    /** Finds the parts of the next entry; returns false after the last one. */
    private boolean step() {
        if (at >= end) {
            return false;
        }
        int head = unsigned(at);
        int code = unsigned(at + 1);
        int next = at + 2;
        kind = SENDER;
        isEntry = true;
        rules = 0;
        if (code == MARKED) {
            int marks = unsigned(next++);
            kind = marks & 3;
            rules = marks >>> 2;
            if (rules == MORE_RULES) {
                rules += unsigned(next++);
            } else if (rules == SPELLED_RULES) {
                rules = MAX_RULES;
            }
            code = unsigned(next++);
        } else if (code == NAMED) {
            isEntry = false;
            code = unsigned(next++);
        }
        if (code < SHORT_RANKS) {
            rank = code;
        } else if (code < TWO_BYTES) {
            kind = RecipientKind.ADDRESS.code();
            rank = code - SHORT_RANKS;
            if (code == RECIPIENT) {
                rank += unsigned(next++);
            }
        } else if (code < THREE_BYTES) {
            rank = SHORT_RANKS + ((code - TWO_BYTES) << Byte.SIZE | unsigned(next++));
        } else if (code < NAMED) {
            rank = MIDDLE_RANKS + ((code - THREE_BYTES) << Short.SIZE | unsignedShort(next));
            next += 2;
        } else if (code == SPELLED) {
            rank = Ranks.NONE;
        } else {
            throw new IndexOutOfBoundsException("a domain with code " + code);
        }
        shared = head >>> 4;
        if (shared == IN_BYTE) {
            shared = unsigned(next++);
        }
        follow = head & 15;
        if (follow == IN_BYTE) {
            follow = unsigned(next++);
        }
        textAt = next;
        next += follow;
        if (rank == Ranks.NONE) {
            domainLength = unsigned(next++);
            domainAt = next;
            next += domainLength;
        }
        if (rules == MAX_RULES) {
            rulesLength = unsignedShort(next);
            rulesAt = next + 2;
            next = rulesAt + rulesLength;
        }
        if (next > end) {
            throw new IndexOutOfBoundsException("an entry goes beyond the end");
        }
        at = next;
        return true;
    }

    /** A local part, made of one entry after the other. */
    private final class Text {
        private final byte[] bytes = new byte[512];
        private int length;

        /** Takes the bytes of the entry that follow the shared ones. */
        private void take() {
            if (shared > length) {
                throw new IndexOutOfBoundsException("more bytes shared than there are");
            }
            System.arraycopy(block, textAt, bytes, shared, follow);
            length = shared + follow;
        }

        private Key key() {
            byte[] domain =
                    rank == Ranks.NONE
                            ? Arrays.copyOfRange(block, domainAt, domainAt + domainLength)
                            : domains.get(rank);
            return Key.of(Arrays.copyOf(bytes, length), domain);
        }
    }

    /**
     * Moves to the next entry and returns it, or null after the last one.
     *
     * @throws IOException if its rules make no sense
     */
    @Nullable Entry next() throws IOException {
        while (step()) {
            if (kind == SENDER) {
                senderText.take();
                sender = senderText.key();
                if (isEntry) {
                    return entry(sender, null);
                }
            } else {
                recipientText.take();
                return entry(sender, recipientText.key());
            }
        }
        return null;
    }

    /**
     * Returns the entry of the block for a sender and some recipients, or all if {@code to} is
     * null; returns null if the block does not hold it.
     *
     * @throws IOException if its rules make no sense
     */
    @Nullable Entry find(Key key, @Nullable Key to) throws IOException {
        if (!seek(key)) {
            return null;
        }
        if (to != null) {
            return findRecipients(key, to);
        }
        return isEntry ? entry(key, null) : null;
    }

    /**
     * Moves to a sender; returns false if the block does not name it. This is where a lookup spends
     * its time, so the usual form of an entry is read here, with few branches.
     */
    private boolean seek(Key key) {
        byte[] wanted = key.bytes();
        int local = key.localLength();
        int domain = key.domainStart();
        byte[] bytes = block;
        // The bytes shared with the local part of the last sender, which is not greater.
        int same = 0;
        int codeWanted = UNKNOWN;
        int rankWanted = Ranks.NONE;
        int from = 0;
        while (from < end) {
            int head = bytes[from] & 0xff;
            int code = bytes[from + 1] & 0xff;
            int sharedHere = head >>> 4;
            int followHere = head & IN_BYTE;
            // Codes with one and two more bytes are those above these.
            int text =
                    from + 2 + ((RECIPIENT - 1 - code) >>> 31) + ((THREE_BYTES - 1 - code) >>> 31);
            if (sharedHere == IN_BYTE) {
                sharedHere = bytes[text++] & 0xff;
            }
            if (followHere == IN_BYTE) {
                followHere = bytes[text++] & 0xff;
            }
            int next = text + followHere;
            boolean isSender = code < SHORT_RANKS || code > RECIPIENT;
            if (code >= NAMED) {
                at = from;
                step();
                sharedHere = shared;
                followHere = follow;
                text = textAt;
                next = at;
                isSender = kind == SENDER;
            }
            if (next > end) {
                throw new IndexOutOfBoundsException("an entry goes beyond the end");
            }
            if (isSender && sharedHere <= same) {
                if (sharedHere < same) {
                    return false;
                }
                int i = 0;
                int most = Math.min(followHere, local - same);
                while (i < most && bytes[text + i] == wanted[same + i]) {
                    i++;
                }
                same += i;
                if (i < followHere) {
                    if (same == local || (bytes[text + i] & 0xff) > (wanted[same] & 0xff)) {
                        return false;
                    }
                } else if (same == local) {
                    if (codeWanted == UNKNOWN) {
                        rankWanted = domains.rank(wanted, domain, wanted.length);
                        codeWanted = code(rankWanted);
                    }
                    if (code == codeWanted || code >= NAMED) {
                        at = from;
                        step();
                        if (isDomain(rankWanted, wanted, domain)) {
                            return true;
                        }
                    }
                }
            }
            from = next;
        }
        return false;
    }

    /** Returns the entry for some recipients of the sender that the last step has come to. */
    private @Nullable Entry findRecipients(Key key, Key to) throws IOException {
        int place = at;
        int domain = to.domainStart();
        int rankWanted = domains.rank(to.bytes(), domain, to.bytes().length);
        at = 0;
        while (at < place) {
            step();
            if (kind != SENDER) {
                recipientText.take();
            }
        }
        while (step() && kind != SENDER) {
            recipientText.take();
            int order = compareRecipients(to);
            if (order > 0) {
                return null;
            }
            if (order == 0 && isDomain(rankWanted, to.bytes(), domain)) {
                return entry(key, to);
            }
        }
        return null;
    }

    private int compareRecipients(Key to) {
        int kinds = kind - RecipientKind.of(to).code();
        return kinds != 0
                ? kinds
                : Arrays.compareUnsigned(
                        recipientText.bytes,
                        0,
                        recipientText.length,
                        to.bytes(),
                        0,
                        to.localLength());
    }

    /** Returns whether the domain is {@code wanted[from, …)}, which has this rank. */
    private boolean isDomain(int rankWanted, byte[] wanted, int from) {
        return rank == rankWanted
                && (rank != Ranks.NONE
                        || Arrays.equals(
                                block,
                                domainAt,
                                domainAt + domainLength,
                                wanted,
                                from,
                                wanted.length));
    }

    /** Returns the first byte of the code of a domain with this rank. */
    private static int code(int rank) {
        if (rank < 0) {
            return SPELLED;
        }
        if (rank < SHORT_RANKS) {
            return rank;
        }
        return rank < MIDDLE_RANKS
                ? TWO_BYTES + ((rank - SHORT_RANKS) >>> Byte.SIZE)
                : THREE_BYTES + ((rank - MIDDLE_RANKS) >>> Short.SIZE);
    }

    private Entry entry(Key key, @Nullable Key to) throws IOException {
        if (rules == MAX_RULES) {
            return RulesCodec.decode(block, rulesAt, rulesLength).entry(key, to);
        }
        byte[] common = rules == 0 ? RulesCodec.PLAIN : commonRules.get(rules);
        return RulesCodec.decode(common, 0, common.length).entry(key, to);
    }
}
