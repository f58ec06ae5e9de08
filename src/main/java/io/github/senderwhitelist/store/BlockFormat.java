package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.RulesCodec;

import java.util.zip.CRC32C;

/**
 * The layout of the blocks of the exact store. Only {@link BlockWriter} and {@link BlockCursor} use
 * it.
 *
 * <p>A block has {@value #SIZE} bytes:
 *
 * <pre>
 * entries                 one after the other, in the order of keys
 * zeros
 * restart offsets         u16 each: the position of every {@value #RESTART_INTERVAL}th entry
 * number of restarts      u16, at {@value #RESTARTS_AT}
 * number of entries       u16, at {@value #COUNT_AT}
 * CRC-32C                 u32, at {@value #CRC_AT}: of salt (u64), block number (u64), and the bytes of the block before it
 * </pre>
 *
 * <p>An entry for all recipients of a sender is front-coded: what its local part shares with the
 * sender before is left out. Entries for some recipients follow it. They have the same layout, with
 * the key of the recipients in place of the sender's, and share bytes with the recipients before if
 * these are of the same sender. An entry at a restart shares nothing. If it is for some recipients,
 * the sender is repeated before it.
 *
 * <pre>
 * head                    short form, u8: bytes shared in the high four bits, bytes that follow in the low four;
 *                         extended form: 0xF0 + flags, then as varints the bytes shared, the bytes that follow,
 *                         and, with flag {@value #HAS_ATTRIBUTES}, the length of the attributes; {@value #OF_SENDER}: for some recipients of the sender before;
 *                         the short form means the same after a sender whose attributes name kinds of recipients
 * local part              the bytes that follow, as {@link PackedText}; unchanged with flag {@value #UNPACKED}
 * domain                  its rank in the {@link DomainDictionary}, by the first byte: below {@value #TWO_BYTES} the rank
 *                         itself; from {@value #TWO_BYTES} on two bytes, the rank less {@value #TWO_BYTES_BASE}; from {@value #THREE_BYTES} on
 *                         three bytes, the rank less {@value #THREE_BYTES_BASE}, the high byte first; {@value #FIVE_BYTES}: the rank as u32
 *                         in the next four bytes; {@value #LITERAL}: no rank, but length (u8) and bytes of the domain
 * attributes              the rules, encoded by {@link RulesCodec}
 * </pre>
 *
 * <p>A sender that is repeated is 0xF0 + flag {@value #SENDER_AGAIN}, 0 and the length of its local
 * part as varints, and local part and domain as above.
 *
 * <p>The salt is the same for all blocks of a snapshot and differs between snapshots. So a block of
 * another snapshot has a wrong checksum here.
 */
final class BlockFormat {
    static final int SIZE = 2048;
    static final int RESTART_INTERVAL = 16;
    static final int CRC_AT = SIZE - 4;
    static final int COUNT_AT = SIZE - 6;
    static final int RESTARTS_AT = SIZE - 8;

    static final int EXTENDED = 15;
    static final int HAS_ATTRIBUTES = 1;
    static final int UNPACKED = 2;
    static final int OF_SENDER = 4;
    static final int SENDER_AGAIN = 8;

    static final int TWO_BYTES = 128;
    static final int THREE_BYTES = 192;
    static final int FIVE_BYTES = 254;
    static final int LITERAL = 255;
    static final int TWO_BYTES_BASE = TWO_BYTES;
    static final int THREE_BYTES_BASE = TWO_BYTES_BASE + ((THREE_BYTES - TWO_BYTES) << 8);
    static final int FIVE_BYTES_BASE = THREE_BYTES_BASE + ((FIVE_BYTES - THREE_BYTES) << 16);

    private BlockFormat() {}

    /** Returns the checksum of a block. */
    static int checksum(byte[] block, long salt, long number) {
        CRC32C crc = new CRC32C();
        byte[] prefix = new byte[16];
        putLong(prefix, 0, salt);
        putLong(prefix, 8, number);
        crc.update(prefix);
        crc.update(block, 0, CRC_AT);
        return (int) crc.getValue();
    }

    private static void putLong(byte[] bytes, int at, long value) {
        for (int i = 0; i < Long.BYTES; i++) {
            bytes[at + i] = (byte) (value >>> (8 * i));
        }
    }

    static int getInt(byte[] block, int at) {
        return getShort(block, at) | getShort(block, at + 2) << 16;
    }

    static void putInt(byte[] block, int at, int value) {
        putShort(block, at, value);
        putShort(block, at + 2, value >>> 16);
    }

    static int getShort(byte[] block, int at) {
        return (block[at] & 0xff) | (block[at + 1] & 0xff) << 8;
    }

    static void putShort(byte[] block, int at, int value) {
        block[at] = (byte) value;
        block[at + 1] = (byte) (value >>> 8);
    }
}
