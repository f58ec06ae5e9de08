package io.github.senderwhitelist.address;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Encodes the rules of a key as bytes, for sorted runs and snapshots, and decodes them. A rule is a
 * sequence of attributes. Each attribute has a tag (u8), a length (u8), and a value of that many
 * bytes, little-endian:
 *
 * <pre>
 * 0 next     no value; the attributes that follow belong to the next rule
 * 1 denied   no value
 * 2 from     i64, seconds since 1970: the moment from which the rule holds
 * 3 until    i64, seconds since 1970: the first moment at which it no longer holds
 * 4 auth     u8: 0 none, 1 spf, 2 dkim, 3 any
 * 5 to       sort key of the recipients ({@code local 00 domain})
 * 6 note     UTF-8
 * </pre>
 *
 * <p>The single rule without conditions is encoded as no bytes at all. Rules are sorted by their
 * bytes and never repeated. A reader refuses an entry with an unknown tag: conditions narrow a
 * rule, so ignoring one could list too much.
 */
public final class RulesCodec {
    /** The encoding of the rule of a line that is only a key. */
    public static final byte[] PLAIN = {};

    /**
     * The most bytes that the rules of one key may take. Together with the longest key, they fit
     * into one block of the exact store.
     */
    public static final int MAX_BYTES = 1500;

    /** The most bytes that the value of one attribute may take. */
    public static final int MAX_VALUE = 255;

    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int NEXT = 0;
    private static final int DENIED = 1;
    private static final int FROM = 2;
    private static final int UNTIL = 3;
    private static final int AUTH = 4;
    private static final int TO = 5;
    private static final int NOTE = 6;

    private RulesCodec() {}

    /** Returns the encoding of one rule. */
    public static byte[] encode(Rule rule) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (rule.denied()) {
            put(out, DENIED);
        }
        putMoment(out, FROM, rule.from());
        putMoment(out, UNTIL, rule.until());
        if (rule.auth() != null) {
            put(out, AUTH, rule.auth().code());
        }
        if (rule.to() != null) {
            put(out, TO, SortKey.of(rule.to()));
        }
        if (!rule.note().isEmpty()) {
            put(out, NOTE, rule.note().getBytes(UTF_8));
        }
        return out.toByteArray();
    }

    private static void putMoment(ByteArrayOutputStream out, int tag, @Nullable Instant moment) {
        if (moment != null) {
            byte[] seconds = new byte[Long.BYTES];
            LONGS.set(seconds, 0, moment.getEpochSecond());
            put(out, tag, seconds);
        }
    }

    private static void put(ByteArrayOutputStream out, int tag, byte... value) {
        if (value.length > MAX_VALUE) {
            throw new IllegalArgumentException(
                    "attribute " + tag + " of more than a byte's length");
        }
        out.write(tag);
        out.write(value.length);
        out.writeBytes(value);
    }

    /** Returns the encoding of several rules. Duplicates are dropped. */
    public static byte[] encode(List<Rule> rules) {
        Set<byte[]> parts = new TreeSet<>(Arrays::compareUnsigned);
        rules.forEach(rule -> parts.add(encode(rule)));
        return join(parts);
    }

    /** Returns the encoding of all rules that are in at least one of two encodings. */
    public static byte[] merge(byte[] some, byte[] more) {
        if (Arrays.equals(some, more)) {
            return some;
        }
        Set<byte[]> parts = new TreeSet<>(Arrays::compareUnsigned);
        split(some, parts);
        split(more, parts);
        return join(parts);
    }

    private static void split(byte[] rules, Set<byte[]> parts) {
        int start = 0;
        for (int at = 0; at < rules.length; at += 2 + (rules[at + 1] & 0xff)) {
            if (rules[at] == NEXT) {
                parts.add(Arrays.copyOfRange(rules, start, at));
                start = at + 2;
            }
        }
        parts.add(Arrays.copyOfRange(rules, start, rules.length));
    }

    private static byte[] join(Set<byte[]> parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        boolean first = true;
        for (byte[] part : parts) {
            if (!first) {
                put(out, NEXT);
            }
            out.writeBytes(part);
            first = false;
        }
        return out.toByteArray();
    }

    /**
     * Returns the rules encoded in {@code bytes[from, from + length)}.
     *
     * @throws IOException when an attribute is cut off, has a wrong value, or is unknown to this
     *     version
     */
    public static List<Rule> decode(byte[] bytes, int from, int length) throws IOException {
        if (length == 0) {
            return Rule.ONLY_LISTS;
        }
        List<Rule> rules = new ArrayList<>();
        Draft rule = new Draft();
        int end = from + length;
        for (int at = from; at < end; ) {
            int tag = bytes[at] & 0xff;
            int size = at + 1 < end ? bytes[at + 1] & 0xff : -1;
            int value = at + 2;
            if (size < 0 || value + size > end) {
                throw new IOException("an entry has attribute " + tag + " cut off");
            }
            if (tag == NEXT && size == 0) {
                rules.add(rule.done());
                rule = new Draft();
            } else if (!rule.take(tag, bytes, value, size)) {
                throw new IOException(
                        "an entry has attribute "
                                + tag
                                + " of "
                                + size
                                + " bytes, which this version does not know; use a newer one");
            }
            at = value + size;
        }
        rules.add(rule.done());
        return rules;
    }

    /** The attributes of one rule that have been read so far. */
    private static final class Draft {
        private boolean denied;
        private @Nullable Instant from;
        private @Nullable Instant until;
        private @Nullable AuthRequirement auth;
        private @Nullable Key to;
        private String note = "";

        /** Takes one attribute. Returns false when its tag is unknown or its value is wrong. */
        boolean take(int tag, byte[] bytes, int at, int size) {
            switch (tag) {
                case DENIED -> denied = true;
                case FROM -> from = moment(bytes, at, size);
                case UNTIL -> until = moment(bytes, at, size);
                case AUTH -> auth = size == 1 ? AuthRequirement.ofCode(bytes[at]) : null;
                case TO -> to = key(bytes, at, size);
                case NOTE -> note = new String(bytes, at, size, UTF_8);
                default -> {
                    return false;
                }
            }
            return switch (tag) {
                case DENIED -> size == 0;
                case FROM -> from != null;
                case UNTIL -> until != null;
                case AUTH -> auth != null;
                case TO -> to != null;
                default -> true;
            };
        }

        private static @Nullable Instant moment(byte[] bytes, int at, int size) {
            long seconds = size == Long.BYTES ? (long) LONGS.get(bytes, at) : Long.MAX_VALUE;
            return seconds < Instant.MIN.getEpochSecond() || seconds > Instant.MAX.getEpochSecond()
                    ? null
                    : Instant.ofEpochSecond(seconds);
        }

        private static @Nullable Key key(byte[] bytes, int at, int size) {
            for (int i = at; i < at + size; i++) {
                if (bytes[i] == 0) {
                    return Key.of(
                            Arrays.copyOfRange(bytes, at, i),
                            Arrays.copyOfRange(bytes, i + 1, at + size));
                }
            }
            return null;
        }

        Rule done() {
            return new Rule(denied, from, until, auth, to, note);
        }
    }
}
