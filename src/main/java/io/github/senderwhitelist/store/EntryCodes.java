package io.github.senderwhitelist.store;

import io.github.senderwhitelist.coding.ContextCode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * The prefix codes of a store, one for each {@link Field}, and the rules that many entries have.
 *
 * <p>Serial form: length of the rest (u32), then deflated: the number of common rules (u8), for
 * each its length (u16) and bytes; the codes in the order of {@link Field}, each as {@link
 * ContextCode} has it.
 */
final class EntryCodes {
    private static final int MOST_BYTES = mostBytes();

    private final ContextCode[] codes;
    private final List<byte[]> commonRules;
    private final Map<EncodedRules, Integer> ruleSymbols = new HashMap<>();

    EntryCodes(ContextCode[] codes, List<byte[]> commonRules) {
        this.codes = codes;
        this.commonRules = commonRules;
        for (int symbol = 0; symbol < commonRules.size(); symbol++) {
            ruleSymbols.put(new EncodedRules(commonRules.get(symbol)), symbol);
        }
    }

    private static int mostBytes() {
        int most = 1 + Field.COMMON_RULES * (Short.BYTES + BlockFormat.MOST_RULES);
        for (Field field : Field.values()) {
            most += ContextCode.mostBytes(field.contexts, field.symbols);
        }
        return most;
    }

    ContextCode of(Field field) {
        return codes[field.ordinal()];
    }

    /** Returns the common rules of that symbol, encoded. */
    byte[] rules(int symbol) {
        return commonRules.get(symbol);
    }

    /** Returns the symbol of rules. */
    int symbolOf(byte[] rules) {
        return ruleSymbols.getOrDefault(new EncodedRules(rules), Field.COMMON_RULES);
    }

    /**
     * Reads the serial form. No more is allocated than it can need.
     *
     * @throws IOException if it makes no sense
     */
    static EntryCodes read(ByteBuffer serial) throws IOException {
        int length = serial.remaining() < Integer.BYTES ? -1 : serial.getInt();
        if (length < 0 || length > serial.remaining()) {
            throw new IOException("codes of " + length + " bytes in " + serial.remaining());
        }
        byte[] deflated = new byte[length];
        serial.get(deflated);
        ByteBuffer plain = inflated(deflated);
        List<byte[]> rules = new ArrayList<>();
        for (int left = plain.hasRemaining() ? plain.get() & 0xff : 0; left > 0; left--) {
            int size = plain.remaining() < Short.BYTES ? -1 : plain.getShort() & 0xffff;
            if (size < 0 || size > plain.remaining() || rules.size() == Field.COMMON_RULES) {
                throw new IOException("common rules are cut off");
            }
            byte[] bytes = new byte[size];
            plain.get(bytes);
            rules.add(bytes);
        }
        ContextCode[] codes = new ContextCode[Field.values().length];
        for (Field field : Field.values()) {
            codes[field.ordinal()] = ContextCode.read(plain, field.contexts, field.symbols);
        }
        return new EntryCodes(codes, rules);
    }

    private static ByteBuffer inflated(byte[] deflated) throws IOException {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(deflated);
            byte[] plain = new byte[MOST_BYTES];
            int length = inflater.inflate(plain);
            if (!inflater.finished()) {
                throw new IOException("codes of more than " + MOST_BYTES + " bytes, or cut off");
            }
            return ByteBuffer.wrap(plain, 0, length).order(Serial.ORDER);
        } catch (DataFormatException e) {
            throw new IOException("codes that are not deflated", e);
        } finally {
            inflater.end();
        }
    }

    byte[] serial() {
        ByteBuffer plain = ByteBuffer.allocate(MOST_BYTES).order(Serial.ORDER);
        plain.put((byte) commonRules.size());
        for (byte[] rules : commonRules) {
            plain.putShort((short) rules.length).put(rules);
        }
        for (ContextCode code : codes) {
            code.write(plain);
        }
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
        try {
            deflater.setInput(plain.flip());
            deflater.finish();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] piece = new byte[1 << 12];
            while (!deflater.finished()) {
                out.write(piece, 0, deflater.deflate(piece));
            }
            return ByteBuffer.allocate(Integer.BYTES + out.size())
                    .order(Serial.ORDER)
                    .putInt(out.size())
                    .put(out.toByteArray())
                    .array();
        } finally {
            deflater.end();
        }
    }

    /** Returns the memory they take, in bytes. */
    long memory() {
        long memory = 0;
        for (ContextCode code : codes) {
            memory += code.memory();
        }
        return memory;
    }
}
