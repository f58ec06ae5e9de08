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
import io.github.senderwhitelist.living.ListRecord.Target;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.store.BlockStore;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The changes of a living list since its base, as the log was read. For a sender and recipients,
 * they have the present rules of each origin that was changed, none after a removal; for other
 * origins, the rules of the base hold. One thread writes at a time; any number of threads read
 * meanwhile.
 *
 * <p>Only the next base ends a change: what has expired by a clock stays.
 */
final class Changes implements Overlay {
    /** The bytes that a place in the map takes with its objects, beside the key itself. */
    private static final int PLACE_BYTES = 104;

    /** The bytes that the rules of an origin take, each rule, and each of its objects. */
    private static final int RULES_BYTES = 40;

    private static final int RULE_BYTES = 40;
    private static final int OBJECT_BYTES = 48;

    private final Snapshot base;
    private final KeyHasher hasher;
    private final SenderHashes senders = new SenderHashes();

    /** By sort key, so in the order of {@link Entry#ORDER}. */
    private final ConcurrentNavigableMap<byte[], Changed> map =
            new ConcurrentSkipListMap<>(Arrays::compareUnsigned);

    private final Map<Set<RecipientKind>, Set<RecipientKind>> kindsOnce = new HashMap<>();
    private volatile boolean personal;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
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

    /**
     * The changes of a sender and recipients. Made of few objects, since there are many.
     *
     * @param admin the rules of the administrator since a change, or null if there was none
     * @param user the rules of users since a change, or null
     * @param learned the learned rules since a change, or null
     * @param kinds the kinds of recipients of the sender that changes were for, if this is for all
     */
    record Changed(
            @Nullable List<Rule> admin,
            @Nullable List<Rule> user,
            @Nullable List<Rule> learned,
            Set<RecipientKind> kinds) {
        private static final Changed NOTHING = new Changed(null, null, null, Set.of());

        private @Nullable List<Rule> of(Origin origin) {
            return switch (origin) {
                case ADMIN -> admin;
                case USER -> user;
                case LEARNED -> learned;
            };
        }

        private Changed with(Origin origin, List<Rule> rules) {
            return switch (origin) {
                case ADMIN -> new Changed(rules, user, learned, kinds);
                case USER -> new Changed(admin, rules, learned, kinds);
                case LEARNED -> new Changed(admin, user, rules, kinds);
            };
        }

        /** Returns whether there are changes of this sender and these recipients themselves. */
        private boolean hasRules() {
            return admin != null || user != null || learned != null;
        }

        /** Returns the rules of an origin in place of those of the base. */
        private List<Rule> over(@Nullable Entry base, Origin origin) {
            List<Rule> changed = of(origin);
            return changed != null ? changed : base == null ? List.of() : base.rulesOf(origin);
        }

        /** Returns whether there are any rules in place of those of the base. */
        private boolean hasRulesOver(@Nullable Entry base) {
            return Arrays.stream(Origin.values()).anyMatch(each -> !over(base, each).isEmpty());
        }

        /** Returns the entry in place of that of the base; null if there is none. */
        @Nullable Entry over(@Nullable Entry base, Key sender, @Nullable Key to) {
            List<Rule> rules = new ArrayList<>();
            for (Origin origin : Origin.values()) {
                rules.addAll(over(base, origin));
            }
            Set<RecipientKind> all = kinds;
            if (base != null && !base.kinds().isEmpty()) {
                all = EnumSet.copyOf(base.kinds());
                all.addAll(kinds);
            }
            return rules.isEmpty() && all.isEmpty()
                    ? null
                    : new Entry(sender, to, RulesCodec.ordered(rules), all);
        }
    }

    /** Takes the present rules of an origin for a sender and recipients. */
    void put(Target target, List<Rule> rules) {
        byte[] key = SortKey.of(target.sender(), target.to());
        Changed before = map.getOrDefault(key, Changed.NOTHING);
        personal |= target.origin() != Origin.ADMIN;
        senders.add(hasher.hash(target.sender()));
        if (target.to() != null) {
            addKind(SortKey.of(target.sender()), RecipientKind.of(target.to()));
        }
        List<Rule> last = before.of(target.origin());
        count.addAndGet(last == null ? 1 : 0);
        bytes.addAndGet(size(rules) - (last == null ? 0 : size(last)));
        Changed now = before.with(target.origin(), rules);
        put(key, now);
        count(target, before, now);
    }

    /** Counts an entry that is new, or gone. */
    private void count(Target target, Changed before, Changed now) {
        Entry there = inBase(target.sender(), target.to());
        entries.addAndGet((now.hasRulesOver(there) ? 1 : 0) - (before.hasRulesOver(there) ? 1 : 0));
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
            bytes.addAndGet(PLACE_BYTES + key.length);
        }
    }

    private static long size(List<Rule> rules) {
        long size = RULES_BYTES;
        for (Rule rule : rules) {
            size += RULE_BYTES;
            size += rule.from() == null ? 0 : OBJECT_BYTES;
            size += rule.until() == null ? 0 : OBJECT_BYTES;
            size += rule.auth() == null ? 0 : OBJECT_BYTES;
            size += rule.note().isEmpty() ? 0 : OBJECT_BYTES + rule.note().length();
        }
        return size;
    }

    /** Remembers that a sender may have entries for this kind of recipients. */
    private void addKind(byte[] sender, RecipientKind kind) {
        Changed all = map.getOrDefault(sender, Changed.NOTHING);
        if (!all.kinds.contains(kind)) {
            Set<RecipientKind> kinds = EnumSet.of(kind);
            kinds.addAll(all.kinds);
            Set<RecipientKind> shared = kindsOnce.computeIfAbsent(kinds, Set::copyOf);
            put(sender, new Changed(all.admin, all.user, all.learned, shared));
        }
    }

    @Override
    public boolean mayHave(long hash) {
        return senders.contains(hash);
    }

    @Override
    public @Nullable Entry over(@Nullable Entry entry, Key sender, @Nullable Key to) {
        if (!senders.contains(hasher.hash(sender))) {
            return entry;
        }
        Changed over = map.get(SortKey.of(sender, to));
        return over == null ? entry : over.over(entry, sender, to);
    }

    @Override
    public boolean hasPersonal() {
        return personal;
    }

    @Override
    public String source(Key sender, @Nullable Key to) {
        Changed over = map.get(SortKey.of(sender, to));
        return over != null && over.hasRules() ? "change" : "base";
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
                    Entry where = SortKey.entry(key);
                    for (Origin origin : Origin.values()) {
                        List<Rule> rules = changed.of(origin);
                        if (rules != null) {
                            put(new Target(origin, where.key(), where.to()), rules);
                        }
                    }
                });
    }

    /** Returns how many entries there are more than in the base. */
    long entries() {
        return entries.get();
    }

    /** Returns the number of changes, where each origin counts for itself. */
    int count() {
        return count.get();
    }

    /** Returns the approximate memory of the changes, in bytes. */
    long bytes() {
        return bytes.get() + senders.bytes();
    }
}
