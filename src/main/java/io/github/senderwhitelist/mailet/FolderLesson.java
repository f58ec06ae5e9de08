package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.learning.Denials;
import io.github.senderwhitelist.learning.Learner;
import io.github.senderwhitelist.learning.Learner.Learned;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.FolderDeed.Opinion;

import jakarta.mail.MessagingException;

import org.apache.james.mailbox.exception.MailboxException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Writes down what a user's deed says about the senders of some mails. Where the mails lie is asked
 * anew each time this is tried, so a deed that was undone meanwhile is not written. What is there
 * already is not written again.
 */
final class FolderLesson implements LearningQueue.Task {
    private static final Logger LOGGER = LoggerFactory.getLogger(FolderLesson.class);

    private final SharedLists shared;
    private final FolderParameters parameters;
    private final InstantSource clock;
    private final Supplier<UserFolders> folders;
    private final FolderDeed deed;
    private final Address user;

    /**
     * Makes a lesson.
     *
     * @param shared the lists of this server, of which the one to change must be open
     * @param folders opens the user's folders
     * @param user the user's address
     */
    FolderLesson(
            SharedLists shared,
            FolderParameters parameters,
            InstantSource clock,
            Supplier<UserFolders> folders,
            FolderDeed deed,
            Address user) {
        this.shared = shared;
        this.parameters = parameters;
        this.clock = clock;
        this.folders = folders;
        this.deed = deed;
        this.user = user;
    }

    @Override
    public void write() throws IOException {
        LivingList list = shared.living(parameters.list());
        if (list == null) {
            throw new IOException(
                    "the list "
                            + parameters.list()
                            + " is not open; name it in the parameter whitelist of the mailet"
                            + " SenderWhitelist, too");
        }
        Learner learner = new Learner(list, parameters.limits(), clock);
        Denials denials = new Denials(list, parameters.limits(), clock);
        int refused = 0;
        for (Address sender : senders()) {
            LOGGER.debug("{}: {}: {}", user, deed.opinion(), sender);
            Learned learned = write(learner, denials, sender.key());
            shared.metrics().learned(learned.added(), learned.refused());
            refused += learned.refused();
        }
        if (refused > 0) {
            LOGGER.warn(
                    "{} moved mails of more new people than are learned in a day, or kept; {} were"
                            + " not learned",
                    user,
                    refused);
        }
    }

    private Learned write(Learner learner, Denials denials, Key sender) throws IOException {
        if (deed.opinion() == Opinion.SPAM) {
            learner.forget(user.key(), sender);
            return denials.deny(user.key(), sender);
        }
        denials.takeBack(user.key(), sender);
        return deed.opinion() == Opinion.NO_SPAM
                ? learner.rescue(user.key(), sender)
                : new Learned(0, 0, 0);
    }

    /** Returns the senders of those mails that lie where the deed has put them. */
    private Set<Address> senders() throws IOException {
        List<FiledMail> mails;
        try (UserFolders open = folders.get()) {
            mails = open.mails(deed.mails());
        } catch (MailboxException e) {
            throw new IOException("James cannot read the mails: " + e.getMessage(), e);
        }
        Set<Address> senders = new LinkedHashSet<>();
        for (FiledMail mail : mails) {
            if (mail.places.stream().anyMatch(deed.holds())) {
                try {
                    Address sender = sender(mail);
                    if (sender != null) {
                        senders.add(sender);
                    }
                } catch (Throwable e) {
                    Harmless.log("Reading the sender of a mail in a folder", e);
                }
            }
        }
        return senders;
    }

    /** Returns the sender that a mail teaches something about, or null. */
    private @Nullable Address sender(FiledMail mail) throws MessagingException {
        Address from = HeaderFrom.mailbox(mail.headers);
        if (from == null) {
            return nothing("its header From: does not name one mailbox");
        }
        if (FromProof.hasNullSender(mail.headers)) {
            return nothing("it has the null sender");
        }
        if (deed.opinion() == Opinion.SPAM
                && !new FromProof(parameters.seal()).holds(mail.headers, from, user)) {
            return nothing("nothing proves that it came from " + from);
        }
        return from;
    }

    private @Nullable Address nothing(String why) {
        LOGGER.debug("{}: {}: a mail teaches nothing: {}", user, deed.opinion(), why);
        return null;
    }

    @Override
    public void failed(String why) {
        shared.metrics().notLearned(deed.mails().size());
        LOGGER.warn(
                "The senders of {} mails that {} has moved or marked are not learned: {}",
                deed.mails().size(),
                user,
                why);
    }
}
