package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Counts the domains and rules of all entries of a store, for their ranks. For one thread. */
public final class RankCounts {
    /** As many rules as are worth counting; some lists have another date in each line. */
    private static final int RULES_COUNTED = 1 << 12;

    private final Frequencies domains = new Frequencies(2 * BlockReader.MAX_DOMAINS);
    private final Frequencies rules = new Frequencies(RULES_COUNTED);

    /** Counts the entry with the sort key {@code key[0, length)} and encoded rules. */
    public void count(byte[] key, int length, byte[] encoded) {
        int senderEnd = SortKey.senderEnd(key, 0, length);
        int from = senderEnd == length ? 0 : SortKey.recipientsStart(senderEnd);
        domains.count(key, from + SortKey.localLength(key, from) + 1, length);
        if (encoded.length > 0 && encoded.length <= Ranks.MAX_LENGTH) {
            rules.count(encoded, 0, encoded.length);
        }
    }

    /**
     * Returns the ranks of domains. Those whose codes are equally long are in the order of their
     * bytes, and so take less themselves.
     */
    Ranks domains() {
        List<byte[]> ranked = new ArrayList<>(domains.frequent(BlockReader.MAX_DOMAINS));
        int from = 0;
        for (int end : BlockReader.RANKS) {
            int to = Math.min(end, ranked.size());
            ranked.subList(from, to).sort(Arrays::compareUnsigned);
            from = to;
        }
        return Ranks.of(ranked);
    }

    /** Returns the ranks of encoded rules, the first of which is the plain one. */
    Ranks rules() {
        List<byte[]> ranked = new ArrayList<>();
        ranked.add(RulesCodec.PLAIN);
        ranked.addAll(rules.frequent(BlockReader.MAX_RULES - 1));
        return Ranks.of(ranked);
    }
}
