package io.github.senderwhitelist.learning;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Share;
import io.github.senderwhitelist.living.ListRecord.Target;
import io.github.senderwhitelist.living.LivingList;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A writer of what users do with mails into a living list. A correspondent becomes {@code
 * CORRESPONDENT to=USER auth=any from=DAY until=DAY} of origin {@code learned}: {@code from} is the
 * day on which it was first learned, {@code until} the day on which it was last learned and the
 * validity. Whose mail is moved into the spam folder becomes {@code !SENDER to=USER from=DAY
 * origin=user note=moved to spam}. The note distinguishes these denials from those that were put by
 * hand. Nothing else is kept.
 *
 * <p>What users and the administrator have put by hand is never changed. A user never becomes an
 * entry of that user's. All methods fail with an {@link IOException} if the list's database fails;
 * some of it may have been written then, and it can be done again. For use by one thread.
 */
public final class Learner {
    /** The note of each denial. */
    public static final String MOVED = "moved to spam";

    /** The denials that {@link #deny} has made. */
    private static final Predicate<Rule> MADE = rule -> rule.denied() && rule.note().equals(MOVED);

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
     * @param added how many entries are new
     * @param refused how many were not added because of the limits
     */
    public record Learned(int added, int refused) {}

    /**
     * Learns that a user knows these addresses, because the user has written to them today. Entries
     * of a clock that was ahead, which have not begun yet, begin today.
     */
    public Learned learn(Key user, List<Key> correspondents) throws IOException {
        Instant now = clock.instant();
        List<Entry> due = due(pairs(correspondents, user), rules -> used(rules, now));
        List<Target> targets = new ArrayList<>();
        List<Target> unknown = new ArrayList<>();
        for (Entry entry : due) {
            boolean isNew = entry.rulesOf(Origin.LEARNED).isEmpty();
            (isNew ? unknown : targets).add(new Target(Origin.LEARNED, entry.key(), user));
        }
        int added = unknown.isEmpty() ? 0 : makeRoom(user, unknown.size(), now);
        targets.addAll(unknown.subList(0, added));
        update(targets, rules -> used(rules, now), "learned");
        return new Learned(added, unknown.size() - added);
    }

    private static List<Pair> pairs(List<Key> senders, Key user) {
        return senders.stream()
                .distinct()
                .filter(sender -> !sender.equals(user))
                .map(sender -> new Pair(sender, user))
                .toList();
    }

    /** Returns the entries of those pairs of which a change changes what is learned. */
    private List<Entry> due(List<Pair> pairs, UnaryOperator<List<Rule>> change) throws IOException {
        return list.record().findAll(pairs).stream()
                .filter(
                        entry -> {
                            List<Rule> learned = entry.rulesOf(Origin.LEARNED);
                            return !change.apply(learned).equals(learned);
                        })
                .toList();
    }

    private void update(List<Target> targets, UnaryOperator<List<Rule>> change, String who)
            throws IOException {
        list.write(targets.stream().map(each -> new Edit(each, change)).toList(), who);
    }

    /** Returns learned rules as they are when the entry is used now. */
    private List<Rule> used(List<Rule> learned, Instant now) {
        Instant today = startOfDay(now);
        Instant until = today.plus(Duration.ofDays(limits.validityDays() + 1L));
        Rule last = learned.stream().max(Comparator.comparing(Rule::end)).orElse(null);
        Instant from = last == null || !hasBegun(last, now) ? today : last.from();
        boolean stays = last != null && hasBegun(last, now) && !last.end().isBefore(until);
        return stays
                ? learned
                : List.of(new Rule(false, from, until, AuthRequirement.ANY, Origin.LEARNED, ""));
    }

    private static boolean hasBegun(Rule rule, Instant now) {
        return rule.from() == null || !rule.from().isAfter(now);
    }

    /**
     * Extends the learned entries for a sender, because a mail of that sender came in today. No
     * sender is learned by this, and entries that have ended stay ended.
     */
    public Learned renew(Key sender, List<Key> users) throws IOException {
        Instant now = clock.instant();
        UnaryOperator<List<Rule>> renewed =
                rules ->
                        rules.stream().anyMatch(rule -> rule.end().isAfter(now))
                                ? used(rules, now)
                                : rules;
        List<Target> targets = new ArrayList<>();
        for (Entry entry : due(users.stream().map(to -> new Pair(sender, to)).toList(), renewed)) {
            targets.add(new Target(Origin.LEARNED, sender, entry.to()));
        }
        update(targets, renewed, "learned");
        return new Learned(0, 0);
    }

    /**
     * Removes the entries that were used longest ago, so that there is room for new ones. Returns
     * how many new ones may be learned.
     */
    private int makeRoom(Key user, int wanted, Instant now) throws IOException {
        Share share = list.record().share(user, Origin.LEARNED, startOfDay(now));
        int most = Math.min(wanted, limits.maxPerUser());
        int allowed = Math.clamp(limits.maxNewPerDay() - share.newThen(), 0, most);
        long tooMany = share.entries() + allowed - limits.maxPerUser();
        if (allowed > 0 && tooMany > 0) {
            List<Edit> removals =
                    list.record().entriesFor(user, Integer.MAX_VALUE).stream()
                            .filter(entry -> !entry.rulesOf(Origin.LEARNED).isEmpty())
                            .sorted(Comparator.comparing(Learner::endOfLearned))
                            .limit(tooMany)
                            .map(entry -> new Target(Origin.LEARNED, entry.key(), user))
                            .map(Edit::remove)
                            .toList();
            list.write(removals, "learned: room for new ones");
        }
        return allowed;
    }

    private static Instant endOfLearned(Entry entry) {
        return ListRecord.end(entry.rulesOf(Origin.LEARNED));
    }

    /**
     * Learns that a user knows a sender, because the user has taken a mail of the sender out of the
     * spam folder today. Takes back the denials of {@link #deny}. Those addresses are learned, or
     * the first one if none was denied so.
     *
     * @param sender the addresses that the sender may be denied by
     */
    public Learned rescue(Key user, List<Key> sender) throws IOException {
        List<Key> denied =
                list.record().findAll(pairs(sender, user)).stream()
                        .filter(entry -> entry.rulesOf(Origin.USER).stream().anyMatch(MADE))
                        .map(Entry::key)
                        .toList();
        update(
                denied.stream().map(key -> new Target(Origin.USER, key, user)).toList(),
                Learner::byHand,
                "learned: moved out of spam");
        return learn(user, denied.isEmpty() ? List.of(sender.getFirst()) : denied);
    }

    private static List<Rule> byHand(List<Rule> own) {
        return own.stream().filter(MADE.negate()).toList();
    }

    /**
     * Forgets that a user knows these addresses, and denies them for the user unless an own entry
     * does so already, because the user has moved a mail into the spam folder today.
     */
    public Learned deny(Key user, List<Key> sender) throws IOException {
        String who = "learned: moved to spam";
        Instant now = clock.instant();
        List<Pair> pairs = pairs(sender, user);
        // First, since what is gone is not among the new entries that a user may have a day.
        list.write(
                pairs.stream()
                        .map(pair -> new Target(Origin.LEARNED, pair.sender(), user))
                        .map(Edit::remove)
                        .toList(),
                who);
        List<Target> due = new ArrayList<>();
        for (Entry entry : list.record().findAll(pairs)) {
            if (!isDenied(entry.rulesOf(Origin.USER), now)) {
                due.add(new Target(Origin.USER, entry.key(), user));
            }
        }
        Share share = list.record().share(user, Origin.USER, startOfDay(now));
        long room =
                Math.min(
                        limits.maxNewPerDay() - share.newThen(),
                        limits.maxPerUser() - share.entries());
        int allowed = Math.clamp(room, 0, due.size());
        Rule denial = new Rule(true, startOfDay(now), null, null, Origin.USER, MOVED);
        update(
                due.subList(0, allowed),
                own ->
                        isDenied(own, now)
                                ? own
                                : Stream.concat(byHand(own).stream(), Stream.of(denial)).toList(),
                who);
        return new Learned(allowed, due.size() - allowed);
    }

    private static boolean isDenied(List<Rule> own, Instant now) {
        return own.stream()
                .anyMatch(rule -> rule.denied() && hasBegun(rule, now) && rule.end().isAfter(now));
    }

    /** Returns when the day of a moment began, in UTC. */
    private static Instant startOfDay(Instant moment) {
        return moment.truncatedTo(ChronoUnit.DAYS);
    }
}
