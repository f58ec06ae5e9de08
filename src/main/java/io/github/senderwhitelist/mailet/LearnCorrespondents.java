package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.learning.Learner;
import io.github.senderwhitelist.learning.Learner.Learned;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.SentMail.Lesson;
import io.github.senderwhitelist.mailet.SentMail.Lesson.Nothing;
import io.github.senderwhitelist.mailet.SentMail.Lesson.Wrote;

import jakarta.inject.Inject;
import jakarta.mail.MessagingException;

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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Learns from the mails that users send to whom they write. These are listed for them, and for them
 * only, when SPF or DKIM confirms the address.
 *
 * <pre>{@code
 * <mailet match="SMTPAuthSuccessful" class="io.github.senderwhitelist.mailet.LearnCorrespondents">
 *   <list>own</list>
 * </mailet>
 * }</pre>
 *
 * <p>It stands where mails of users come by, before RecipientRewriteTable: what that makes of a
 * recipient, such as a private forward, is not for the user to know. It changes no mail, never
 * throws, and holds a mail up for {@code learnTimeout} at most.
 */
public class LearnCorrespondents extends GenericMailet {
    private static final String NAME = "LearnCorrespondents";
    private static final Logger LOGGER = LoggerFactory.getLogger(LearnCorrespondents.class);

    private final FileSystem files;
    private final SharedLists shared;
    private final InstantSource clock;
    private final Duration again;
    private volatile @Nullable State state;

    /** What there is between start and stop. */
    private record State(
            LearningParameters parameters,
            ListDefinition definition,
            Learner learner,
            LearningQueue queue) {}

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
        LearningParameters parameters =
                LearningParameters.parse(NAME, Parameters.values(this), files);
        ListDefinition.Living definition = parameters.definition(NAME, files, shared.named());
        LivingList list;
        try {
            list = shared.acquireLiving(definition);
        } catch (IOException e) {
            throw new MessagingException(
                    NAME + ": parameter " + LearningParameters.LIST + ": " + e.getMessage(), e);
        }
        state =
                new State(
                        parameters,
                        definition,
                        new Learner(list, parameters.limits(), clock),
                        new LearningQueue(again));
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

    private void learn(State now, Mail mail) throws MessagingException {
        Lesson lesson =
                new SentMail(
                                mail,
                                domain -> getMailetContext().isLocalServer(domain),
                                now.parameters.maxRecipients(),
                                now.parameters.learnLocal())
                        .lesson();
        switch (lesson) {
            case Nothing(String why) ->
                    LOGGER.debug("mail={}: nothing is learned: {}", mail.getName(), why);
            case Wrote wrote -> learn(now, wrote);
        }
    }

    private void learn(State now, Wrote wrote) {
        Future<?> written = now.queue.add(new Writing(now.learner, wrote));
        try {
            written.get(now.parameters.learnTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOGGER.debug("{} is learned later", wrote);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            LOGGER.debug("{} is not learned", wrote, e);
        }
    }

    /** Writes down what a mail has taught. */
    private final class Writing implements LearningQueue.Task {
        private final Learner learner;
        private final Wrote wrote;

        Writing(Learner learner, Wrote wrote) {
            this.learner = learner;
            this.wrote = wrote;
        }

        @Override
        public void write() throws IOException {
            List<Key> people = wrote.people().stream().map(Address::key).toList();
            Learned learned = learner.learn(wrote.user().key(), people);
            shared.metrics().learned(learned.added(), learned.refused());
            if (learned.refused() > 0) {
                LOGGER.warn(
                        "{} wrote to more new people today than are learned in a day; {} were not"
                                + " learned",
                        wrote.user(),
                        learned.refused());
            }
        }

        @Override
        public void failed(String why) {
            shared.metrics().notLearned(wrote.people().size());
            LOGGER.warn(
                    "The {} recipients of a mail of {} are not learned: {}",
                    wrote.people().size(),
                    wrote.user(),
                    why);
        }
    }

    @Override
    public void destroy() {
        State now = state;
        state = null;
        if (now != null) {
            now.queue.close();
            shared.release(now.definition);
        }
    }

    @Override
    public String getMailetInfo() {
        return "Learns whom users write to";
    }
}
