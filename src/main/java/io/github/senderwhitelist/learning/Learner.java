package io.github.senderwhitelist.learning;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Share;
import io.github.senderwhitelist.living.ListRecord.Target;
import io.github.senderwhitelist.living.LivingList;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * A writer of users' correspondents into a living list. Each becomes {@code CORRESPONDENT to=USER
 * auth=any from=DAY until=DAY} of origin {@code learned}: {@code from} is the day on which it was
 * first learned, {@code until} the day on which it was last learned and the validity. Nothing else
 * is kept.
 *
 * <p>Users' own entries and the administrator's are never changed. For use by one thread.
 */
public final class Learner {
    /** How many entries of a user that are not learned are read at most. */
    private static final int OTHERS = 10_000;

    /** How far the clocks of servers may be apart, so that they do not correct each other. */
    private static final Duration LEEWAY = Duration.ofDays(1);

    private final LivingList list;
    private final LearningLimits limits;
    private final InstantSource clock;

    /** Makes a learner that writes into this list. */
    public Learner(LivingList list, LearningLimits limits, InstantSource clock) {
        this.list = list;
        this.limits = limits;
        this.clock = clock;
    }

    /**
     * The result of learning.
     *
     * @param added how many correspondents are new
     * @param refused how many were not learned because the user has enough new entries today
     */
    public record Learned(int added, int refused) {}

    /**
     * Learns that a user knows these addresses, because the user has written to them today. This
     * also corrects entries from a clock that was ahead: those that have not begun, or that end
     * more than a day later than entries learned today.
     *
     * @param renews whether the entries of known correspondents are extended
     * @throws IOException if the list's database fails; some may have been learned
     */
    public Learned learn(Key user, List<Key> correspondents, boolean renews) throws IOException {
        Instant now = clock.instant();
        Instant until = endOfValidity(startOfDay(now));
        return learn(user, correspondents, renews ? until : now, until.plus(LEEWAY));
    }

    /**
     * Learns that a user knows a sender, because the user has taken a mail of the sender out of the
     * spam folder today. The sender may have several addresses. An entry that ends later stays as
     * it is: the validity of those whom users write to may be longer.
     *
     * @throws IOException as {@link #learn}
     */
    public Learned rescue(Key user, List<Key> sender) throws IOException {
        Instant until = endOfValidity(startOfDay(clock.instant()));
        return learn(user, sender, until, Instant.MAX);
    }

    /**
     * Learns that a user knows these addresses.
     *
     * @param earliest the earliest end that an entry may keep
     * @param latest the latest end that an entry may keep
     */
    private Learned learn(Key user, List<Key> correspondents, Instant earliest, Instant latest)
            throws IOException {
        Instant now = clock.instant();
        Instant today = startOfDay(now);
        Instant until = endOfValidity(today);
        List<Key> others =
                correspondents.stream().filter(each -> !each.equals(user)).distinct().toList();
        UnaryOperator<Rule> used =
                known -> {
                    boolean hasBegun = hasBegun(known, now);
                    boolean isRight =
                            hasBegun
                                    && !end(known).isBefore(earliest)
                                    && (known.until() == null || !end(known).isAfter(latest));
                    return isRight ? known : rule(hasBegun ? known.from() : today, until);
                };
        List<Pair> due = new ArrayList<>();
        List<Pair> unknown = new ArrayList<>();
        List<Pair> pairs = others.stream().map(each -> new Pair(each, user)).toList();
        List<Entry> found = list.record().findAll(pairs);
        for (int i = 0; i < found.size(); i++) {
            Rule known = learned(found.get(i));
            if (known == null) {
                unknown.add(pairs.get(i));
            } else if (!used.apply(known).equals(known)) {
                due.add(pairs.get(i));
            }
        }
        update(due, rules -> changed(rules, used));
        int added = unknown.isEmpty() ? 0 : makeRoom(user, unknown.size(), today);
        update(
                unknown.subList(0, added),
                rules -> rules.isEmpty() ? List.of(rule(today, until)) : changed(rules, used));
        return new Learned(added, unknown.size() - added);
    }

    /**
     * Extends the learned entries for a sender, because a mail of that sender came in today. No
     * sender is learned by this, and entries that have ended stay ended.
     *
     * @return the number of entries that were extended
     * @throws IOException if the list's database fails; some may have been extended
     */
    public int renew(Key sender, List<Key> users) throws IOException {
        Instant until = endOfValidity(startOfDay(clock.instant()));
        List<Pair> due = new ArrayList<>();
        List<Entry> found =
                list.record().findAll(users.stream().map(each -> new Pair(sender, each)).toList());
        for (int i = 0; i < found.size(); i++) {
            Rule known = learned(found.get(i));
            if (known != null
                    && end(known).isAfter(clock.instant())
                    && end(known).isBefore(until)) {
                due.add(new Pair(sender, users.get(i)));
            }
        }
        return update(
                due,
                rules ->
                        changed(
                                rules,
                                known ->
                                        end(known).isBefore(until)
                                                ? rule(known.from(), until)
                                                : known));
    }

    /** Changes what is learned of some pairs. Returns how many have changed. */
    private int update(List<Pair> pairs, UnaryOperator<List<Rule>> change) throws IOException {
        List<Target> targets =
                pairs.stream()
                        .map(pair -> new Target(Origin.LEARNED, pair.sender(), pair.to()))
                        .toList();
        List<Effect> effects = list.update(targets, change, "learned");
        return Math.toIntExact(effects.stream().filter(effect -> effect != Effect.NONE).count());
    }

    /** Returns what is left of learned rules, the last to end, changed; none if they are gone. */
    private static List<Rule> changed(List<Rule> learned, UnaryOperator<Rule> change) {
        Rule last = learned.stream().max(Comparator.comparing(Learner::end)).orElse(null);
        Rule after = last == null ? null : change.apply(last);
        return after == null || after.equals(last) ? learned : List.of(after);
    }

    /** Returns the end of an entry that is used on a day. */
    private Instant endOfValidity(Instant day) {
        return day.plus(Duration.ofDays(limits.validityDays() + 1L));
    }

    /**
     * Forgets that a user knows a sender.
     *
     * @return whether the sender was learned
     * @throws IOException if the list's database fails; the entry may be gone or not
     */
    public boolean forget(Key user, Key sender) throws IOException {
        return list.remove(Origin.LEARNED, sender, user, "learned: moved to spam")
                == Effect.REMOVED;
    }

    /**
     * Removes the entries that were used longest ago, so that there is room for new ones. Returns
     * how many new ones may be learned.
     */
    private int makeRoom(Key user, int wanted, Instant today) throws IOException {
        Share share = list.record().share(user, Origin.LEARNED, today);
        int most = Math.min(wanted, limits.maxPerUser());
        int allowed = Math.clamp(limits.maxNewPerDay() - share.newThen(), 0, most);
        long tooMany = share.entries() + allowed - limits.maxPerUser();
        if (allowed > 0 && tooMany > 0) {
            int leaving = Math.toIntExact(tooMany);
            for (Key sender : list.record().firstToEnd(user, Origin.LEARNED, leaving)) {
                list.remove(Origin.LEARNED, sender, user, "learned: room for new ones");
            }
        }
        return allowed;
    }

    private static @Nullable Rule learned(Entry entry) {
        return entry.rulesOf(Origin.LEARNED).stream()
                .max(Comparator.comparing(Learner::end))
                .orElse(null);
    }

    private static boolean hasBegun(Rule rule, Instant now) {
        return rule.from() == null || !rule.from().isAfter(now);
    }

    /** Returns when a rule ends; one without an end never does. */
    private static Instant end(Rule rule) {
        return Objects.requireNonNullElse(rule.until(), Instant.MAX);
    }

    private static Rule rule(@Nullable Instant from, Instant until) {
        return new Rule(false, from, until, AuthRequirement.ANY, Origin.LEARNED, "");
    }

    /** Returns how many entries of a user are read at most. */
    static int most(LearningLimits limits) {
        return limits.maxPerUser() + OTHERS;
    }

    /** Returns when the day of a moment began, in UTC. */
    static Instant startOfDay(Instant moment) {
        return moment.truncatedTo(ChronoUnit.DAYS);
    }
}
