package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.Ranks.IN_BYTE;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * A reader of the entries of one block. For one thread.
 *
 * <p>A block has {@value #SIZE} bytes: whole entries in the order of their sort keys, zeros, and at
 * {@value #END_AT} where the entries end (u16). An entry is what its sender or its recipients do
 * not share with those before, front-coded as in a printed index:
 *
 * <pre>
 * lengths     u8: in the high half how many bytes the local part shares with the one before, in the low
 *             half how many follow. A half of 15 means that the number is in a byte of its own
 * code        of the domain, and of the form, which is what kind of recipients an entry is for, and its rules:
 *               0 to 63     the form of most senders; the rank of the domain
 *               64 to 167   the same; the rank is 64 + 256 · (code − 64) + the next byte (u8)
 *               168 to 175  the same; the rank is 26,688 + 65,536 · (code − 168) + the next two bytes (u16)
 *               176         the same; the domain is spelled out: length (u8) and bytes
 *               177 to 253  the form of most recipients; the rank is that of the code that is 177 less
 *               254         another form, and a code of 0 to 176 follow. Its rank is one byte (u8) up to 191. From 192
 *                           to 254, it is 192 + 256 · (byte − 192) + the next byte (u8). 255: the form is spelled
 *                           out: length (u16), a byte for the kind, and rules encoded by {@link RulesCodec}
 *               255         no entry: it names the sender of the recipients that follow. A code of 0 to 176 follows
 * shared      u8, if its half is 15
 * follow      u8, if its half is 15
 * local part  the bytes that follow
 * </pre>
 *
 * <p>"Before" is the last sender for a sender, and the last recipients, of whichever sender, for
 * recipients; at the beginning of a block there is none, so an entry for recipients has its sender
 * named first. A domain as recipients has no local part. {@link Ranks} has the domains and forms:
 * nearly all have a rank, the most frequent the shortest code. The checksum of a block is in the
 * {@link BlockIndex}, so a block that was moved, or is of another snapshot, is found out.
 *
 * <p><b>Why the local part comes first</b>: neighbours then share most of it, and what is left of a
 * domain is one to three bytes. Domain first, a list is 15 to 40 % larger.
 *
 * <p><b>Why {@value #SIZE} bytes</b>: a larger block wastes less, since its first entry shares
 * nothing, but a lookup passes half of its entries. In 1, 2 and 4 KiB, a million generated
 * addresses took 10.55, 10.45 and 10.40 bytes each; a hit in memory took 593, 864 and 1,156 ns. In
 * 1 KiB, the longest keys with the most rules do not fit.
 *
 * <p><b>What a lookup costs</b>: bisecting the index; one read of a block, unless it is in memory,
 * and its checksum; then passing on average half of some 200 entries, a few nanoseconds each: bytes
 * are compared only where an entry shares exactly as many bytes with the one before as that shares
 * with the key sought. If it shares more, it is as different as the one before; if it shares fewer,
 * it is greater, and the key is not there.
 *
 * <p>A forged block, with a right checksum and wrong content, makes the methods throw an
 * IndexOutOfBoundsException or an IOException, or give a wrong answer, and nothing worse.
 */
final class BlockReader {
    static final int SIZE = 2048;
    static final int END_AT = SIZE - Short.BYTES;

    // The codes of the table, each the first of its kind.
    static final int TWO_BYTES = 64;
    static final int THREE_BYTES = 168;
    static final int SPELLED = 176;
    static final int FOR_SOME = SPELLED + 1;
    static final int FORMED = 254;
    static final int NAMED = 255;

    // The ends of the ranks of domains whose codes are equally long.
    static final int MIDDLE_RANKS = TWO_BYTES + ((THREE_BYTES - TWO_BYTES) << Byte.SIZE);
    static final int RANKS_FOR_SOME = TWO_BYTES + ((FORMED - FOR_SOME - TWO_BYTES) << Byte.SIZE);
    static final int MAX_DOMAINS = MIDDLE_RANKS + ((SPELLED - THREE_BYTES) << Short.SIZE);
    static final int[] RANKS = {TWO_BYTES, RANKS_FOR_SOME, MIDDLE_RANKS, MAX_DOMAINS};

    // The ranks of forms.
    static final int SHORT_FORMS = 192;
    static final int SPELLED_FORM = 255;
    static final int MAX_FORMS = SHORT_FORMS + ((SPELLED_FORM - SHORT_FORMS) << Byte.SIZE);

    /** How many bytes of the rank come after each code. */
    private static final byte[] MORE = new byte[NAMED + 1];

    static {
        Arrays.fill(MORE, TWO_BYTES, THREE_BYTES, (byte) 1);
        Arrays.fill(MORE, THREE_BYTES, SPELLED, (byte) 2);
        Arrays.fill(MORE, FOR_SOME + TWO_BYTES, FORMED, (byte) 1);
    }

    static final byte[] ONLY_NAME = {};

    private final byte[][] domains;
    private final byte[][] forms;
    private final byte[] block;
    private final int end;

    /** Where the next entry begins. */
    private int at;

    // The parts of this entry, where its local part is, and where the rest of a rank or the domain.
    private int kind;
    private byte[] form = ONLY_NAME;
    private int code;
    private int domainAt;
    private int shared;
    private int follow;
    private int textAt;

    private byte[] senderText = {};
    private byte[] recipientText = {};
    private Key sender = Key.of(senderText, senderText);

    /** Creates a reader before the first entry of a block whose checksum is right. */
    BlockReader(byte[][] domains, byte[][] forms, byte[] block) {
        this.domains = domains;
        this.forms = forms;
        this.block = block;
        this.end = unsignedShort(END_AT);
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
        int next = at + 2;
        code = unsigned(at + 1);
        if (code < FORMED) {
            form = forms[code < FOR_SOME ? 0 : 1];
        } else {
            next = otherForm(next);
        }
        kind = form.length == 0 ? 0 : form[0];
        domainAt = next;
        next += code == SPELLED ? 1 + unsigned(next) : MORE[code];
        shared = head >>> 4;
        if (shared == IN_BYTE) {
            shared = unsigned(next++);
        }
        follow = head & IN_BYTE;
        if (follow == IN_BYTE) {
            follow = unsigned(next++);
        }
        textAt = next;
        at = next + follow;
        if (at > end) {
            throw new IndexOutOfBoundsException("an entry goes beyond the end");
        }
        return true;
    }

    /** Reads a form and the code that follows, and returns where that ends. */
    private int otherForm(int from) {
        int next = from;
        int rank = code == NAMED ? 0 : unsigned(next++);
        if (code == NAMED) {
            form = ONLY_NAME;
        } else if (rank == SPELLED_FORM) {
            int end = next + Short.BYTES + unsignedShort(next);
            form = Arrays.copyOfRange(block, next + Short.BYTES, end);
            next = end;
        } else if (rank < SHORT_FORMS) {
            form = forms[rank];
        } else {
            form = forms[SHORT_FORMS + ((rank - SHORT_FORMS) << Byte.SIZE | unsigned(next++))];
        }
        code = unsigned(next++);
        if (code > SPELLED) {
            throw new IndexOutOfBoundsException("a domain with code " + code);
        }
        return next;
    }

    private byte[] domain() {
        int first = code < FOR_SOME ? code : code - FOR_SOME;
        if (first == SPELLED) {
            return Arrays.copyOfRange(block, domainAt + 1, domainAt + 1 + unsigned(domainAt));
        }
        int rank = first;
        if (first >= THREE_BYTES) {
            rank = MIDDLE_RANKS + ((first - THREE_BYTES) << Short.SIZE | unsignedShort(domainAt));
        } else if (first >= TWO_BYTES) {
            rank = TWO_BYTES + ((first - TWO_BYTES) << Byte.SIZE | unsigned(domainAt));
        }
        return domains[rank];
    }

    /** Moves to the next entry and returns it, or null after the last one. */
    @Nullable Entry next() throws IOException {
        while (step()) {
            if (kind == 0) {
                senderText = textAfter(senderText);
                sender = key(senderText);
                if (form.length > 0) {
                    return entry(sender, null);
                }
            } else {
                recipientText = textAfter(recipientText);
                return entry(sender, key(recipientText));
            }
        }
        return null;
    }

    private byte[] textAfter(byte[] before) {
        if (shared > before.length) {
            throw new IndexOutOfBoundsException("more bytes shared than there are");
        }
        byte[] text = Arrays.copyOf(before, shared + follow);
        System.arraycopy(block, textAt, text, shared, follow);
        return text;
    }

    private Key key(byte[] local) {
        byte[] domain = domain();
        if (domain.length == 0) {
            throw new IndexOutOfBoundsException("a domain without a name");
        }
        return Key.of(local, domain);
    }

    /**
     * Returns the entry of the block for a sender and some recipients, or all if {@code to} is
     * null; null if there is none. This is where a lookup spends its time.
     */
    @Nullable Entry find(Key key, @Nullable Key to) throws IOException {
        int wantedKind = to == null ? 0 : RecipientKind.of(to).code();
        int same = 0;
        int sameRecipients = 0;
        boolean isAtSender = false;
        while (step()) {
            if (kind != 0) {
                if (to != null) {
                    sameRecipients = same(sameRecipients, to);
                    if (isAtSender && kind == wantedKind && isName(sameRecipients, to)) {
                        return entry(key, to);
                    }
                }
            } else if (isAtSender || shared < same) {
                return null;
            } else {
                same = same(same, key);
                isAtSender = isName(same, key);
                if (isAtSender && to == null) {
                    return form.length == 0 ? null : entry(key, null);
                }
                if (isGreater(same, key)) {
                    return null;
                }
            }
        }
        return null;
    }

    /** Returns how many bytes the local part shares with a wanted one, as that before did. */
    private int same(int before, Key wanted) {
        if (shared > before) {
            return before;
        }
        byte[] bytes = wanted.bytes();
        int most = Math.min(shared + follow, wanted.localLength());
        int start = textAt - shared;
        int same = shared;
        while (same < most && block[start + same] == bytes[same]) {
            same++;
        }
        return same;
    }

    /** Returns whether the local part, which shares so many bytes with a wanted one, is greater. */
    private boolean isGreater(int same, Key wanted) {
        return same >= shared
                && same < shared + follow
                && (same == wanted.localLength()
                        || unsigned(textAt + same - shared) > (wanted.bytes()[same] & 0xff));
    }

    private boolean isName(int same, Key wanted) {
        if (same != wanted.localLength() || same != shared + follow) {
            return false;
        }
        byte[] domain = domain();
        byte[] bytes = wanted.bytes();
        return Arrays.equals(domain, 0, domain.length, bytes, wanted.domainStart(), bytes.length);
    }

    private Entry entry(Key key, @Nullable Key to) throws IOException {
        List<Rule> rules = RulesCodec.decode(form, 1);
        int kinds = RulesCodec.bits(form, 1, form.length);
        return new Entry(key, to, rules, RecipientKind.ofBits(kinds));
    }
}
