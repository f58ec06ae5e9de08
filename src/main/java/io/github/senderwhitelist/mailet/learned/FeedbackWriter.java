package io.github.senderwhitelist.mailet.learned;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Question;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.decision.Unwrapping;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.decision.Whitelist;
import io.github.senderwhitelist.learning.Denials;
import io.github.senderwhitelist.learning.Learner;
import io.github.senderwhitelist.learning.Learner.Learned;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.server.HourlyQuota;
import io.github.senderwhitelist.mailet.server.RareWarning;
import io.github.senderwhitelist.mailet.server.SharedLists;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A writer of what users think of senders into a list. What is there already is not written again.
 *
 * <p>Programs set and clear marks all the time. So a user who has made many changes in an hour
 * {@link #rest rests} until the hour is over; then what holds at that time is written.
 */
public final class FeedbackWriter {
    private static final Logger LOGGER = LoggerFactory.getLogger(FeedbackWriter.class);

    /** How many changes of a user are written in an hour. */
    private static final int MAX_CHANGES = 100;

    private final SharedLists shared;
    private final FolderParameters parameters;
    private final InstantSource clock;
    private final HourlyQuota<Key> changes;
    private final RareWarning putOff;
    private final RareWarning refused;

    /**
     * Takes a list.
     *
     * @param shared the lists of this server, of which the one to change must be open
     * @param queue logs warnings
     */
    public FeedbackWriter(
            SharedLists shared,
            FolderParameters parameters,
            InstantSource clock,
            LearningQueue queue) {
        this.shared = shared;
        this.parameters = parameters;
        this.clock = clock;
        changes = new HourlyQuota<>(MAX_CHANGES, clock);
        putOff =
                queue.warning(
                        "What users did too often is put off by an hour at most, until when only"
                                + " the last of it counts");
        refused =
                queue.warning(
                        "Users moved mails of more new people than maxNewPerDay and maxPerUser"
                                + " allow; some were not learned");
    }

    /** Returns for how long nothing more may be written for a user. */
    Duration rest(Key user) {
        Duration rest = changes.untilFree(user);
        if (!rest.isZero()) {
            putOff.add(user.toString());
        }
        return rest;
    }

    /**
     * Fails if the list is not open.
     *
     * @throws IOException if it is not
     */
    void requireList() throws IOException {
        list();
    }

    private LivingList list() throws IOException {
        LivingList list = shared.living(parameters.list());
        if (list == null) {
            throw new IOException(
                    "the list "
                            + parameters.list()
                            + " is not open; name it in the parameter whitelist of a mailet or"
                            + " matcher that judges, too");
        }
        return list;
    }

    /** Counts what could not be learned from. */
    void notLearned(int mails) {
        shared.metrics().notLearned(mails);
    }

    /**
     * Returns the addresses of a sender to change: those that list the sender for the user, or that
     * the user denies.
     *
     * @param sender the address in From:, and the envelope's if that may list the sender, too
     */
    List<Key> keys(Address user, List<Address> sender, SpamFeedback feedback) throws IOException {
        List<Key> all =
                sender.stream()
                        .flatMap(each -> each.addressKeys(parameters.subaddressing()).stream())
                        .toList();
        return feedback == SpamFeedback.SPAM ? listing(user, all) : denied(user.key(), all);
    }

    /**
     * Writes what a user thinks of a sender.
     *
     * @param from the key of the address in From:
     * @param keys the keys to change; the address in From: if there are none
     */
    void write(Key user, Key from, List<Key> keys, SpamFeedback feedback) throws IOException {
        LivingList list = list();
        changes.use(user);
        Learner learner = new Learner(list, parameters.limits(), clock);
        Denials denials = new Denials(list, parameters.limits(), clock);
        List<Key> some = keys.isEmpty() ? List.of(from) : keys;
        Learned learned =
                switch (feedback) {
                    case SPAM -> deny(user, some, learner, denials);
                    case NOT_SPAM -> {
                        // First, since they are among the new entries that a user may have a day.
                        takeBack(user, keys, denials);
                        yield learner.rescue(user, some);
                    }
                    case NONE -> {
                        takeBack(user, keys, denials);
                        yield new Learned(0, 0);
                    }
                };
        shared.metrics().learned(learned.added(), learned.refused());
        if (learned.refused() > 0) {
            refused.add(user.toString());
        }
    }

    /** Forgets first: who was learned today is among the new entries of a user's day. */
    private static Learned deny(Key user, List<Key> keys, Learner learner, Denials denials)
            throws IOException {
        int added = 0;
        int tooMany = 0;
        for (Key key : keys) {
            learner.forget(user, key);
            Learned denied = denials.deny(user, key);
            added += denied.added();
            tooMany += denied.refused();
        }
        return new Learned(added, tooMany);
    }

    private static void takeBack(Key user, List<Key> keys, Denials denials) throws IOException {
        for (Key key : keys) {
            denials.takeBack(user, key);
        }
    }

    /** Returns the keys that the user denies. */
    private List<Key> denied(Key user, List<Key> keys) throws IOException {
        Denials denials = new Denials(list(), parameters.limits(), clock);
        List<Key> denied = new ArrayList<>();
        for (Key key : keys) {
            if (denials.has(user, key)) {
                denied.add(key);
            }
        }
        return denied;
    }

    /**
     * Returns the addresses by which some keys are listed for the user, such as those without their
     * tags. Lists in other databases are left out if these fail, so that the denial is written all
     * the same.
     */
    private List<Key> listing(Address user, List<Key> keys) throws IOException {
        List<SenderList> lists = new ArrayList<>(shared.files().values());
        lists.add(list());
        List<SenderList> all = new ArrayList<>(lists);
        for (String name : shared.livingNames()) {
            LivingList other = shared.living(name);
            if (other != null && !name.equals(parameters.list())) {
                all.add(other);
            }
        }
        try {
            return listing(all, user, keys);
        } catch (IOException e) {
            LOGGER.debug("{}: {}: not all lists can be asked", user, keys, e);
            return listing(lists, user, keys);
        }
    }

    private List<Key> listing(List<SenderList> lists, Address user, List<Key> keys)
            throws IOException {
        Whitelist whitelist =
                new Whitelist(
                        lists,
                        new Policy(
                                parameters.subaddressing(),
                                Unwrapping.NONE,
                                AuthRequirement.NONE,
                                clock,
                                Subaddressing.NONE,
                                shared.users()));
        Set<Key> listing = new LinkedHashSet<>();
        for (Key key : keys) {
            Question question =
                    new Question(
                            Sender.parse(key.toString()),
                            List.of(user.toString()),
                            (required, confirmed) -> true);
            Verdict verdict = whitelist.check(question).getFirst();
            if (verdict instanceof Unavailable(IOException cause)) {
                throw cause;
            }
            if (verdict instanceof Listed(var entry) && !entry.key().isDomain()) {
                listing.add(entry.key());
            }
        }
        return List.copyOf(listing);
    }
}
