package io.github.senderwhitelist.mailet.learned;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.mailet.mail.HeaderFrom;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.verdict.FromProof;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.mailbox.exception.MailboxException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A task of learning what a user thinks of the senders of some mails. Where the mails lie is read
 * each time this is tried, so an event that comes too late, or was undone meanwhile, finds nothing
 * to do.
 */
public final class FolderLearningTask implements LearningQueue.Task {
    private static final Logger LOGGER = LoggerFactory.getLogger(FolderLearningTask.class);

    private final FeedbackWriter writer;
    private final FromProof proof;
    private final Supplier<UserFolders> folders;
    private final FolderEvent event;
    private final Address user;

    /** The addresses to change of each sender, as found when this was first tried. */
    private final Map<List<Address>, List<Key>> keys = new HashMap<>();

    /**
     * Makes a task.
     *
     * @param writer writes down what is learned
     * @param proof proves from whom mails came
     * @param folders opens the user's folders
     * @param user the user's address
     */
    public FolderLearningTask(
            FeedbackWriter writer,
            FromProof proof,
            Supplier<UserFolders> folders,
            FolderEvent event,
            Address user) {
        this.writer = writer;
        this.proof = proof;
        this.folders = folders;
        this.event = event;
        this.user = user;
    }

    @Override
    public Key user() {
        return user.key();
    }

    @Override
    public Object about() {
        return event;
    }

    @Override
    public Duration rest() {
        return writer.rest(user.key());
    }

    @Override
    public void write() throws IOException {
        // If it is not open, no mail needs to be read.
        writer.list();
        for (List<Address> sender : senders()) {
            LOGGER.debug("{}: {}: {}", user, event.feedback(), sender);
            List<Key> changed = keys.get(sender);
            if (changed == null) {
                changed = writer.keys(user.key(), sender, event.feedback());
                keys.put(sender, changed);
            }
            writer.write(user.key(), changed, event.feedback());
        }
    }

    /**
     * Returns the senders of those mails that lie where the event has put them: the address in
     * From: and, if it is another one that was confirmed, too, that of the envelope.
     */
    private Set<List<Address>> senders() throws IOException {
        Set<List<Address>> senders = new LinkedHashSet<>();
        try (UserFolders open = folders.get()) {
            for (MimeMessage mail : open.mails(event)) {
                try {
                    Address from = from(mail);
                    if (from != null) {
                        Address envelope = proof.otherEnvelope(mail, from, user);
                        senders.add(envelope == null ? List.of(from) : List.of(from, envelope));
                    }
                } catch (Throwable e) {
                    Harmless.log("Reading the sender of a mail in a folder", e);
                }
            }
        } catch (MailboxException e) {
            throw new IOException("James cannot read the mails: " + e.getMessage(), e);
        }
        return senders;
    }

    /** Returns the sender that a mail teaches something about, or null. */
    private @Nullable Address from(MimeMessage mail) throws MessagingException {
        Address from = HeaderFrom.mailbox(mail);
        if (from == null) {
            return nothing("its header From: does not name one mailbox");
        }
        if (from.local().indexOf('?') >= 0) {
            // James stores headers in ASCII, with a question mark for every other byte.
            return nothing("James may not have stored its header From: as it was");
        }
        if (FromProof.hasNullSender(mail)) {
            return nothing("it has the null sender");
        }
        if (event.feedback() == SpamFeedback.SPAM && !proof.holds(mail, from, user)) {
            return nothing("nothing proves that it came from " + from);
        }
        return from;
    }

    private @Nullable Address nothing(String why) {
        LOGGER.debug("{}: {}: a mail teaches nothing: {}", user, event.feedback(), why);
        return null;
    }

    @Override
    public void failed() {
        writer.notLearned(event.mails().size());
    }
}
