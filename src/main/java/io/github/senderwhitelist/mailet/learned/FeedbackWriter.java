package io.github.senderwhitelist.mailet.learned;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Unwrapping;
import io.github.senderwhitelist.learning.Denials;
import io.github.senderwhitelist.learning.Learner;
import io.github.senderwhitelist.learning.Learner.Learned;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.server.HourlyQuota;
import io.github.senderwhitelist.mailet.server.ListQuestions;
import io.github.senderwhitelist.mailet.server.ListQuestions.Listing;
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
    private final ListQuestions questions;
    private final HourlyQuota<Key> changes;
    private final RareWarning putOff =
            new RareWarning(
                    "What users did too often is put off by an hour at most, until when only the"
                            + " last of it counts");
    private final RareWarning refused =
            new RareWarning(
                    "Users moved mails of more new people than maxNewPerDay and maxPerUser allow;"
                            + " some were not learned");

    /**
     * Takes a list.
     *
     * @param shared the lists of this server, of which the one to change must be open
     */
    public FeedbackWriter(SharedLists shared, FolderParameters parameters, InstantSource clock) {
        this.shared = shared;
        this.parameters = parameters;
        this.clock = clock;
        this.questions =
                new ListQuestions(
                        shared,
                        new Policy(
                                parameters.subaddressing(),
                                Unwrapping.NONE,
                                AuthRequirement.NONE,
                                clock,
                                Subaddressing.NONE,
                                shared.users()));
        this.changes = new HourlyQuota<>(MAX_CHANGES, clock);
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
     * Returns the list to change.
     *
     * @throws IOException if it is not open
     */
    LivingList list() throws IOException {
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
     * Returns the addresses of a sender to change: those that list the sender for the user, such as
     * the one without a tag, or those that the user denies. Returns the address in From: if there
     * are none.
     *
     * @param sender the address in From:, and the envelope's if that may list the sender, too
     */
    List<Key> keys(Key user, List<Address> sender, SpamFeedback feedback) throws IOException {
        Denials denials = new Denials(list(), parameters.limits(), clock);
        Set<Key> keys = new LinkedHashSet<>();
        for (Address address : sender) {
            for (Key key : address.addressKeys(parameters.subaddressing())) {
                if (feedback == SpamFeedback.SPAM) {
                    keys.addAll(listing(key, user));
                } else if (denials.has(user, key)) {
                    keys.add(key);
                }
            }
        }
        return keys.isEmpty() ? List.of(sender.getFirst().key()) : new ArrayList<>(keys);
    }

    /** Returns the addresses that list a sender; none if not all lists can be asked. */
    private List<Key> listing(Key sender, Key user) {
        try {
            return questions.listing(sender, user).stream()
                    .map(Listing::entry)
                    .map(entry -> entry.key())
                    .filter(key -> !key.isDomain())
                    .toList();
        } catch (IOException e) {
            LOGGER.debug("{}: {}: not all lists can be asked", user, sender, e);
            return List.of();
        }
    }

    /** Writes what a user thinks of a sender who has these addresses. */
    void write(Key user, List<Key> keys, SpamFeedback feedback) throws IOException {
        LivingList list = list();
        Learner learner = new Learner(list, parameters.limits(), clock);
        Denials denials = new Denials(list, parameters.limits(), clock);
        changes.use(user);
        // First, since what is gone is not among the new entries that a user may have a day.
        for (Key key : keys) {
            if (feedback == SpamFeedback.SPAM) {
                learner.forget(user, key);
            } else {
                denials.takeBack(user, key);
            }
        }
        int added = 0;
        int tooMany = 0;
        for (Key key : keys) {
            Learned learned =
                    switch (feedback) {
                        case SPAM -> denials.deny(user, key);
                        case NOT_SPAM -> learner.rescue(user, List.of(key));
                        case NONE -> new Learned(0, 0);
                    };
            added += learned.added();
            tooMany += learned.refused();
        }
        shared.metrics().learned(added, tooMany);
        if (tooMany > 0) {
            refused.add(user.toString());
        }
    }
}
