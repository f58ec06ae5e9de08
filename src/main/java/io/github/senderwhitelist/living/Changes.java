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
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import java.util.stream.Stream;

/**
 * The changes of a living list since its base. For a sender and recipients, they have the present
 * rules of each origin that was changed, none after a removal; for other origins, the rules of the
 * base hold. One thread writes at a time; any number of threads read meanwhile.
 */
final class Changes implements Overlay {
    /** The bytes that a place in the map takes with its objects, beside the key itself. */
    private static final int PLACE_BYTES = 104;

    /** The bytes that the rules of an origin take, each rule, and each of its objects. */
    private static final int SAID_BYTES = 56;

    private static final int RULE_BYTES = 40;
    private static final int OBJECT_BYTES = 48;

    private final KeyHasher hasher;
    private final SenderHashes senders = new SenderHashes();

    /** By sort key, so in the order of {@link Entry#ORDER}. */
    private final ConcurrentNavigableMap<byte[], Laid> laid =
            new ConcurrentSkipListMap<>(Arrays::compareUnsigned);

    private final Map<Set<RecipientKind>, Set<RecipientKind>> kindsOnce = new HashMap<>();
    private volatile boolean personal;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    /**
     * Creates an empty set of changes.
     *
     * @param hasher the hash of the filters of the base
     */
    Changes(KeyHasher hasher) {
        this.hasher = hasher;
    }

    /** The rules of an origin since a change. */
    private record Said(List<Rule> rules, long number, long transaction) {}

    /**
     * The changes of a sender and recipients. Made of few objects, since there are many.
     *
     * @param admin the rules of the administrator since a change, or null if there was none
     * @param user the rules of users since a change, or null
     * @param learned the learned rules since a change, or null
     * @param kinds the kinds of recipients of the sender that changes were for, if this is for all
     */
    private record Laid(
            @Nullable Said admin,
            @Nullable Said user,
            @Nullable Said learned,
            Set<RecipientKind> kinds) {
        static final Laid NOTHING = new Laid(null, null, null, Set.of());

        @Nullable Said of(Origin origin) {
            return switch (origin) {
                case ADMIN -> admin;
                case USER -> user;
                case LEARNED -> learned;
            };
        }

        Laid with(Origin origin, Said said) {
            return switch (origin) {
                case ADMIN -> new Laid(said, user, learned, kinds);
                case USER -> new Laid(admin, said, learned, kinds);
                case LEARNED -> new Laid(admin, user, said, kinds);
            };
        }

        /** Returns the entry in place of that of the base; null if there is none. */
        @Nullable Entry over(@Nullable Entry base, Key sender, @Nullable Key to) {
            List<Rule> rules = new ArrayList<>();
            if (base != null) {
                for (Rule rule : base.rules()) {
                    if (of(rule.origin()) == null) {
                        rules.add(rule);
                    }
                }
            }
            for (Origin origin : Origin.values()) {
                Said said = of(origin);
                rules.addAll(said == null ? List.of() : said.rules);
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

    /**
     * The changes of a sender and recipients, as {@link #iterator} returns them.
     *
     * @param where the sender and the recipients, without rules
     */
    record Changed(Entry where, Laid laid) {
        /** Returns the entry in place of that of the base; null if there is none. */
        @Nullable Entry over(@Nullable Entry base) {
            return laid.over(base, where.key(), where.to());
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
        Said last = before == null ? null : before.of(change.origin());
        if (last != null && last.number > change.number()) {
            return false;
        }
        Said said = new Said(change.rules(), change.number(), change.transaction());
        personal |= change.origin() != Origin.ADMIN;
        senders.add(hasher.hash(change.sender()));
        laid.put(key, (before == null ? Laid.NOTHING : before).with(change.origin(), said));
        if (before == null) {
            bytes.addAndGet(PLACE_BYTES + key.length);
            addKind(change);
        }
        count.addAndGet(last == null ? 1 : 0);
        bytes.addAndGet(size(said) - (last == null ? 0 : size(last)));
        return true;
    }

    private static long size(Said said) {
        long size = SAID_BYTES;
        for (Rule rule : said.rules) {
            size += RULE_BYTES;
            size += rule.from() == null ? 0 : OBJECT_BYTES;
            size += rule.until() == null ? 0 : OBJECT_BYTES;
            size += rule.auth() == null ? 0 : OBJECT_BYTES;
            size += rule.note().isEmpty() ? 0 : OBJECT_BYTES + rule.note().length();
        }
        return size;
    }

    /** Remembers that the sender may have entries for this kind of recipients. */
    private void addKind(Change change) {
        if (change.to() == null) {
            return;
        }
        byte[] key = SortKey.of(change.sender());
        Laid head = laid.getOrDefault(key, Laid.NOTHING);
        RecipientKind kind = RecipientKind.of(change.to());
        if (!head.kinds.contains(kind)) {
            Set<RecipientKind> kinds = EnumSet.of(kind);
            kinds.addAll(head.kinds);
            if (laid.put(key, new Laid(head.admin, head.user, head.learned, shared(kinds)))
                    == null) {
                bytes.addAndGet(PLACE_BYTES + key.length);
            }
        }
    }

    /** Returns the one set of these kinds. */
    private Set<RecipientKind> shared(Set<RecipientKind> kinds) {
        return kindsOnce.computeIfAbsent(kinds, Set::copyOf);
    }

    /** Copies the changes to others whose transaction does not pass a test. */
    void copyUnseen(LongPredicate seen, Changes to) {
        iterator()
                .forEachRemaining(
                        each -> {
                            for (Origin origin : Origin.values()) {
                                Said said = each.laid.of(origin);
                                if (said != null && !seen.test(said.transaction)) {
                                    Entry at = each.where;
                                    to.put(
                                            new Change(
                                                    at.key(),
                                                    at.to(),
                                                    origin,
                                                    said.rules,
                                                    said.number,
                                                    said.transaction,
                                                    0,
                                                    null));
                                }
                            }
                        });
    }

    /** Returns whether a change is there, or a later one in its place. */
    boolean has(Change change) {
        Laid over = laid.get(SortKey.of(change.sender(), change.to()));
        Said last = over == null ? null : over.of(change.origin());
        return last != null && last.number >= change.number();
    }

    /** Returns whether there is a change whose transaction is among those that were seen. */
    boolean hasSeen(LongPredicate seen) {
        return laid.values().stream()
                .flatMap(each -> Stream.of(each.admin, each.user, each.learned))
                .anyMatch(said -> said != null && seen.test(said.transaction));
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
        return over == null ? entry : over.over(entry, sender, to);
    }

    @Override
    public boolean hasPersonal() {
        return personal;
    }

    @Override
    public String source(Key sender, @Nullable Key to) {
        Laid over = laid.get(SortKey.of(sender, to));
        boolean isChanged =
                over != null && (over.admin != null || over.user != null || over.learned != null);
        return isChanged ? "change" : "base";
    }

    /**
     * Returns all changes in the order of {@link Entry#ORDER}, with or without those made
     * meanwhile.
     */
    Iterator<Changed> iterator() {
        return laid.entrySet().stream()
                .map(each -> new Changed(SortKey.entry(each.getKey()), each.getValue()))
                .iterator();
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
