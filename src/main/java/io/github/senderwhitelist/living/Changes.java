package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.KeyHasher;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.decision.Overlay;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.store.BlockStore;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The changes of a living list since its base, as the log was read: of each sender and recipients
 * that were changed, the present rules in place of those of the base, none after a removal. One
 * thread writes at a time; any number of threads read meanwhile.
 *
 * <p>Only the next base ends a change: what has expired by a clock stays.
 */
final class Changes implements Overlay {
    /** About the bytes that a place in the map takes with its objects, beside the key itself. */
    private static final int PLACE_BYTES = 144;

    /** About the bytes that a rule takes, beside its note. */
    private static final int RULE_BYTES = 184;

    /** The bits of the filter of senders: 0.5 % of strangers pass it after 10,000 changes. */
    private static final int BITS = 1 << 21;

    private final Snapshot base;
    private final KeyHasher hasher;

    /** A Bloom filter with k = 1 of the senders' hashes, since nearly all mails ask it in vain. */
    private final AtomicLongArray senders = new AtomicLongArray(BITS / Long.SIZE);

    /** By sort key, so in the order of {@link Entry#ORDER}. */
    private final ConcurrentNavigableMap<byte[], Changed> map =
            new ConcurrentSkipListMap<>(Arrays::compareUnsigned);

    private volatile boolean personal;
    private volatile int count;
    private volatile long bytes = BITS / Byte.SIZE;
    private volatile long entries;

    /**
     * Creates an empty set of changes.
     *
     * @param base the snapshot that they change, open as long as changes are put
     */
    Changes(Snapshot base) {
        this.base = base;
        this.hasher = base.hasher();
    }

    /**
     * The change of a sender and recipients.
     *
     * @param rules the rules in place of those of the base; null if these hold
     * @param kinds the kinds of recipients of the sender that changes were for, if this is for all
     */
    record Changed(@Nullable List<Rule> rules, Set<RecipientKind> kinds) {
        private static final Changed NOTHING = new Changed(null, Set.of());

        private List<Rule> rulesOver(@Nullable Entry base) {
            return rules != null ? rules : base == null ? List.of() : base.rules();
        }

        private long bytes() {
            return rules == null
                    ? 0
                    : rules.stream().mapToLong(each -> RULE_BYTES + each.note().length()).sum();
        }

        /** Returns the entry in place of that of the base; null if there is none. */
        @Nullable Entry over(@Nullable Entry base, Key sender, @Nullable Key to) {
            Set<RecipientKind> all = new HashSet<>(kinds);
            all.addAll(base == null ? Set.of() : base.kinds());
            Entry entry = new Entry(sender, to, rulesOver(base), all);
            return entry.rules().isEmpty() && all.isEmpty() ? null : entry;
        }
    }

    /** Takes an entry as it is now. */
    void put(Entry entry) {
        Key to = entry.to();
        byte[] key = SortKey.of(entry.key(), to);
        Changed before = map.getOrDefault(key, Changed.NOTHING);
        Changed now = new Changed(RulesCodec.ordered(entry.rules()), before.kinds);
        Entry there = before.rules == null ? inBase(entry.key(), to) : null;
        personal |= entry.rules().stream().anyMatch(rule -> rule.origin() != Origin.ADMIN);
        addHash(hasher.hash(entry.key()));
        if (to != null) {
            addKind(SortKey.of(entry.key()), RecipientKind.of(to));
        }
        put(key, now);
        add(
                before.rules == null ? 1 : 0,
                now.bytes() - before.bytes(),
                (entry.rules().isEmpty() ? 0 : 1) - (before.rulesOver(there).isEmpty() ? 0 : 1));
    }

    /** Counts; for the one thread that writes. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    private void add(int changes, long moreBytes, int moreEntries) {
        count += changes;
        bytes += moreBytes;
        entries += moreEntries;
    }

    private @Nullable Entry inBase(Key sender, @Nullable Key to) {
        BlockStore store = base.store();
        try {
            return store == null || !base.mightContain(sender) ? null : store.find(sender, to);
        } catch (IOException e) {
            // Only the count depends on it; who asks for the entry is told.
            return null;
        }
    }

    private void put(byte[] key, Changed changed) {
        if (map.put(key, changed) == null) {
            add(0, PLACE_BYTES + key.length, 0);
        }
    }

    /** Remembers that a sender may have entries for this kind of recipients. */
    private void addKind(byte[] sender, RecipientKind kind) {
        Changed all = map.getOrDefault(sender, Changed.NOTHING);
        if (!all.kinds.contains(kind)) {
            Set<RecipientKind> kinds = EnumSet.of(kind);
            kinds.addAll(all.kinds);
            put(sender, new Changed(all.rules, Set.copyOf(kinds)));
        }
    }

    private void addHash(long hash) {
        int word = word(hash);
        senders.set(word, senders.get(word) | 1L << hash);
    }

    private static int word(long hash) {
        return (int) (hash >>> Integer.SIZE) & (BITS / Long.SIZE - 1);
    }

    @Override
    public boolean mayHave(long hash) {
        return (senders.get(word(hash)) & 1L << hash) != 0;
    }

    @Override
    public @Nullable Entry over(@Nullable Entry entry, Key sender, @Nullable Key to) {
        Changed over = mayHave(hasher.hash(sender)) ? map.get(SortKey.of(sender, to)) : null;
        return over == null ? entry : over.over(entry, sender, to);
    }

    @Override
    public boolean hasPersonal() {
        return personal;
    }

    /** Returns a copy of what there is now, in the order of {@link Entry#ORDER}. */
    List<Map.Entry<byte[], Changed>> frozen() {
        return List.copyOf(map.entrySet());
    }

    /**
     * Takes the changes of others since these were copied.
     *
     * @param frozen the copy, which is in the base
     */
    @SuppressWarnings("ReferenceEquality")
    void putNewer(Changes others, List<Map.Entry<byte[], Changed>> frozen) {
        Map<byte[], Changed> newer = new TreeMap<>(Arrays::compareUnsigned);
        newer.putAll(others.map);
        for (Map.Entry<byte[], Changed> each : frozen) {
            newer.computeIfPresent(
                    each.getKey(), (key, changed) -> changed == each.getValue() ? null : changed);
        }
        newer.forEach(
                (key, changed) -> {
                    if (changed.rules != null) {
                        Entry where = SortKey.entry(key);
                        put(new Entry(where.key(), where.to(), changed.rules));
                    }
                });
    }

    /** Returns how many entries there are more than in the base. */
    long entries() {
        return entries;
    }

    /** Returns the number of changed entries. */
    int count() {
        return count;
    }

    /** Returns the approximate memory of the changes, in bytes. */
    long bytes() {
        return bytes;
    }
}
