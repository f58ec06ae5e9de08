package io.github.senderwhitelist.learning;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.learning.Learner.Learned;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Share;
import io.github.senderwhitelist.living.ListRecord.Target;
import io.github.senderwhitelist.living.LivingList;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The denials that users make by moving mails into the spam folder. Each becomes {@code !SENDER
 * to=USER from=DAY origin=user note=moved to spam}: {@code from} is the day of the move. The note
 * distinguishes them from denials that were put by hand, which are never changed.
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
     * Denies a sender for a user, unless the user's own entry does so already. The user's other
     * rules for this sender stay beside the denial.
     *
     * @return whether there is a new denial, or too many for another one
     * @throws IOException if the list's database fails; the denial may have been put or not
     */
    public Learned deny(Key user, Key sender) throws IOException {
        Instant now = clock.instant();
        if (user.equals(sender) || isDenied(own(user, sender), now)) {
            return new Learned(0, 0);
        }
        Instant today = Learner.startOfDay(now);
        if (!hasRoom(user, today)) {
            return new Learned(0, 1);
        }
        Rule denial = new Rule(true, today, null, null, Origin.USER, NOTE);
        Effect effect =
                update(
                        user,
                        sender,
                        own -> isDenied(own, now) ? own : with(denial, own),
                        "learned: moved to spam");
        return new Learned(effect == Effect.NONE ? 0 : 1, 0);
    }

    private static boolean isDenied(List<Rule> rules, Instant now) {
        return rules.stream().anyMatch(rule -> denies(rule, now));
    }

    private static List<Rule> with(Rule denial, List<Rule> own) {
        List<Rule> rules = new ArrayList<>(byHand(own));
        rules.add(denial);
        return rules;
    }

    private static List<Rule> byHand(List<Rule> own) {
        return own.stream().filter(rule -> !isMade(rule)).toList();
    }

    private Effect update(Key user, Key sender, UnaryOperator<List<Rule>> change, String who)
            throws IOException {
        Target target = new Target(Origin.USER, sender, user);
        return list.update(List.of(target), change, who).getFirst();
    }

    /**
     * Returns whether {@link #deny} has made a denial that is still there.
     *
     * @throws IOException if the list's database fails
     */
    public boolean has(Key user, Key sender) throws IOException {
        return own(user, sender).stream().anyMatch(Denials::isMade);
    }

    /**
     * Removes a denial that {@link #deny} has made, if there is one. Rules that the user has put by
     * hand stay.
     *
     * @return whether there was one
     * @throws IOException if the list's database fails; the denial may be gone or not
     */
    public boolean takeBack(Key user, Key sender) throws IOException {
        return update(user, sender, Denials::byHand, "learned: moved out of spam") != Effect.NONE;
    }

    /** Returns the user's own rules for a sender. */
    private List<Rule> own(Key user, Key sender) throws IOException {
        Entry entry = list.record().find(sender, user);
        return entry == null ? List.of() : entry.rulesOf(Origin.USER);
    }

    /** Reads the user's entries only if there may be too many denials among them. */
    private boolean hasRoom(Key user, Instant today) throws IOException {
        Share share = list.record().share(user, Origin.USER, today);
        return share.newThen() < limits.maxNewPerDay()
                && (share.entries() < limits.maxPerUser() || made(user) < limits.maxPerUser());
    }

    private long made(Key user) throws IOException {
        return list.record().entriesFor(user, Learner.most(limits)).stream()
                .flatMap(entry -> entry.rules().stream())
                .filter(Denials::isMade)
                .count();
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
