package io.github.senderwhitelist.learning;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.learning.Learner.Learned;
import io.github.senderwhitelist.living.EntryTable.Effect;
import io.github.senderwhitelist.living.LivingList;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the denials that users make by moving mails into the spam folder. Each becomes {@code
 * !SENDER to=USER from=DAY origin=user note=moved to spam}: {@code from} is the day of the move.
 * The note tells them from denials that were put by hand, which are never changed.
 *
 * <p>For use by one thread.
 */
public final class Denials {
    /** The remark on each denial. */
    public static final String NOTE = "moved to spam";

    private final LivingList list;
    private final LearningLimits limits;
    private final InstantSource clock;

    /** Makes a writer of denials in this list. Users have as many as the limits allow to learn. */
    public Denials(LivingList list, LearningLimits limits, InstantSource clock) {
        this.list = list;
        this.limits = limits;
        this.clock = clock;
    }

    /**
     * Denies a sender for a user, unless the user's own entry does so already. What the user has
     * for this sender stays beside the denial.
     *
     * @return whether there is a new denial, or too many for another one
     * @throws IOException if the list's database fails; the denial may have been put or not
     */
    public Learned deny(Key user, Key sender) throws IOException {
        Instant now = clock.instant();
        List<Rule> own = own(user, sender);
        if (user.equals(sender) || own.stream().anyMatch(rule -> denies(rule, now))) {
            return new Learned(0, 0, 0);
        }
        Instant today = Learner.startOfDay(now);
        if (!hasRoom(user, today)) {
            return new Learned(0, 0, 1);
        }
        List<Rule> rules = new ArrayList<>(own);
        rules.removeIf(Denials::isMade);
        rules.add(new Rule(true, today, null, null, Origin.USER, NOTE));
        list.put(new Entry(sender, user, rules), "learned: moved to spam");
        return new Learned(1, 0, 0);
    }

    /**
     * Takes a denial back, if {@link #deny} has made it. What the user has put by hand stays.
     *
     * @return whether there was one
     * @throws IOException if the list's database fails; the denial may be gone or not
     */
    public boolean takeBack(Key user, Key sender) throws IOException {
        List<Rule> own = own(user, sender);
        List<Rule> others = own.stream().filter(rule -> !isMade(rule)).toList();
        if (others.size() == own.size()) {
            return false;
        }
        String who = "learned: moved out of spam";
        return others.isEmpty()
                ? list.remove(Origin.USER, sender, user, who) == Effect.REMOVED
                : list.put(new Entry(sender, user, others), who) != Effect.NONE;
    }

    /** Returns the user's own rules for a sender. */
    private List<Rule> own(Key user, Key sender) throws IOException {
        Entry entry = list.table().find(sender, user);
        return entry == null
                ? List.of()
                : entry.rules().stream().filter(rule -> rule.origin() == Origin.USER).toList();
    }

    private boolean hasRoom(Key user, Instant today) throws IOException {
        List<Rule> made =
                list.table().entriesFor(user, Learner.most(limits)).stream()
                        .flatMap(entry -> entry.rules().stream())
                        .filter(Denials::isMade)
                        .toList();
        long newToday = made.stream().filter(rule -> today.equals(rule.from())).count();
        return newToday < limits.maxNewPerDay() && made.size() < limits.maxPerUser();
    }

    private static boolean isMade(Rule rule) {
        return rule.denied() && rule.origin() == Origin.USER && rule.note().equals(NOTE);
    }

    private static boolean denies(Rule rule, Instant now) {
        Instant from = rule.from();
        Instant until = rule.until();
        return rule.denied()
                && (from == null || !now.isBefore(from))
                && (until == null || now.isBefore(until));
    }
}
