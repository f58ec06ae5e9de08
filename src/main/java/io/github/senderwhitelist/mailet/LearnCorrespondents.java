package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.learning.DeletedUsers;
import io.github.senderwhitelist.learning.Learner;
import io.github.senderwhitelist.learning.Learner.Learned;
import io.github.senderwhitelist.learning.LearningLimits;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.learned.LearningQueue;
import io.github.senderwhitelist.mailet.mail.MissingResults;
import io.github.senderwhitelist.mailet.mail.SentMail;
import io.github.senderwhitelist.mailet.mail.SentMail.Lesson;
import io.github.senderwhitelist.mailet.mail.SentMail.Lesson.Nothing;
import io.github.senderwhitelist.mailet.mail.SentMail.Lesson.Wrote;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.server.NightlySweep;
import io.github.senderwhitelist.mailet.server.RareWarning;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.LimitParameters;
import io.github.senderwhitelist.mailet.settings.ListDefinition;
import io.github.senderwhitelist.mailet.settings.ListParameters;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;
import io.github.senderwhitelist.mailet.verdict.ReceivedMail;

import jakarta.inject.Inject;
import jakarta.mail.MessagingException;

import org.apache.james.core.Domain;
import org.apache.james.filesystem.api.FileSystem;
import org.apache.mailet.Mail;
import org.apache.mailet.base.GenericMailet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/**
 * A mailet that learns to whom users write. These are listed for them, and for them only, when SPF
 * or DKIM confirms the address.
 *
 * <pre>{@code
 * <mailet match="All" class="io.github.senderwhitelist.mailet.LearnCorrespondents">
 *   <list>own</list>
 * </mailet>
 * }</pre>
 *
 * <p>With {@code <renew>received</renew>} or {@code both}, confirmed mails of correspondents extend
 * their entries, too. The mailet then stands where mails come by that {@code SenderWhitelist} has
 * judged.
 *
 * <p>It stands where mails of users come by, before RecipientRewriteTable: what that makes of a
 * recipient, such as a private forward, is not for the user to know. It changes no mail, never
 * throws, and holds a mail up for {@code learnTimeout} at most. It warns at its start when nothing
 * in {@code mailetcontainer.xml} can confirm anybody.
 */
public class LearnCorrespondents extends GenericMailet {
    private static final String NAME = "LearnCorrespondents";
    private static final Logger LOGGER = LoggerFactory.getLogger(LearnCorrespondents.class);

    private final FileSystem files;
    private final SharedLists shared;
    private final InstantSource clock;
    private final Duration again;
    private volatile @Nullable State state;

    /** Which mails extend an entry that was learned. */
    private enum Renew {
        /** Those that the user sends to the correspondent. */
        SENT,
        /** Those of the correspondent that come in, are confirmed and listed. */
        RECEIVED,
        /** All of these. */
        BOTH;

        static final ValueType<Renew> VALUES =
                ValueType.oneOf(Renew.class, renew -> renew.name().toLowerCase(Locale.ROOT));

        boolean bySent() {
            return this != RECEIVED;
        }

        boolean byReceived() {
            return this != SENT;
        }
    }

    /**
     * What there is between start and stop.
     *
     * @param maxRecipients a mail to more teaches nothing
     * @param learnLocal whether recipients on this server are learned
     * @param learnTimeout how long a mail waits until it is learned from
     * @param sweep forgets users who are gone; null if that is not wanted
     */
    private record State(
            ListDefinition definition,
            int maxRecipients,
            boolean learnLocal,
            Duration learnTimeout,
            Renew renew,
            Learner learner,
            LearningQueue queue,
            RareWarning refused,
            @Nullable NightlySweep sweep) {}

    /** Called by James' injector. */
    @Inject
    public LearnCorrespondents(FileSystem files, SharedLists shared) {
        this(files, shared, InstantSource.system(), LearningQueue.AGAIN);
    }

    /** Takes the clock of a test. */
    LearnCorrespondents(FileSystem files, SharedLists shared, InstantSource clock, Duration again) {
        this.files = files;
        this.shared = shared;
        this.clock = clock;
        this.again = again;
    }

    @Override
    public void init() throws MessagingException {
        Configuration.start(() -> open(Configuration.of(NAME, this, files)));
    }

    /** Reads the parameters and begins. */
    void open(Parameters all) throws SettingException {
        ListDefinition.Living definition = ListParameters.changed(all, shared.named());
        LearningLimits limits = LimitParameters.read(all);
        int maxRecipients = all.number("maxRecipients", ValueType.whole(0, 1_000_000), "20");
        boolean learnLocal = !all.value("learnLocal", ValueType.either("false", "true"), "false");
        Duration learnTimeout =
                all.value("learnTimeout", ValueType.duration(Duration.ofMillis(1)), "1s");
        Renew renew = all.value("renew", Renew.VALUES, "sent");
        int graceDays = all.value("sweepUsersAfter", ValueType.days(0), "30d");
        all.refuseUnread();
        LivingList list = shared.acquireLiving(NAME, definition);
        LearningQueue queue = new LearningQueue(again, LearningQueue.thread());
        state =
                new State(
                        definition,
                        maxRecipients,
                        learnLocal,
                        learnTimeout,
                        renew,
                        new Learner(list, limits, clock),
                        queue,
                        queue.warning(
                                "Users wrote to more new people than maxNewPerDay allows in a day;"
                                        + " some were not learned"),
                        graceDays == 0 ? null : sweep(definition, list, graceDays));
        String problem = MissingResults.problem(shared.named().configuration());
        if (problem != null) {
            LOGGER.warn("{}: {}", NAME, problem);
        }
    }

    private NightlySweep sweep(ListDefinition.Living definition, LivingList list, int graceDays) {
        return new NightlySweep(
                definition.title(),
                new DeletedUsers(
                        list,
                        Disk.LOCAL,
                        definition.missingUsers(),
                        shared.usersThatAre(),
                        graceDays,
                        clock));
    }

    @Override
    public void service(Mail mail) {
        State now = state;
        try {
            if (now != null) {
                learn(now, mail);
            }
        } catch (Throwable e) {
            Harmless.log("Learning from a mail", e);
        }
    }

    private void learn(State now, Mail mail) throws MessagingException, IOException {
        Predicate<Domain> isLocal = domain -> getMailetContext().isLocalServer(domain);
        Lesson lesson = new SentMail(mail, isLocal, now.maxRecipients(), now.learnLocal()).lesson();
        switch (lesson) {
            case Nothing(String why) -> {
                LOGGER.debug("mail={}: nothing is learned: {}", mail.getName(), why);
                if (now.renew().byReceived()) {
                    renew(
                            now,
                            ReceivedMail.of(
                                    mail,
                                    domain -> isLocal.test(Domain.of(domain)),
                                    shared.users()));
                }
            }
            case Wrote wrote ->
                    write(
                            now,
                            new Writing(
                                    wrote.user().key(),
                                    wrote,
                                    wrote.people().size(),
                                    () -> learn(now, wrote)));
        }
    }

    private void renew(State now, @Nullable ReceivedMail received) {
        if (received != null && !received.recipients().isEmpty()) {
            write(
                    now,
                    new Writing(
                            received.sender().key(),
                            received,
                            1,
                            () ->
                                    now.learner.renew(
                                            received.sender().key(), received.recipients())));
        }
    }

    private void write(State now, Writing writing) {
        Future<?> written = now.queue.add(writing);
        try {
            written.get(now.learnTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOGGER.debug("It takes longer to learn from a mail of {}", writing.user);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            LOGGER.debug("Nothing is learned from a mail of {}", writing.user, e);
        }
    }

    private void learn(State now, Wrote wrote) throws IOException {
        List<Key> people = wrote.people().stream().map(Address::key).toList();
        Learned learned = now.learner.learn(wrote.user().key(), people, now.renew().bySent());
        shared.metrics().learned(learned.added(), learned.refused());
        if (learned.refused() > 0) {
            now.refused.add(wrote.user().toString());
        }
    }

    /** Does something. */
    @FunctionalInterface
    private interface Work {
        void run() throws IOException;
    }

    /** Writes down what a mail has taught. */
    private final class Writing implements LearningQueue.Task {
        private final Key user;
        private final Object about;
        private final int people;
        private final Work work;

        /**
         * Takes what is to be done.
         *
         * @param user who has written the mail
         * @param about what the mail teaches
         * @param people how many people this is about, for the metrics
         */
        Writing(Key user, Object about, int people, Work work) {
            this.user = user;
            this.about = about;
            this.people = people;
            this.work = work;
        }

        @Override
        public Key user() {
            return user;
        }

        @Override
        public Object about() {
            return about;
        }

        @Override
        public void write() throws IOException {
            work.run();
        }

        @Override
        public void failed() {
            shared.metrics().notLearned(people);
        }
    }

    @Override
    public void destroy() {
        State now = state;
        state = null;
        if (now != null) {
            shared.inTime(now.queue::close);
            if (now.sweep != null) {
                now.sweep.close();
            }
            shared.releaseLiving(now.definition);
        }
    }

    @Override
    public String getMailetInfo() {
        return "Learns whom users write to";
    }
}
