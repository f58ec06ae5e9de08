package io.github.senderwhitelist.address;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The binary encoding of the rules of an entry. A rule is a sequence of attributes. Each has a tag
 * (u8), a length (u8), and a value of that many bytes, little-endian:
 *
 * <pre>
 * 0 next     no value; the attributes that follow belong to the next rule
 * 1 denied   no value
 * 2 from     i64, seconds since 1970: the moment from which the rule holds
 * 3 until    i64, seconds since 1970: the first moment at which it no longer holds
 * 4 auth     u8: 0 none, 1 spf, 2 dkim, 3 any
 * 5 origin   u8: 1 user, 2 learned; absent: admin
 * 6 note     UTF-8
 * 7 kinds    u8, before all rules: the kinds of recipients that other entries of the sender are for (1 address,
 *            2 domain, 4 subdomains), and 8 if the sender has no rules for all recipients
 * </pre>
 *
 * <p>The single rule without conditions is encoded as no bytes at all. Rules are sorted by their
 * bytes and never repeated. So denials come before listing rules with conditions, and of rules that
 * take more than {@value #MAX_BYTES} bytes, the first are kept, whatever the order of lines was. A
 * reader refuses an unknown tag: conditions narrow a rule, so ignoring one could list too much.
 */
public final class RulesCodec {
    /** The encoding of the rule of a line that is only a key. */
    public static final byte[] PLAIN = {};

    /** The most bytes of one entry's rules; with the longest key, they fit into one block. */
    public static final int MAX_BYTES = 950;

    /** The most bytes of the value of one attribute. */
    public static final int MAX_VALUE = 255;

    private static final int NEXT = 0;
    private static final int DENIED = 1;
    private static final int FROM = 2;
    private static final int UNTIL = 3;
    private static final int AUTH = 4;
    private static final int ORIGIN = 5;
    private static final int NOTE = 6;
    private static final int KINDS = 7;
    private static final int NO_RULES = 8;

    private RulesCodec() {}

    /** Returns the encoding of one rule. */
    @SuppressWarnings("EnumOrdinal") // the format holds the places
    public static byte[] encode(Rule rule) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (rule.denied()) {
            put(out, DENIED);
        }
        putMoment(out, FROM, rule.from());
        putMoment(out, UNTIL, rule.until());
        if (rule.auth() != null) {
            put(out, AUTH, (byte) rule.auth().ordinal());
        }
        if (rule.origin() != Origin.ADMIN) {
            put(out, ORIGIN, rule.origin().code());
        }
        if (!rule.note().isEmpty()) {
            put(out, NOTE, rule.note().getBytes(UTF_8));
        }
        return out.toByteArray();
    }

    private static void putMoment(ByteArrayOutputStream out, int tag, @Nullable Instant moment) {
        if (moment != null) {
            long seconds = Long.reverseBytes(moment.getEpochSecond());
            put(out, tag, ByteBuffer.allocate(Long.BYTES).putLong(seconds).array());
        }
    }

    private static void put(ByteArrayOutputStream out, int tag, byte... value) {
        if (value.length > MAX_VALUE) {
            throw new IllegalArgumentException("attribute " + tag + " is longer than a byte says");
        }
        out.write(tag);
        out.write(value.length);
        out.writeBytes(value);
    }

    /** Returns the encoding of a sender that has only entries for this kind of recipients. */
    public static byte[] onlyKind(RecipientKind kind) {
        return new byte[] {KINDS, 1, (byte) (NO_RULES | kind.bit())};
    }

    /** Returns the bits of the kinds of recipients that {@code bytes[from, to)} names. */
    public static int bits(byte[] bytes, int from, int to) {
        return from < to && bytes[from] == KINDS ? bytes[from + 2] & ~NO_RULES : 0;
    }

    /** Returns how many of these encoded rules, from the first on, fit into one entry. */
    public static int fitting(List<byte[]> rules) {
        int count = 0;
        int size = -2;
        while (count < rules.size() && size + 2 + rules.get(count).length <= MAX_BYTES) {
            size += 2 + rules.get(count).length;
            count++;
        }
        return count;
    }

    /**
     * Returns the encoding of an entry.
     *
     * @param kinds the {@linkplain RecipientKind#bit bits} of the kinds that other entries are for
     * @param rules its encoded rules, each once, in order; none only if there are kinds
     */
    public static byte[] join(int kinds, List<byte[]> rules) {
        if (kinds == 0 && rules.size() == 1) {
            return rules.getFirst();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (kinds != 0) {
            put(out, KINDS, (byte) (kinds | (rules.isEmpty() ? NO_RULES : 0)));
        }
        for (int i = 0; i < rules.size(); i++) {
            if (i > 0) {
                put(out, NEXT);
            }
            out.writeBytes(rules.get(i));
        }
        return out.toByteArray();
    }

    /** Returns whether one entry can hold these rules. */
    public static boolean fit(List<Rule> rules) {
        List<byte[]> encoded = List.copyOf(encoded(rules).keySet());
        return fitting(encoded) == encoded.size();
    }

    /** Returns rules in the order in which they are decoded, each once, however many there are. */
    public static List<Rule> ordered(List<Rule> rules) {
        return List.copyOf(encoded(rules).values());
    }

    /** Returns rules by their encodings, in the order of these. */
    public static SortedMap<byte[], Rule> encoded(List<Rule> rules) {
        SortedMap<byte[], Rule> encoded = new TreeMap<>(Arrays::compareUnsigned);
        rules.forEach(rule -> encoded.put(encode(rule), rule));
        return encoded;
    }

    /**
     * Decodes the rules in {@code bytes[from, bytes.length)}, of which {@link #bits} has the kinds.
     *
     * @throws IOException when an attribute is cut off, wrong, or unknown to this version
     */
    public static List<Rule> decode(byte[] bytes, int from) throws IOException {
        if (from == bytes.length) {
            return Rule.ONLY_LISTS;
        }
        ByteBuffer in = ByteBuffer.wrap(bytes).position(from).order(ByteOrder.LITTLE_ENDIAN);
        try {
            if (bytes[from] == KINDS) {
                require(in.getShort() >>> Byte.SIZE == 1);
                int bits = in.get();
                require(bits % NO_RULES != 0 && bits > 0 && bits < 2 * NO_RULES);
                if (bits > NO_RULES && !in.hasRemaining()) {
                    return List.of();
                }
            }
            List<Rule> rules = new ArrayList<>();
            rules.add(rule(in));
            while (in.hasRemaining()) {
                require(in.getShort() == NEXT);
                rules.add(rule(in));
            }
            return rules;
        } catch (RuntimeException e) {
            throw new IOException(
                    "an entry has an attribute that is damaged, or that this version does not know;"
                            + " use a newer one",
                    e);
        }
    }

    private static void require(boolean isRight) {
        if (!isRight) {
            throw new IllegalArgumentException("wrong value");
        }
    }

    /** Reads one rule, up to the tag that begins the next. */
    @SuppressWarnings("EnumOrdinal") // the format holds the places
    private static Rule rule(ByteBuffer in) {
        boolean denied = false;
        Instant from = null;
        Instant until = null;
        AuthRequirement auth = null;
        Origin origin = Origin.ADMIN;
        String note = "";
        while (in.hasRemaining() && in.get(in.position()) != NEXT) {
            int tag = in.get();
            int end = (in.get() & 0xff) + in.position();
            switch (tag) {
                case DENIED -> denied = true;
                case FROM -> from = Instant.ofEpochSecond(in.getLong());
                case UNTIL -> until = Instant.ofEpochSecond(in.getLong());
                case AUTH -> auth = AuthRequirement.values()[in.get()];
                case ORIGIN -> origin = Origin.values()[in.get()];
                case NOTE -> {
                    byte[] text = new byte[end - in.position()];
                    in.get(text);
                    note = new String(text, UTF_8);
                }
                default -> require(false);
            }
            require(in.position() == end);
        }
        return new Rule(denied, from, until, auth, origin, note);
    }
}
