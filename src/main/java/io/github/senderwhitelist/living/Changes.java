package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.KeyHasher;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.decision.Generation.Overlay;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.store.BlockStore;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The changes of a living list since its base, as the log was read: of each sender and recipients
 * that were changed, the present rules in place of those of the base, none after a removal. One
 * thread writes at a time; any number of threads read meanwhile.
 *
 * <p>Only the next base ends a change: what has expired by a clock stays.
 */
final class Changes implements Overlay {
    /** About the bytes that a place in a map takes with its objects, beside the keys' own. */
    private static final int PLACE_BYTES = 120;

    /** About the bytes that a rule takes, beside its note. */
    private static final int RULE_BYTES = 100;

    /** The bits of the filter of senders: 0.04 % of keys pass it after 100,000 changes. */
    static final int BITS = 1 << 22;

    private final Snapshot base;
    private final KeyHasher hasher;

    /**
     * A Bloom filter of the senders' hashes, since nearly all mails ask for them in vain. The k = 4
     * bits of one are in the same word.
     */
    private final AtomicLongArray senders = new AtomicLongArray(BITS / Long.SIZE);

    private final Map<Pair, List<Rule>> rules = new ConcurrentHashMap<>();

    /** The kinds of recipients that changes of a sender were for, even if these are removed. */
    private final Map<Key, Set<RecipientKind>> kinds = new ConcurrentHashMap<>();

    private volatile boolean personal;
    private final AtomicLong bytes = new AtomicLong(BITS / Byte.SIZE);
    private final AtomicLong entries = new AtomicLong();

    /**
     * Creates an empty set of changes.
     *
     * @param base the snapshot that they change, open as long as changes are put
     */
    Changes(Snapshot base) {
        this.base = base;
        this.hasher = base.hasher();
    }

    /** Takes an entry as it is now. */
    void put(Entry entry) {
        Key sender = entry.key();
        Key to = entry.to();
        Pair pair = entry.pair();
        List<Rule> now = RulesCodec.ordered(entry.rules());
        List<Rule> before = rules.get(pair);
        boolean wasThere = before == null ? isInBase(sender, to) : !before.isEmpty();
        personal |= now.stream().anyMatch(rule -> rule.origin() != Origin.ADMIN);
        long hash = hasher.hash(sender);
        senders.set(word(hash), senders.get(word(hash)) | bits(hash));
        long more = bytes(now) + (before == null ? place(pair) : -bytes(before));
        if (to != null && !kinds(sender).contains(RecipientKind.of(to))) {
            Set<RecipientKind> all = new HashSet<>(kinds(sender));
            all.add(RecipientKind.of(to));
            more += all.size() > 1 ? 0 : place(new Pair(sender, null));
            kinds.put(sender, Set.copyOf(all));
        }
        rules.put(pair, now);
        bytes.addAndGet(more);
        entries.addAndGet((now.isEmpty() ? 0 : 1) - (wasThere ? 1 : 0));
    }

    private boolean isInBase(Key sender, @Nullable Key to) {
        BlockStore store = base.store();
        try {
            Entry there =
                    store == null || !base.mightContain(sender) ? null : store.find(sender, to);
            return there != null && !there.rules().isEmpty();
        } catch (IOException e) {
            // Only the count depends on it; who asks for the entry is told.
            return false;
        }
    }

    private static int place(Pair pair) {
        Key to = pair.to();
        return PLACE_BYTES + pair.sender().bytes().length + (to == null ? 0 : to.bytes().length);
    }

    private static long bytes(List<Rule> rules) {
        return rules.stream().mapToLong(each -> RULE_BYTES + each.note().length()).sum();
    }

    private Set<RecipientKind> kinds(Key sender) {
        return kinds.getOrDefault(sender, Set.of());
    }

    private static int word(long hash) {
        return (int) (hash >>> Integer.SIZE) & (BITS / Long.SIZE - 1);
    }

    /** Returns four bits of a word, each by six bits of a hash that {@link #word} does not use. */
    private static long bits(long hash) {
        return 1L << hash | 1L << (hash >>> 6) | 1L << (hash >>> 12) | 1L << (hash >>> 18);
    }

    @Override
    public boolean mayHave(long hash) {
        return (~senders.get(word(hash)) & bits(hash)) == 0;
    }

    @Override
    public @Nullable Entry over(@Nullable Entry entry, Key sender, @Nullable Key to) {
        if (!mayHave(hasher.hash(sender))) {
            return entry;
        }
        List<Rule> now = rules.get(new Pair(sender, to));
        Set<RecipientKind> all = new HashSet<>(to == null ? kinds(sender) : Set.of());
        if (entry != null) {
            now = now == null ? entry.rules() : now;
            all.addAll(entry.kinds());
        }
        now = now == null ? List.of() : now;
        return now.isEmpty() && all.isEmpty() ? null : new Entry(sender, to, now, all);
    }

    @Override
    public boolean hasPersonal() {
        return personal;
    }

    /** Returns a copy of the rules that there are now in place of those of the base. */
    Map<Pair, List<Rule>> frozen() {
        return new HashMap<>(rules);
    }

    /**
     * Takes the changes of others since these were copied.
     *
     * @param frozen the copy, which is in the base
     */
    void putNewer(Changes others, Map<Pair, List<Rule>> frozen) {
        Map<Pair, List<Rule>> newer = others.frozen();
        frozen.forEach(newer::remove);
        newer.forEach((pair, now) -> put(new Entry(pair.sender(), pair.to(), now)));
    }

    /** Returns how many entries there are more than in the base. */
    long entries() {
        return entries.get();
    }

    /** Returns the number of changed entries. */
    int count() {
        return rules.size();
    }

    /** Returns the approximate memory of the changes, in bytes. */
    long bytes() {
        return bytes.get();
    }
}
