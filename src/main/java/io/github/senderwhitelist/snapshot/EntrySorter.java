package io.github.senderwhitelist.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Brings entries into the order of keys, each key once; where a key is both listed and denied,
 * denied wins. Keeps all entries in memory.
 */
final class EntrySorter {
    private static final Comparator<Entry> ORDER =
            Comparator.comparing(Entry::key)
                    .thenComparing(Entry::denied, Comparator.reverseOrder());

    /**
     * A domain that fewer keys share is spelled out where it occurs: the dictionary is kept in
     * memory.
     */
    private static final int LEAST_USES = 2;

    private static final int MOST_DOMAINS = 1 << 21;

    private final List<Entry> entries = new ArrayList<>();
    private long duplicates;
    private long contradictions;

    void add(Entry entry) {
        entries.add(entry);
    }

    /** All entries in order, each key once. */
    List<Entry> sorted() {
        entries.sort(ORDER);
        List<Entry> distinct = new ArrayList<>(entries.size());
        Entry last = null;
        for (Entry entry : entries) {
            if (last != null && last.key().equals(entry.key())) {
                duplicates++;
                contradictions += last.denied() != entry.denied() ? 1 : 0;
            } else {
                distinct.add(entry);
                last = entry;
            }
        }
        return distinct;
    }

    /** The domains that several of these keys share, the commonest first. */
    static List<byte[]> commonDomains(List<Entry> entries) {
        Map<String, Integer> uses = new HashMap<>();
        for (Entry entry : entries) {
            byte[] bytes = entry.key().bytes();
            int start = entry.key().domainStart();
            uses.merge(new String(bytes, start, bytes.length - start, UTF_8), 1, Integer::sum);
        }
        return uses.entrySet().stream()
                .filter(use -> use.getValue() >= LEAST_USES)
                .sorted(
                        Map.Entry.<String, Integer>comparingByValue()
                                .reversed()
                                .thenComparing(Map.Entry.comparingByKey()))
                .limit(MOST_DOMAINS)
                .map(use -> use.getKey().getBytes(UTF_8))
                .toList();
    }

    /** Entries left out because their key was there already. */
    long duplicates() {
        return duplicates;
    }

    /** Those of them that said the opposite. */
    long contradictions() {
        return contradictions;
    }
}
