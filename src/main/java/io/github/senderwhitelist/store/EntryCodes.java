package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.coding.ContextCode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The prefix codes of a store, one for each {@link Field}, and the rules that many entries have.
 *
 * <p>Serial form: the number of common rules (u8), for each its length (u16) and bytes; the codes
 * in the order of {@link Field}, each as {@link ContextCode} has it.
 */
final class EntryCodes {
    /** The code of each field, by its number. */
    private final ContextCode[] codes;

    private final List<byte[]> commonRules;
    private final Map<EncodedRules, Integer> ruleSymbols = new HashMap<>();

    /** The symbol of the rules that most entries have. */
    private final int plainSymbol;

    EntryCodes(ContextCode[] codes, List<byte[]> commonRules) {
        this.codes = codes;
        this.commonRules = commonRules;
        for (int symbol = 0; symbol < commonRules.size(); symbol++) {
            ruleSymbols.put(new EncodedRules(commonRules.get(symbol)), symbol);
        }
        plainSymbol =
                ruleSymbols.getOrDefault(new EncodedRules(RulesCodec.PLAIN), Field.COMMON_RULES);
    }

    ContextCode of(Field field) {
        return codes[field.number()];
    }

    /** Returns the common rules of that symbol, encoded. */
    byte[] rules(int symbol) {
        return commonRules.get(symbol);
    }

    /** Returns the symbol of rules. */
    int symbolOf(byte[] rules) {
        if (rules.length == 0) {
            return plainSymbol;
        }
        return ruleSymbols.getOrDefault(new EncodedRules(rules), Field.COMMON_RULES);
    }

    /**
     * Reads the serial form. No more is allocated than its length allows.
     *
     * @throws IOException if it is not valid
     */
    static EntryCodes read(ByteBuffer serial) throws IOException {
        List<byte[]> rules = new ArrayList<>();
        for (int left = serial.hasRemaining() ? serial.get() & 0xff : 0; left > 0; left--) {
            int size = serial.remaining() < Short.BYTES ? -1 : serial.getShort() & 0xffff;
            if (size < 0 || size > serial.remaining() || rules.size() == Field.COMMON_RULES) {
                throw new IOException("common rules are cut off");
            }
            byte[] bytes = new byte[size];
            serial.get(bytes);
            rules.add(bytes);
        }
        ContextCode[] codes = new ContextCode[Field.values().length];
        for (Field field : Field.values()) {
            codes[field.number()] =
                    ContextCode.read(serial, field.contexts, field.symbols, field.inOrder());
        }
        return new EntryCodes(codes, rules);
    }

    /** Returns the serial form. */
    byte[] serial() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(commonRules.size());
        for (byte[] rules : commonRules) {
            out.write(rules.length);
            out.write(rules.length >>> Byte.SIZE);
            out.writeBytes(rules);
        }
        for (ContextCode code : codes) {
            code.write(out);
        }
        return out.toByteArray();
    }

    /** Returns the memory of the codes, in bytes. */
    long memory() {
        long memory = 0;
        for (ContextCode code : codes) {
            memory += code.memory();
        }
        return memory;
    }
}
