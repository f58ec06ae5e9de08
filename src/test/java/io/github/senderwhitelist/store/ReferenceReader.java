package io.github.senderwhitelist.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

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
public final class ReferenceReader {
    private static final int BLOCK = 2048;

    /** Sort keys, and what is said of them. */
    private final List<String> keys = new ArrayList<>();

    private final List<Entry> entries = new ArrayList<>();
    private final List<String> domains;
    private final List<String> forms;

    private ReferenceReader(ByteBuffer ranks) throws IOException {
        domains = ranks(ranks);
        forms = ranks(ranks);
        require(!ranks.hasRemaining(), "bytes after the ranks");
    }

    /** Returns all entries of the store with these serial forms. */
    public static List<Entry> read(byte[] blocks, byte[] ranks, byte[] index) throws IOException {
        ReferenceReader reader = new ReferenceReader(littleEndian(ranks));
        ByteBuffer separators = littleEndian(index);
        for (int from = 0; from < blocks.length; from += BLOCK) {
            CRC32C crc = new CRC32C();
            crc.update(blocks, from, BLOCK);
            require(separators.getInt() == (int) crc.getValue(), "a checksum");
            String separator = text(separators, u16(separators));
            String before = reader.keys.isEmpty() ? "" : reader.keys.getLast();
            int first = reader.keys.size();
            reader.readBlock(
                    littleEndian(blocks).slice(from, BLOCK).order(ByteOrder.LITTLE_ENDIAN));
            require(
                    from == 0
                            ? separator.isEmpty()
                            : separator.compareTo(before) > 0
                                    && separator.compareTo(reader.keys.get(first)) <= 0
                                    && before.startsWith(
                                            separator.substring(0, separator.length() - 1)),
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
            boolean isNamed = code == 255;
            String form = forms.get(code > 176 ? 1 : 0);
            if (code == 254) {
                int rank = u8(in);
                form =
                        rank == 255
                                ? text(in, u16(in))
                                : forms.get(rank < 192 ? rank : 192 + 256 * (rank - 192) + u8(in));
            }
            if (code >= 254) {
                code = u8(in);
                require(code <= 176, "code " + code);
            }
            String domain = domain(code > 176 ? code - 177 : code, in);
            int shared = head / 16 == 15 ? u8(in) : head / 16;
            int follow = head % 16 == 15 ? u8(in) : head % 16;
            int kind = isNamed ? 0 : form.charAt(0);
            String last = kind == 0 ? senderLocal : recipientLocal;
            require(shared <= last.length(), "bytes shared");
            String local = last.substring(0, shared) + text(in, follow);
            if (kind == 0) {
                senderLocal = local;
                sender = local + "\0" + domain;
            } else {
                recipientLocal = local;
            }
            if (!isNamed) {
                String recipients = kind == 0 ? "" : "\0" + (char) kind + local + "\0" + domain;
                add(sender + recipients, form.substring(1).getBytes(ISO_8859_1));
            }
        }
        require(in.position() == end, "the end of a block");
        while (in.position() < BLOCK - 2) {
            require(in.get() == 0, "something after the entries");
        }
    }

    private void add(String key, byte[] rules) throws IOException {
        Entry bare = SortKey.entry(key.getBytes(ISO_8859_1));
        int kinds = RulesCodec.bits(rules, 0, rules.length);
        keys.add(key);
        entries.add(
                new Entry(
                        bare.key(),
                        bare.to(),
                        RulesCodec.decode(rules, 0),
                        RecipientKind.ofBits(kinds)));
    }

    private String domain(int code, ByteBuffer in) {
        if (code == 176) {
            return text(in, u8(in));
        }
        int more = code < 64 ? 0 : code < 168 ? u8(in) : u16(in);
        return domains.get(
                code < 64
                        ? code
                        : code < 168
                                ? 64 + (code - 64) * 256 + more
                                : 26_688 + (code - 168) * 65_536 + more);
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
