package io.github.senderwhitelist.mailet.learned;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Pair;
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
import io.github.senderwhitelist.mailet.learned.FolderDeed.Opinion;
import io.github.senderwhitelist.mailet.server.HourlyQuota;
import io.github.senderwhitelist.mailet.server.RareWarning;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.FolderParameters;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;

/**
 * What users think of senders, written into a list. What is there already is not written again.
 *
 * <p>Programs set and clear marks all the time, so a mark about a sender is written at once only if
 * it is the user's first in an hour. Else it is written when the hour is over, and only the last
 * one of these. The same holds for all that a user does beyond a number of changes in an hour.
 */
public final class UserOpinions {
    private static final Logger LOGGER = LoggerFactory.getLogger(UserOpinions.class);

    /** How many changes of a user are written at once in an hour. */
    private static final int MOST_CHANGES = 100;

    private final SharedLists shared;
    private final FolderParameters parameters;
    private final InstantSource clock;
    private final LearningQueue queue;
    private final HourlyQuota<Key> changes;
    private final HourlyQuota<Pair> marks;
    private final RareWarning putOff;
    private final RareWarning refused;

    /**
     * Takes a list.
     *
     * @param shared the lists of this server, of which the one to change must be open
     * @param queue writes the changes
     */
    public UserOpinions(
            SharedLists shared,
            FolderParameters parameters,
            InstantSource clock,
            LearningQueue queue) {
        this.shared = shared;
        this.parameters = parameters;
        this.clock = clock;
        this.queue = queue;
        changes = new HourlyQuota<>(MOST_CHANGES, clock);
        marks = new HourlyQuota<>(1, clock);
        putOff =
                queue.warning(
                        "What users did too often is put off by an hour at most, until when only"
                                + " the last of it counts");
        refused =
                queue.warning(
                        "Users moved mails of more new people than maxNewPerDay and maxPerUser"
                                + " allow; some were not learned");
    }

    /**
     * Takes an opinion. The last one about a sender comes into force, now or within the hour.
     *
     * @param sender the address in From:, and the envelope's if that may list the sender, too
     */
    void add(Address user, List<Address> sender, Opinion opinion, boolean isMark) {
        LOGGER.debug("{}: {}: {}", user, opinion, sender);
        Change change = new Change(user, sender, opinion, isMark);
        Duration delay = changes.untilFree(user.key());
        if (isMark && delay.isZero()) {
            delay = marks.untilFree(change.pair());
        }
        if (!delay.isZero()) {
            putOff.add(user.toString());
        }
        Future<?> unused = queue.add(change, delay);
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

    /** An opinion to be written. */
    private final class Change implements LearningQueue.Task {
        private final Address user;
        private final List<Address> sender;
        private final Opinion opinion;
        private final boolean isMark;

        /** The addresses that are changed, as found when this was first tried. */
        private @Nullable List<Key> keys;

        Change(Address user, List<Address> sender, Opinion opinion, boolean isMark) {
            this.user = user;
            this.sender = sender;
            this.opinion = opinion;
            this.isMark = isMark;
        }

        Pair pair() {
            return new Pair(seen(), user.key());
        }

        @Override
        public Key user() {
            return user.key();
        }

        @Override
        public Object about() {
            return seen();
        }

        private Key seen() {
            return sender.getFirst().key();
        }

        /** Returns all keys of the sender that are addresses. */
        private List<Key> addressKeys() {
            return sender.stream()
                    .flatMap(each -> each.addressKeys(parameters.subaddressing()).stream())
                    .toList();
        }

        /** That nothing is thought any more takes denials back, as a rescue does, and no more. */
        @Override
        public LearningQueue.Task inPlaceOf(LearningQueue.Task older) {
            return opinion == Opinion.NONE
                            && older instanceof Change change
                            && change.opinion == Opinion.NO_SPAM
                    ? older
                    : this;
        }

        @Override
        public void write() throws IOException {
            LivingList list = list();
            changes.use(user.key());
            if (isMark) {
                marks.use(pair());
            }
            Learner learner = new Learner(list, parameters.limits(), clock);
            Denials denials = new Denials(list, parameters.limits(), clock);
            Learned learned =
                    opinion == Opinion.SPAM
                            ? deny(list, learner, denials)
                            : takeBack(learner, denials);
            shared.metrics().learned(learned.added(), learned.refused());
            if (learned.refused() > 0) {
                refused.add(user.toString());
            }
        }

        /** Forgets first: who was learned today is among the new entries of a user's day. */
        private Learned deny(LivingList list, Learner learner, Denials denials) throws IOException {
            if (keys == null) {
                keys = listing(list);
            }
            int added = 0;
            int tooMany = 0;
            for (Key key : keys) {
                learner.forget(user.key(), key);
                Learned denied = denials.deny(user.key(), key);
                added += denied.added();
                tooMany += denied.refused();
            }
            return new Learned(added, tooMany);
        }

        /**
         * Returns the addresses by which the sender is listed for the user: that in From:, that of
         * the envelope, these without their tags. That in From: if there are none. Lists in other
         * databases are left out if these fail, so that the denial is written all the same.
         */
        private List<Key> listing(LivingList list) throws IOException {
            List<SenderList> lists = new ArrayList<>(shared.files().values());
            lists.add(list);
            List<SenderList> all = new ArrayList<>(lists);
            for (String name : shared.livingNames()) {
                LivingList other = shared.living(name);
                if (other != null && !name.equals(parameters.list())) {
                    all.add(other);
                }
            }
            try {
                return listing(all);
            } catch (IOException e) {
                LOGGER.debug("{}: {}: not all lists can be asked", user, sender, e);
                return listing(lists);
            }
        }

        private List<Key> listing(List<SenderList> lists) throws IOException {
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
            for (Key key : addressKeys()) {
                Key by = listing(whitelist, key);
                if (by != null && !by.isDomain()) {
                    listing.add(by);
                }
            }
            return listing.isEmpty() ? List.of(seen()) : List.copyOf(listing);
        }

        private @Nullable Key listing(Whitelist whitelist, Key key) throws IOException {
            Verdict verdict =
                    whitelist
                            .check(
                                    new Question(
                                            Sender.parse(key.toString()),
                                            List.of(user.toString()),
                                            (required, confirmed) -> true))
                            .getFirst();
            if (verdict instanceof Unavailable(IOException cause)) {
                throw cause;
            }
            return verdict instanceof Listed(var entry) ? entry.key() : null;
        }

        /** Takes denials back first: they are among the new entries that a user may have a day. */
        private Learned takeBack(Learner learner, Denials denials) throws IOException {
            if (keys == null) {
                keys = denied(denials);
            }
            for (Key key : keys) {
                denials.takeBack(user.key(), key);
            }
            return opinion == Opinion.NO_SPAM
                    ? learner.rescue(user.key(), keys.isEmpty() ? List.of(seen()) : keys)
                    : new Learned(0, 0);
        }

        /** Returns the addresses of the sender that the user denies. */
        private List<Key> denied(Denials denials) throws IOException {
            List<Key> all = new ArrayList<>();
            for (Key key : addressKeys()) {
                if (denials.has(user.key(), key)) {
                    all.add(key);
                }
            }
            return all;
        }

        @Override
        public void failed() {
            notLearned(1);
        }
    }
}
