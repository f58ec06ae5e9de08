package io.github.senderwhitelist.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Reads all entries of an exact store, slowly. It was written from the documentation of the format
 * and shares no code with the store. It also requires what the documentation promises beyond the
 * entries: checksums, separators, and zeros after the entries.
 *
 * <p>Bytes are the characters of strings, as in ISO 8859-1. So strings have the order of the bytes.
 */
final class ReferenceReader {
    private static final int BLOCK = 2048;

    /**
     * An entry as its bytes.
     *
     * @param key the sort key
     * @param rules the encoded rules
     */
    record Encoded(String key, String rules) {}

    private final List<Encoded> entries = new ArrayList<>();
    private final List<String> domains;
    private final List<String> rules;

    private ReferenceReader(ByteBuffer ranks) throws IOException {
        domains = ranks(ranks);
        rules = ranks(ranks);
        require(!ranks.hasRemaining(), "bytes after the ranks");
    }

    /** Returns all entries of the store with these serial forms. */
    static List<Encoded> read(byte[] blocks, byte[] ranks, byte[] index) throws IOException {
        ReferenceReader reader = new ReferenceReader(littleEndian(ranks));
        ByteBuffer separators = littleEndian(index);
        String separator = "";
        for (int from = 0; from < blocks.length; from += BLOCK) {
            CRC32C crc = new CRC32C();
            crc.update(blocks, from, BLOCK);
            require(separators.getInt() == (int) crc.getValue(), "a checksum");
            int lengths = separators.getShort() & 0xffff;
            separator = separator.substring(0, lengths % 32) + text(separators, lengths / 32);
            String before = reader.entries.isEmpty() ? "" : reader.entries.getLast().key;
            int first = reader.entries.size();
            reader.readBlock(
                    littleEndian(blocks).slice(from, BLOCK).order(ByteOrder.LITTLE_ENDIAN));
            require(
                    from == 0
                            ? separator.isEmpty()
                            : separator.compareTo(before) > 0
                                    && separator.compareTo(reader.entries.get(first).key) <= 0
                                    && !separator.endsWith("\0"),
                    "a separator");
        }
        require(!separators.hasRemaining(), "bytes after the index");
        return reader.entries;
    }

    private static List<String> ranks(ByteBuffer in) throws IOException {
        List<String> strings = new ArrayList<>();
        String before = "";
        for (int left = in.getInt(); left > 0; left--) {
            int head = u8(in);
            int shared = head / 16 == 15 ? u8(in) : head / 16;
            int follow = head % 16 == 15 ? u8(in) : head % 16;
            before = before.substring(0, shared) + text(in, follow);
            strings.add(before);
        }
        return strings;
    }

    private void readBlock(ByteBuffer in) throws IOException {
        int end = in.getShort(BLOCK - 2) & 0xffff;
        String sender = "";
        String senderLocal = "";
        String recipientLocal = "";
        while (in.position() < end) {
            int head = u8(in);
            int code = u8(in);
            int kind = 0;
            boolean isNamed = code == 253;
            String encoded;
            int marks = code == 254 ? u8(in) : 0;
            int rank = marks / 4;
            if (rank == 62) {
                rank += u8(in);
            } else if (rank == 63) {
                rank = -1;
            }
            if (code == 254 || isNamed) {
                kind = marks % 4;
                code = u8(in);
            } else if (code >= 64 && code <= 128) {
                kind = 1;
                code = code < 128 ? code - 64 : 64 + u8(in);
                code += 1000;
            }
            String domain = null;
            if (code >= 1000) {
                domain = domains.get(code - 1000);
            } else if (code < 64) {
                domain = domains.get(code);
            } else if (code >= 129 && code < 249) {
                domain = domains.get(64 + (code - 129) * 256 + u8(in));
            } else if (code >= 249 && code < 253) {
                domain = domains.get(30_784 + (code - 249) * 65_536 + u16(in));
            } else {
                require(code == 255, "code " + code);
            }
            int shared = head / 16 == 15 ? u8(in) : head / 16;
            int follow = head % 16 == 15 ? u8(in) : head % 16;
            String last = kind == 0 ? senderLocal : recipientLocal;
            require(shared <= last.length(), "bytes shared");
            String local = last.substring(0, shared) + text(in, follow);
            if (domain == null) {
                domain = text(in, u8(in));
            }
            encoded = rank >= 0 ? rules.get(rank) : text(in, u16(in));
            if (kind == 0) {
                senderLocal = local;
                sender = local + "\0" + domain;
                if (!isNamed) {
                    entries.add(new Encoded(sender, encoded));
                }
            } else {
                recipientLocal = local;
                String recipients = (char) kind + local + "\0" + domain;
                entries.add(new Encoded(sender + "\0" + recipients, encoded));
            }
        }
        require(in.position() == end, "the end of a block");
        while (in.position() < BLOCK - 2) {
            require(in.get() == 0, "something after the entries");
        }
    }

    private static int u8(ByteBuffer in) {
        return in.get() & 0xff;
    }

    private static int u16(ByteBuffer in) {
        return in.getShort() & 0xffff;
    }

    private static String text(ByteBuffer in, int length) {
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, ISO_8859_1);
    }

    private static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void require(boolean condition, String what) throws IOException {
        if (!condition) {
            throw new IOException(what);
        }
    }
}
