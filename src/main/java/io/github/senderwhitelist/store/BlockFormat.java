package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.RulesCodec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.zip.CRC32C;

/**
 * The layout of the blocks of the exact store. Only {@link BlockWriter} and {@link BlockCursor} use
 * it.
 *
 * <p>A block has {@value #SIZE} bytes:
 *
 * <pre>
 * prefix                  length (u8) and bytes of the common prefix of all its sort keys
 * entries                 bits, the lowest of each byte first, in groups of entries
 * zeros
 * groups                  u40 each: in the lowest {@value #OFFSET_BITS} bits the bit at which the group begins, counted from the
 *                         beginning of the block; above them the head of its first entry
 * end                     u16, at {@value #END_AT}: the bit after the last group
 * number of groups        u16, at {@value #GROUPS_AT}
 * CRC-32C                 u32, at {@value #CRC_AT}: of salt (u64), block number (u64), and the bytes of the block before it
 * </pre>
 *
 * <p>The {@link Head} of an entry is made of the bytes of its sort key after the prefix, and zeros
 * beyond its end: each is coded by {@link Field#HEAD}, given the one before in the sort key, until
 * there are {@value Head#BITS} bits. The first bit is the highest of the head. A byte that is no
 * symbol is coded as the symbol below it, and only ones follow; a byte before that is no symbol
 * counts as the symbol below it, too. Before the first byte is {@link Symbols#END}.
 *
 * <p>Entries are made of {@link Field}s, each written by its prefix code, the highest bit of the
 * code first. A number of bits is written with its lowest bit first. Groups begin one after the
 * other. Each entry takes at least one bit, except the first of a group, which may take none.
 *
 * <pre>
 * first of a group        KIND; the sender's local part, fresh; the sender's domain;
 *                         if the kind is not 0: the recipients, fresh; RULES
 * others                  KIND, after an entry for some recipients or a sender whose rules name kinds of recipients;
 *                         if the kind is 0 or not written: the sender's local part and domain, otherwise the recipients; RULES
 * recipients              local part if the kind is 1, fresh unless the entry before is of kind 1, too; domain
 * local part              SHARED, how many bytes it shares with the one before; FIRST, the symbol after them; unless
 *                         that is the end, NEXT for each further symbol, with the end
 * fresh local part        SHARED, which is 0; NEXT for each symbol, with the end. For a sender, the symbols that prefix and
 *                         head have are left out, and the end if they have it; instead come the bits that the head cuts off
 *                         of the last symbol it has a part of
 * local part as bytes     SHARED, which is {@link Field#ESCAPE}; bytes shared (8 bits), bytes that follow (8 bits), and these.
 *                         A fresh one shares none, and all of its bytes follow
 * domain                  DOMAIN, the bucket of its rank in the {@link DomainDictionary}; the rank less the lowest of the bucket;
 *                         or {@link Field#NO_RANK} and DOMAIN_NEXT for each symbol, with the end;
 *                         or {@link Field#AS_BYTES}, length (8 bits) and bytes
 * rules                   RULES, the number of the {@linkplain EntryCodes common rules}; or {@link Field#COMMON_RULES},
 *                         length ({@value #RULES_LENGTH_BITS} bits) and bytes, encoded by {@link RulesCodec}
 * </pre>
 *
 * <p>A local part or a domain is written as bytes if one of its bytes is no symbol, or if one of
 * its symbols has no code in its context. A local part that shares more than {@link
 * Field#MOST_SHARED} bytes with the one before is, too.
 *
 * <p>The salt is the same for all blocks of a snapshot and differs between snapshots. So a block of
 * another snapshot has a wrong checksum here.
 */
final class BlockFormat {
    static final int SIZE = 2048;
    static final int CRC_AT = SIZE - 4;
    static final int GROUPS_AT = SIZE - 6;
    static final int END_AT = SIZE - 8;

    /** The bytes of a group in the table of groups. */
    static final int GROUP_BYTES = 5;

    static final int OFFSET_BITS = 14;
    static final int MOST_PREFIX = 255;

    /** The bits of the length of rules without a symbol. */
    static final int RULES_LENGTH_BITS = 10;

    /** The most bytes of rules, kinds of recipients included. */
    static final int MOST_RULES = RulesCodec.MAX_BYTES + 3;

    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, Serial.ORDER);
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, Serial.ORDER);

    private BlockFormat() {}

    /** Returns the checksum of a block. */
    static int checksum(byte[] block, long salt, long number) {
        CRC32C crc = new CRC32C();
        byte[] prefix = new byte[2 * Long.BYTES];
        LONGS.set(prefix, 0, salt);
        LONGS.set(prefix, Long.BYTES, number);
        crc.update(prefix);
        crc.update(block, 0, CRC_AT);
        return (int) crc.getValue();
    }

    static int getInt(byte[] block, int at) {
        return (int) INTS.get(block, at);
    }

    static void putInt(byte[] block, int at, int value) {
        INTS.set(block, at, value);
    }

    /** Returns the offset and the head of the group at a position of the table of groups. */
    static long getGroup(byte[] block, int at) {
        return (long) LONGS.get(block, at) & ((1L << (GROUP_BYTES * Byte.SIZE)) - 1);
    }

    /** Puts the offset and the head of a group into the table of groups. */
    static void putGroup(byte[] block, int at, int offset, int head) {
        long group = (long) head << OFFSET_BITS | offset;
        for (int i = 0; i < GROUP_BYTES; i++) {
            block[at + i] = (byte) (group >>> (i * Byte.SIZE));
        }
    }

    static int offset(long group) {
        return (int) group & ((1 << OFFSET_BITS) - 1);
    }

    static int head(long group) {
        return (int) (group >>> OFFSET_BITS);
    }

    static int getShort(byte[] block, int at) {
        return (block[at] & 0xff) | (block[at + 1] & 0xff) << 8;
    }

    static void putShort(byte[] block, int at, int value) {
        block[at] = (byte) value;
        block[at + 1] = (byte) (value >>> 8);
    }
}
