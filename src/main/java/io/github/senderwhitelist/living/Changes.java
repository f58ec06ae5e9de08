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
import io.github.senderwhitelist.living.EntryTable.Change;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;

/**
 * The changes of a living list since its base. For a sender and recipients, they hold what each
 * origin that was changed says now, removals too; of an origin that was not, the base holds. One
 * thread changes them at a time; any number of threads read meanwhile.
 */
final class Changes implements Overlay {
    /** About the bytes that the objects of an entry take, and those of a rule. */
    private static final int ENTRY_BYTES = 320;

    private static final int RULE_BYTES = 140;

    private final KeyHasher hasher;
    private final SenderHashes senders = new SenderHashes();

    /** By sort key, so in the order of {@link Entry#ORDER}. */
    private final ConcurrentNavigableMap<byte[], Laid> laid =
            new ConcurrentSkipListMap<>(Arrays::compareUnsigned);

    private volatile boolean personal;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    /**
     * Makes no changes yet.
     *
     * @param hasher the hash of the filters of the base
     */
    Changes(KeyHasher hasher) {
        this.hasher = hasher;
    }

    /**
     * What is known of a sender and recipients.
     *
     * @param where the sender and the recipients, without rules
     * @param origins the last change of each origin that was changed
     * @param kinds the kinds of recipients of the sender that changes were for, if this is for all
     */
    record Laid(Entry where, Map<Origin, Change> origins, Set<RecipientKind> kinds) {
        /** Returns the entry in place of that of the base; null if there is none. */
        @Nullable Entry over(@Nullable Entry base) {
            List<Rule> rules = new ArrayList<>();
            if (base != null) {
                for (Rule rule : base.rules()) {
                    if (!origins.containsKey(rule.origin())) {
                        rules.add(rule);
                    }
                }
            }
            origins.values().forEach(change -> rules.addAll(change.rules()));
            Set<RecipientKind> all = kinds;
            if (base != null && !base.kinds().isEmpty()) {
                all = EnumSet.copyOf(base.kinds());
                all.addAll(kinds);
            }
            return rules.isEmpty() && all.isEmpty()
                    ? null
                    : new Entry(where.key(), where.to(), RulesCodec.ordered(rules), all);
        }
    }

    /**
     * Takes a change, unless a later one of the same origin, sender and recipients is there.
     *
     * @return whether it was taken
     */
    boolean put(Change change) {
        byte[] key = SortKey.of(change.sender(), change.to());
        Laid before = laid.get(key);
        Map<Origin, Change> origins = new EnumMap<>(Origin.class);
        if (before != null) {
            origins.putAll(before.origins);
        }
        Change last = origins.get(change.origin());
        if (last != null && last.number() > change.number()) {
            return false;
        }
        origins.put(change.origin(), change);
        Entry where =
                before == null ? new Entry(change.sender(), change.to(), List.of()) : before.where;
        personal |= change.origin() != Origin.ADMIN;
        senders.add(hasher.hash(change.sender()));
        laid.put(key, new Laid(where, origins, before == null ? Set.of() : before.kinds));
        if (before == null) {
            bytes.addAndGet(ENTRY_BYTES + 2L * key.length);
            addKind(change);
        }
        count.addAndGet(last == null ? 1 : 0);
        bytes.addAndGet(size(change) - (last == null ? 0 : size(last)));
        return true;
    }

    private static long size(Change change) {
        long size = 0;
        for (Rule rule : change.rules()) {
            size += RULE_BYTES + rule.note().length();
        }
        return size;
    }

    /** Remembers that the sender may have entries for this kind of recipients. */
    private void addKind(Change change) {
        if (change.to() == null) {
            return;
        }
        byte[] key = SortKey.of(change.sender());
        Laid head = laid.get(key);
        RecipientKind kind = RecipientKind.of(change.to());
        if (head == null) {
            Entry where = new Entry(change.sender(), null, List.of());
            laid.put(key, new Laid(where, Map.of(), Set.of(kind)));
            bytes.addAndGet(ENTRY_BYTES + 2L * key.length);
        } else if (!head.kinds.contains(kind)) {
            Set<RecipientKind> kinds = EnumSet.of(kind);
            kinds.addAll(head.kinds);
            laid.put(key, new Laid(head.where, head.origins, kinds));
        }
    }

    /** Puts those changes into others whose transaction is not among those that were seen. */
    void copyUnseen(LongPredicate seen, Changes to) {
        for (Laid each : laid.values()) {
            for (Change change : each.origins.values()) {
                if (!seen.test(change.transaction())) {
                    to.put(change);
                }
            }
        }
    }

    /** Returns whether a change is there, or a later one in its place. */
    boolean has(Change change) {
        Laid over = laid.get(SortKey.of(change.sender(), change.to()));
        Change last = over == null ? null : over.origins.get(change.origin());
        return last != null && last.number() >= change.number();
    }

    /** Returns whether there is a change whose transaction is among those that were seen. */
    boolean hasSeen(LongPredicate seen) {
        return laid.values().stream()
                .flatMap(each -> each.origins.values().stream())
                .anyMatch(change -> seen.test(change.transaction()));
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
        Laid over = laid.get(SortKey.of(sender, to));
        return over == null ? entry : over.over(entry);
    }

    @Override
    public boolean hasPersonal() {
        return personal;
    }

    /** Returns all, in the order of {@link Entry#ORDER}, with changes made meanwhile or without. */
    Iterator<Laid> iterator() {
        return laid.values().iterator();
    }

    /** Returns the number of changes, where each origin counts for itself. */
    int count() {
        return count.get();
    }

    /** Returns about how many bytes of memory they take. */
    long bytes() {
        return bytes.get() + senders.bytes();
    }
}
