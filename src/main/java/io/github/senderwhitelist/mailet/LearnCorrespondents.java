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
import io.github.senderwhitelist.mailet.learned.NightlySweep;
import io.github.senderwhitelist.mailet.learned.RareWarning;
import io.github.senderwhitelist.mailet.mail.MissingResults;
import io.github.senderwhitelist.mailet.mail.SentMail;
import io.github.senderwhitelist.mailet.mail.SentMail.Lesson;
import io.github.senderwhitelist.mailet.mail.SentMail.Lesson.Nothing;
import io.github.senderwhitelist.mailet.mail.SentMail.Lesson.Wrote;
import io.github.senderwhitelist.mailet.server.Harmless;
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

    /** Does something with the database. */
    @FunctionalInterface
    private interface Work {
        void run() throws IOException;
    }

    /**
     * What a mail teaches.
     *
     * @param user who has written the mail
     * @param people how many people this is about, for the metrics
     */
    private record Teaching(SharedLists shared, Key user, Object about, int people, Work work)
            implements LearningQueue.Task {
        @Override
        public void write() throws IOException {
            work.run();
        }

        @Override
        public void failed() {
            shared.metrics().notLearned(people);
        }
    }

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
        DeletedUsers deleted =
                new DeletedUsers(
                        list,
                        Disk.LOCAL,
                        definition.missingUsers(),
                        shared.knownUsers(),
                        graceDays,
                        clock);
        state =
                new State(
                        definition,
                        maxRecipients,
                        learnLocal,
                        learnTimeout,
                        renew,
                        new Learner(list, limits, clock),
                        new LearningQueue(again),
                        new RareWarning(
                                "Users wrote to more new people than maxNewPerDay allows in a day;"
                                        + " some were not learned"),
                        graceDays == 0 ? null : new NightlySweep(definition.title(), deleted));
        String problem = MissingResults.problem(shared.named().configuration());
        if (problem != null) {
            LOGGER.warn("{}: {}", NAME, problem);
        }
    }

    @Override
    public void service(Mail mail) {
        State now = state;
        try {
            Teaching teaching = now == null ? null : teaching(now, mail);
            if (now != null && teaching != null) {
                await(now, teaching);
            }
        } catch (Throwable e) {
            Harmless.log("Learning from a mail", e);
        }
    }

    /** Returns what a mail teaches; null if that is nothing. */
    private @Nullable Teaching teaching(State now, Mail mail)
            throws MessagingException, IOException {
        Predicate<Domain> isLocal = domain -> getMailetContext().isLocalServer(domain);
        Lesson lesson = new SentMail(mail, isLocal, now.maxRecipients(), now.learnLocal()).lesson();
        return switch (lesson) {
            case Wrote wrote ->
                    new Teaching(
                            shared,
                            wrote.user().key(),
                            wrote,
                            wrote.people().size(),
                            () -> learn(now, wrote));
            case Nothing(String why) -> {
                LOGGER.debug("mail={}: nothing is learned: {}", mail.getName(), why);
                yield now.renew() == Renew.SENT ? null : renewal(now, mail, isLocal);
            }
        };
    }

    private @Nullable Teaching renewal(State now, Mail mail, Predicate<Domain> isLocal)
            throws MessagingException, IOException {
        ReceivedMail received =
                ReceivedMail.of(mail, domain -> isLocal.test(Domain.of(domain)), shared.users());
        if (received == null || received.recipients().isEmpty()) {
            return null;
        }
        Key sender = received.sender().key();
        Work work = () -> now.learner().renew(sender, received.recipients());
        return new Teaching(shared, sender, received, 1, work);
    }

    private void learn(State now, Wrote wrote) throws IOException {
        List<Key> people = wrote.people().stream().map(Address::key).toList();
        boolean renews = now.renew() != Renew.RECEIVED;
        Learned learned = now.learner().learn(wrote.user().key(), people, renews);
        shared.metrics().learned(learned.added(), learned.refused());
        if (learned.refused() > 0) {
            now.refused().add(wrote.user().toString());
        }
    }

    private static void await(State now, Teaching teaching) {
        try {
            now.queue().add(teaching).get(now.learnTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOGGER.debug("It takes longer to learn from a mail of {}", teaching.user());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void destroy() {
        State now = state;
        state = null;
        if (now != null) {
            shared.inTime(now.queue()::close);
            if (now.sweep() != null) {
                now.sweep().close();
            }
            shared.release(now.definition());
        }
    }

    @Override
    public String getMailetInfo() {
        return "Learns whom users write to";
    }
}
