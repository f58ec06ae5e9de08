package io.github.senderwhitelist.mailet.learned;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.mailet.mail.FiledMail;
import io.github.senderwhitelist.mailet.mail.HeaderFrom;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.verdict.FromProof;
import io.github.senderwhitelist.mailet.verdict.HeaderSeal;

import jakarta.mail.MessagingException;

import org.apache.james.mailbox.exception.MailboxException;
import org.apache.james.mailbox.model.MailboxId;
import org.apache.james.mailbox.model.MessageId;
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
    private final HeaderSeal seal;
    private final Supplier<UserFolders> folders;
    private final FolderEvent event;
    private final Address user;

    /** The addresses to change of each sender, as found when this was first tried. */
    private final Map<List<Address>, List<Key>> keys = new HashMap<>();

    /**
     * Makes a task.
     *
     * @param writer writes down what is learned
     * @param seal the seal of the headers that are believed
     * @param folders opens the user's folders
     * @param user the user's address
     */
    public FolderLearningTask(
            FeedbackWriter writer,
            HeaderSeal seal,
            Supplier<UserFolders> folders,
            FolderEvent event,
            Address user) {
        this.writer = writer;
        this.seal = seal;
        this.folders = folders;
        this.event = event;
        this.user = user;
    }

    /** What events have in common of which only one needs to be looked at. */
    private record Subject(
            SpamFeedback feedback, List<MessageId> mails, @Nullable MailboxId marked) {}

    @Override
    public Key user() {
        return user.key();
    }

    @Override
    public Object about() {
        return new Subject(event.feedback(), event.mails(), event.marked());
    }

    @Override
    public Duration rest() {
        return writer.rest(user.key());
    }

    @Override
    public void write() throws IOException {
        writer.requireList();
        for (List<Address> sender : senders()) {
            LOGGER.debug("{}: {}: {}", user, event.feedback(), sender);
            List<Key> changed = keys.get(sender);
            if (changed == null) {
                changed = writer.keys(user, sender, event.feedback());
                keys.put(sender, changed);
            }
            writer.write(user.key(), sender.getFirst().key(), changed, event.feedback());
        }
    }

    /**
     * Returns the senders of those mails that lie where the event has put them, by all addresses.
     */
    private Set<List<Address>> senders() throws IOException {
        List<FiledMail> mails;
        try (UserFolders open = folders.get()) {
            mails = open.mails(event.mails());
        } catch (MailboxException e) {
            throw new IOException("James cannot read the mails: " + e.getMessage(), e);
        }
        Set<List<Address>> senders = new LinkedHashSet<>();
        for (FiledMail mail : mails) {
            if (mail.places.stream().anyMatch(event.holds())) {
                try {
                    Address sender = sender(mail);
                    if (sender != null) {
                        senders.add(addresses(mail, sender));
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
        if (from.local().indexOf('?') >= 0) {
            // James stores headers in ASCII, with a question mark for every other byte.
            return nothing("James may not have stored its header From: as it was");
        }
        if (FromProof.hasNullSender(mail.headers)) {
            return nothing("it has the null sender");
        }
        if (event.feedback() == SpamFeedback.SPAM
                && !new FromProof(seal).holds(mail.headers, from, user)) {
            return nothing("nothing proves that it came from " + from);
        }
        return from;
    }

    /** Returns the address in From: and, if it is another one, that of the envelope. */
    private List<Address> addresses(FiledMail mail, Address from) throws MessagingException {
        Address envelope = new FromProof(seal).otherEnvelope(mail.headers, from, user);
        return envelope == null ? List.of(from) : List.of(from, envelope);
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
