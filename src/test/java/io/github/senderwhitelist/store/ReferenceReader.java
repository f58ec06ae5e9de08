package io.github.senderwhitelist.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * Reads all entries of an exact store, slowly. It was written from the documentation of the format
 * and shares no code with the store. It also requires what the documentation promises beyond the
 * entries: heads, prefixes, separators, and zeros between entries and groups.
 *
 * <p>Bytes are the characters of strings, as in ISO 8859-1. So strings have the order of the bytes.
 */
final class ReferenceReader {
    private static final int BLOCK = 2048;
    private static final String SYMBOLS =
            "\0 !\"#$%&'*+,-./0123456789:;=?\\^_`abcdefghijklmnopqrstuvwxyz{|}~";
    private static final int NEXT_CONTEXTS = 5 * 16 * 64;
    private static final int BUCKETS = 8 + 2 * 28;
    private static final int MOST_SHARED = 61;
    private static final int ESCAPE = 62;
    private static final int HEAD = 26;
    private static final int FRESH = 62;
    private static final int AFTER_FRESH = 63;
    private static final int SPELLED_OUT = 62;

    /** The fields in the order of their codes. */
    private enum Field {
        HEAD(63, 63),
        SENDER_SHARED(64, 63),
        SENDER_FIRST(63, 63),
        SENDER_NEXT(NEXT_CONTEXTS, 63),
        SENDER_DOMAIN(1, BUCKETS + 2),
        RECIPIENTS_SHARED(64, 63),
        RECIPIENTS_FIRST(63, 63),
        RECIPIENTS_NEXT(NEXT_CONTEXTS, 63),
        RECIPIENTS_DOMAIN(1, BUCKETS + 2),
        DOMAIN_NEXT(NEXT_CONTEXTS, 63),
        KIND(3, 4),
        RULES(2, 63);

        final int contexts;
        final int symbols;

        Field(int contexts, int symbols) {
            this.contexts = contexts;
            this.symbols = symbols;
        }
    }

    /**
     * An entry as its bytes.
     *
     * @param key the sort key
     * @param rules the encoded rules
     */
    record Encoded(String key, String rules) {}

    /** A local part, and the context that it gives the next one's. */
    private record Local(String text, int context) {
        static final Local NONE = new Local("", FRESH);
    }

    /** For each context, the symbols by the bits of their codes. */
    private record Code(List<Map<String, Integer>> byContext) {}

    private final List<String> commonRules = new ArrayList<>();
    private final Map<Field, Code> codes = new EnumMap<>(Field.class);
    private final List<String> domains = new ArrayList<>();
    private final List<Encoded> entries = new ArrayList<>();

    /** The block that is read, and the next bit of it. */
    private byte[] block = {};

    private int at;

    private ReferenceReader() {}

    /** Returns all entries of the store with these serial forms. */
    static List<Encoded> read(byte[] blocks, byte[] dictionary, byte[] index, long salt)
            throws IOException {
        ReferenceReader reader = new ReferenceReader();
        reader.readDictionary(littleEndian(dictionary));
        ByteBuffer separators = littleEndian(index);
        String separator = "";
        for (int number = 0; number * BLOCK < blocks.length; number++) {
            String before = reader.entries.isEmpty() ? "" : reader.entries.getLast().key;
            int first = reader.entries.size();
            reader.readBlock(
                    Arrays.copyOfRange(blocks, number * BLOCK, (number + 1) * BLOCK), salt, number);
            int lengths = separators.getShort() & 0xffff;
            String shared = separator.substring(0, lengths % 32);
            String follows = text(separators, lengths / 32);
            require(
                    lengths % 32 == 31
                            || number == 0
                            || !separator.startsWith(shared + follows.charAt(0)),
                    "bytes shared by the separator of block " + number);
            separator = shared + follows;
            String expected = "";
            if (number > 0) {
                String key = reader.entries.get(first).key;
                for (int length = 1; expected.compareTo(before) <= 0; length++) {
                    expected = key.substring(0, length);
                }
                if (expected.endsWith("\0")) {
                    expected = key.substring(0, expected.length() + 1);
                }
            }
            require(separator.equals(expected), "separator of block " + number);
        }
        require(!separators.hasRemaining(), "end of the index");
        for (int i = 1; i < reader.entries.size(); i++) {
            require(
                    reader.entries.get(i - 1).key.compareTo(reader.entries.get(i).key) < 0,
                    "order of entry " + i);
        }
        return reader.entries;
    }

    private static void require(boolean right, String what) throws IOException {
        if (!right) {
            throw new IOException("wrong: " + what);
        }
    }

    private static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static String text(ByteBuffer in, int length) {
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, ISO_8859_1);
    }

    private void readDictionary(ByteBuffer in) throws IOException {
        for (int left = in.get() & 0xff; left > 0; left--) {
            commonRules.add(text(in, in.getShort()));
        }
        for (Field field : Field.values()) {
            codes.put(field, code(in, field.contexts, field.symbols, field == Field.HEAD));
        }
        int count = in.getInt();
        block = new byte[in.remaining()];
        in.get(block);
        at = 0;
        while (domains.size() < count) {
            domains.add(number(1) == 0 ? symbols("", Field.DOMAIN_NEXT) : bytes(number(8)));
        }
        require((at + 7) / 8 == block.length, "end of the dictionary");
    }

    private static Code code(ByteBuffer in, int contexts, int symbols, boolean inOrder)
            throws IOException {
        int tables = in.get() & 0xff;
        int[] tableOf = runs(in, contexts);
        int[] allLengths = runs(in, tables * symbols);
        List<Map<String, Integer>> read = new ArrayList<>();
        for (int table = 0; table < tables; table++) {
            int from = table * symbols;
            int[] lengths = Arrays.copyOfRange(allLengths, from, from + symbols);
            read.add(inOrder ? ordered(lengths) : table(lengths));
        }
        List<Map<String, Integer>> byContext = new ArrayList<>();
        for (int table : tableOf) {
            byContext.add(read.get(table));
        }
        return new Code(byContext);
    }

    private static int[] runs(ByteBuffer in, int count) throws IOException {
        int[] numbers = new int[count];
        for (int from = 0; from < count; ) {
            int number = in.get() & 0xff;
            int to = from + (in.get() & 0xff);
            require(to > from && to <= count, "length of a run");
            Arrays.fill(numbers, from, to, number);
            from = to;
        }
        return numbers;
    }

    /** Gives out the codes: shorter ones first, and within a length by symbol. */
    private static Map<String, Integer> table(int[] lengths) throws IOException {
        Map<String, Integer> codes = new HashMap<>();
        int next = 0;
        for (int length = 1; length <= 8; length++) {
            next <<= 1;
            for (int symbol = 0; symbol < lengths.length; symbol++) {
                if (lengths[symbol] == length) {
                    String bits = Integer.toBinaryString(next | 1 << length).substring(1);
                    codes.put(bits, symbol);
                    next++;
                }
            }
        }
        for (int symbol = 0; symbol < lengths.length; symbol++) {
            if (lengths[symbol] == 255) {
                require(codes.isEmpty(), "a symbol that is alone, and others");
                codes.put("", symbol);
                next = 256;
            }
        }
        require(next == 256, "codes that are not complete");
        return codes;
    }

    /** Gives out codes in the order of symbols: each begins where the one before ends. */
    private static Map<String, Integer> ordered(int[] lengths) throws IOException {
        Map<String, Integer> codes = new HashMap<>();
        int next = 0;
        for (int symbol = 0; symbol < lengths.length; symbol++) {
            String bits = Integer.toBinaryString(next | 256).substring(1);
            require(
                    bits.substring(lengths[symbol]).indexOf('1') < 0,
                    "codes that are not in order");
            codes.put(bits.substring(0, lengths[symbol]), symbol);
            next += 256 >> lengths[symbol];
        }
        require(next == 256, "codes that are not complete");
        return codes;
    }

    private int symbol(Field field, int context) throws IOException {
        Map<String, Integer> table =
                Objects.requireNonNull(codes.get(field)).byContext.get(context);
        for (String bits = ""; bits.length() <= 8; bits += number(1)) {
            Integer symbol = table.get(bits);
            if (symbol != null) {
                return symbol;
            }
        }
        throw new IOException("no code of " + field);
    }

    private int number(int bits) {
        int number = 0;
        for (int i = 0; i < bits; i++, at++) {
            number |= (block[at / 8] >>> (at % 8) & 1) << i;
        }
        return number;
    }

    private String bytes(int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) number(8));
        }
        return text.toString();
    }

    private void readBlock(byte[] bytes, long salt, long number) throws IOException {
        block = bytes;
        ByteBuffer in = littleEndian(block);
        CRC32C crc = new CRC32C();
        crc.update(littleEndian(new byte[16]).putLong(0, salt).putLong(8, number).array());
        crc.update(block, 0, BLOCK - 4);
        require(in.getInt(BLOCK - 4) == (int) crc.getValue(), "checksum of block " + number);
        int groups = in.getShort(BLOCK - 6) & 0xffff;
        int end = in.getShort(BLOCK - 8) & 0xffff;
        int table = BLOCK - 8 - 5 * groups;
        at = 0;
        String prefix = bytes(number(8));
        int first = entries.size();
        for (int group = 0; group < groups; group++) {
            long packed = in.getLong(table + 5 * group) & 0xffffffffffL;
            int offset = (int) packed & 0x3fff;
            require(at == offset, "offset " + offset + " of a group, not " + at);
            int next = group + 1 < groups ? in.getInt(table + 5 * group + 5) & 0x3fff : end;
            readGroup(prefix, (int) (packed >>> 14), next);
        }
        require(at == end, "end " + end + " of a block, not " + at);
        while (at < 8 * table) {
            require(number(1) == 0, "zeros of block " + number);
        }
        for (Encoded entry : entries.subList(first, entries.size())) {
            require(entry.key.startsWith(prefix), "prefix of block " + number);
        }
    }

    private static int floor(char c) {
        int symbol = 62;
        while (SYMBOLS.charAt(symbol) > c) {
            symbol--;
        }
        return symbol;
    }

    /** Returns the bits of the head of a key after a prefix, and those beyond it. */
    private String head(String prefix, String key) {
        StringBuilder bits = new StringBuilder();
        char before = prefix.isEmpty() ? 0 : prefix.charAt(prefix.length() - 1);
        for (int i = prefix.length(); bits.length() < HEAD; i++) {
            char c = i < key.length() ? key.charAt(i) : 0;
            for (Map.Entry<String, Integer> code :
                    Objects.requireNonNull(codes.get(Field.HEAD))
                            .byContext
                            .get(floor(before))
                            .entrySet()) {
                if (code.getValue() == floor(c)) {
                    bits.append(code.getKey());
                    break;
                }
            }
            if (SYMBOLS.charAt(floor(c)) != c) {
                bits.append("1".repeat(HEAD));
            }
            before = c;
        }
        return bits.toString();
    }

    /** Returns the symbols of prefix and head, and reads the bits that the head cuts off. */
    private String knownBy(String prefix, String head) throws IOException {
        String known = prefix;
        int from = 0;
        while (from < HEAD && known.indexOf('\0') < 0) {
            char before = known.isEmpty() ? 0 : known.charAt(known.length() - 1);
            Map<String, Integer> table =
                    Objects.requireNonNull(codes.get(Field.HEAD)).byContext.get(floor(before));
            String bits = "";
            while (!table.containsKey(bits)) {
                require(bits.length() <= 8, "no code of a head");
                bits += from < HEAD ? head.charAt(from) : (char) ('0' + number(1));
                from++;
            }
            known += SYMBOLS.charAt(Objects.requireNonNull(table.get(bits)));
        }
        return known;
    }

    private void readGroup(String prefix, int head, int end) throws IOException {
        String headBits = Integer.toBinaryString(head | 1 << HEAD).substring(1);
        int kind = symbol(Field.KIND, 0);
        Local sender = first(prefix, headBits);
        String senderKey = sender.text + "\0" + domain(Field.SENDER_DOMAIN);
        Local recipients = kind == 1 ? freshRecipients() : Local.NONE;
        String key = senderKey + (kind == 0 ? "" : recipients(kind, recipients));
        String rules = rules(kind);
        require(head(prefix, key).startsWith(headBits), "head " + head);
        entries.add(new Encoded(key, rules));
        while (at < end) {
            boolean withKinds = rules.startsWith("\7");
            boolean afterRecipients = kind != 0;
            int before = kind;
            kind = afterRecipients || withKinds ? symbol(Field.KIND, afterRecipients ? 2 : 1) : 0;
            if (kind == 0) {
                sender = local(sender, Field.SENDER_SHARED, Field.SENDER_FIRST, Field.SENDER_NEXT);
                senderKey = sender.text + "\0" + domain(Field.SENDER_DOMAIN);
                key = senderKey;
            } else {
                if (kind != 1) {
                    recipients = Local.NONE;
                } else if (before != 1) {
                    recipients = freshRecipients();
                } else {
                    recipients =
                            local(
                                    recipients,
                                    Field.RECIPIENTS_SHARED,
                                    Field.RECIPIENTS_FIRST,
                                    Field.RECIPIENTS_NEXT);
                }
                key = senderKey + recipients(kind, recipients);
            }
            rules = rules(kind);
            entries.add(new Encoded(key, rules));
        }
        require(at == end, "end " + end + " of a group, not " + at);
    }

    private Local freshRecipients() throws IOException {
        if (isUncoded(Field.RECIPIENTS_SHARED)) {
            return new Local(asBytes(number(8), ""), AFTER_FRESH);
        }
        return new Local(symbols("", Field.RECIPIENTS_NEXT), AFTER_FRESH);
    }

    private String recipients(int kind, Local local) throws IOException {
        return "\0" + (char) kind + local.text + "\0" + domain(Field.RECIPIENTS_DOMAIN);
    }

    /** Reads whether a fresh local part is written as bytes. */
    private boolean isUncoded(Field shared) throws IOException {
        int symbol = symbol(shared, FRESH);
        require(symbol == ESCAPE || symbol == 0, "shared bytes of a fresh local part");
        return symbol == ESCAPE;
    }

    private Local first(String prefix, String head) throws IOException {
        if (isUncoded(Field.SENDER_SHARED)) {
            return new Local(asBytes(number(8), ""), AFTER_FRESH);
        }
        String known = knownBy(prefix, head);
        int end = known.indexOf('\0');
        String text = end >= 0 ? known.substring(0, end) : symbols(known, Field.SENDER_NEXT);
        return new Local(text, AFTER_FRESH);
    }

    private String asBytes(int shared, String before) {
        return before.substring(0, shared) + bytes(number(8));
    }

    private Local local(Local before, Field shared, Field first, Field next) throws IOException {
        int count = symbol(shared, before.context);
        if (count == ESCAPE) {
            count = number(8);
            return new Local(
                    asBytes(count, before.text), count <= MOST_SHARED ? count : AFTER_FRESH);
        }
        String text = before.text.substring(0, count);
        char inPlace = count < before.text.length() ? before.text.charAt(count) : 0;
        int symbol = symbol(first, floor(inPlace));
        if (symbol != 0) {
            text = symbols(text + SYMBOLS.charAt(symbol), next);
        }
        return new Local(text, count);
    }

    /** Reads the other symbols of a text. */
    private String symbols(String beginning, Field field) throws IOException {
        StringBuilder text = new StringBuilder(beginning);
        while (true) {
            int position = text.length();
            int before = position < 1 ? 0 : floor(text.charAt(position - 1));
            char beforeThat = position < 2 ? 0 : text.charAt(position - 2);
            int context = (classOf(beforeThat) * 16 + Math.min(position, 15)) * 64 + before;
            int symbol = symbol(field, context);
            if (symbol == 0) {
                return text.toString();
            }
            text.append(SYMBOLS.charAt(symbol));
        }
    }

    private static int classOf(char c) {
        if (c == 0) {
            return 0;
        }
        if (c >= '0' && c <= '9') {
            return 1;
        }
        if (c >= 'a' && c <= 'z') {
            return "aeiouy".indexOf(c) >= 0 ? 2 : 3;
        }
        return 4;
    }

    private String domain(Field field) throws IOException {
        int bucket = symbol(field, 0);
        if (bucket == BUCKETS) {
            return symbols("", Field.DOMAIN_NEXT);
        }
        if (bucket == BUCKETS + 1) {
            return bytes(number(8));
        }
        if (bucket < 8) {
            return domains.get(bucket);
        }
        // The halves of [8, 16), [16, 32), …
        int half = 4 << ((bucket - 8) / 2);
        int lowest = 2 * half + (bucket % 2 == 0 ? 0 : half);
        return domains.get(lowest + number(Integer.numberOfTrailingZeros(half)));
    }

    private String rules(int kind) throws IOException {
        int symbol = symbol(Field.RULES, kind == 0 ? 0 : 1);
        return symbol == SPELLED_OUT ? bytes(number(10)) : commonRules.get(symbol);
    }
}
