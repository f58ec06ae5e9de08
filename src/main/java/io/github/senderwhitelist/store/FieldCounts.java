package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.coding.ContextCode;
import io.github.senderwhitelist.coding.ContextCounts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A sink that counts the symbols of entries, and makes the codes from the counts. */
final class FieldCounts implements FieldSink {
    /** Encodings of rules that are counted; a list with more hardly repeats them. */
    private static final int MOST_RULES = 4096;

    /** More tables with codes in order take longer to make than they save. */
    private static final int TABLES_IN_ORDER = 16;

    private static final int SYMBOLS_OF_HEAD = 7;
    private static final int LEAST_OF_HEAD = 4;

    /** The counts of each field, by its number. */
    private final ContextCounts[] counts = new ContextCounts[Field.values().length];

    private final Map<EncodedRules, long[]> rules = new HashMap<>();
    private final long[] plain = new long[2];

    /**
     * Creates counts.
     *
     * @param domains the number of domains that have a rank
     */
    FieldCounts(int domains) {
        for (Field field : Field.values()) {
            counts[field.number()] = new ContextCounts(field.contexts, field.symbols);
        }
        for (Field field : List.of(Field.SENDER_DOMAIN, Field.RECIPIENTS_DOMAIN)) {
            int buckets = domains == 0 ? 0 : Field.bucket(domains - 1) + 1;
            for (int bucket = 0; bucket < buckets; bucket++) {
                symbol(field, 0, bucket);
            }
        }
        symbol(Field.SENDER_SHARED, Field.FRESH, 0);
        symbol(Field.RECIPIENTS_SHARED, Field.FRESH, 0);
    }

    private ContextCounts of(Field field) {
        return counts[field.number()];
    }

    /** Makes sure that every kind of entry has a code everywhere. */
    void addKinds() {
        for (int context = 0; context < Field.KIND.contexts; context++) {
            for (int kind = 0; kind < Field.KIND.symbols; kind++) {
                symbol(Field.KIND, context, kind);
            }
        }
    }

    @Override
    public boolean symbol(Field field, int context, int symbol) {
        of(field).add(context, symbol);
        return true;
    }

    @Override
    public void bits(int value, int width) {}

    /**
     * Counts the symbols that a head can contain, and counts as known only those that it nearly
     * always contains.
     */
    @Override
    public int head(byte[] key, int from, int local) {
        int to = Math.min(local + 1, from + SYMBOLS_OF_HEAD);
        int before = Symbols.before(key, from);
        for (int at = from; at < to; at++) {
            int symbol = at < local ? Symbols.floor(key[at]) : Symbols.END;
            symbol(Field.HEAD, before, symbol);
            before = symbol;
        }
        return Math.min(to, from + LEAST_OF_HEAD);
    }

    @Override
    public int mark() {
        return 0;
    }

    /** Keeps what was counted; what is written byte by byte after it is not counted. */
    @Override
    public void reset(int mark) {}

    @Override
    public void rules(Draft entry) {
        int context = entry.forSome() ? 1 : 0;
        if (entry.rules.length == 0) {
            plain[context]++;
            return;
        }
        EncodedRules key = new EncodedRules(entry.rules);
        long[] times = rules.get(key);
        if (times == null) {
            if (rules.size() == MOST_RULES) {
                return;
            }
            times = new long[2];
            rules.put(key, times);
        }
        times[context]++;
    }

    /** Makes the codes. */
    EntryCodes codes() {
        List<byte[]> common = commonRules();
        ContextCode[] codes = new ContextCode[Field.values().length];
        for (Field field : Field.values()) {
            int[] groups = new int[field.contexts];
            int most = field.inOrder() ? TABLES_IN_ORDER : ContextCode.MOST_TABLES;
            Arrays.setAll(groups, context -> field.group(context) % most);
            ContextCounts own = of(field);
            codes[field.number()] =
                    field.inOrder()
                            ? own.codeInOrder(groups, most)
                            : own.code(groups, most, field.always);
        }
        return new EntryCodes(codes, common);
    }

    /** Chooses the rules that get a symbol, and counts the symbols. */
    private List<byte[]> commonRules() {
        List<Map.Entry<EncodedRules, long[]>> sorted =
                rules.entrySet().stream()
                        .filter(entry -> sum(entry.getValue()) > 1)
                        .sorted(
                                Comparator.comparingLong(
                                                (Map.Entry<EncodedRules, long[]> entry) ->
                                                        -sum(entry.getValue()))
                                        .thenComparing(Map.Entry::getKey))
                        .limit(Field.COMMON_RULES - 1)
                        .toList();
        List<byte[]> common = new ArrayList<>();
        common.add(RulesCodec.PLAIN);
        countRules(0, plain);
        if (sorted.size() < rules.size()) {
            countRules(Field.COMMON_RULES, new long[] {1, 1});
        }
        for (Map.Entry<EncodedRules, long[]> entry : sorted) {
            countRules(common.size(), entry.getValue());
            common.add(entry.getKey().bytes());
        }
        return common;
    }

    private void countRules(int symbol, long[] times) {
        for (int context = 0; context < times.length; context++) {
            if (times[context] > 0) {
                of(Field.RULES).add(context, symbol, times[context]);
            }
        }
    }

    private static long sum(long[] times) {
        return times[0] + times[1];
    }
}
