package io.github.senderwhitelist.mailet.learned;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.mailet.learned.FolderDeed.Opinion;
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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * An action of a user that shows what the user thinks of the senders of some mails. Where the mails
 * lie is read again each time this is tried, so a deed that was undone meanwhile teaches nothing.
 */
public final class FolderLesson implements LearningQueue.Task {
    private static final Logger LOGGER = LoggerFactory.getLogger(FolderLesson.class);

    private final UserOpinions opinions;
    private final HeaderSeal seal;
    private final Supplier<UserFolders> folders;
    private final FolderDeed deed;
    private final Address user;

    /**
     * Makes a lesson.
     *
     * @param opinions writes down what is learned
     * @param seal the seal of the headers that are believed
     * @param folders opens the user's folders
     * @param user the user's address
     */
    public FolderLesson(
            UserOpinions opinions,
            HeaderSeal seal,
            Supplier<UserFolders> folders,
            FolderDeed deed,
            Address user) {
        this.opinions = opinions;
        this.seal = seal;
        this.folders = folders;
        this.deed = deed;
        this.user = user;
    }

    /**
     * What deeds have in common of which only the last needs to be looked at. Not all deeds with
     * the same mails: events may come in another order, and only one of them may still hold.
     */
    private record Subject(Opinion opinion, List<MessageId> mails, @Nullable MailboxId marked) {}

    @Override
    public Key user() {
        return user.key();
    }

    @Override
    public Object about() {
        return new Subject(deed.opinion(), deed.mails(), deed.marked());
    }

    @Override
    public void write() throws IOException {
        opinions.requireList();
        for (List<Address> sender : senders()) {
            opinions.add(user, sender, deed.opinion(), deed.marked() != null);
        }
    }

    /**
     * Returns the senders of those mails that lie where the deed has put them, by all addresses.
     */
    private Set<List<Address>> senders() throws IOException {
        List<FiledMail> mails;
        try (UserFolders open = folders.get()) {
            mails = open.mails(deed.mails());
        } catch (MailboxException e) {
            throw new IOException("James cannot read the mails: " + e.getMessage(), e);
        }
        Set<List<Address>> senders = new LinkedHashSet<>();
        for (FiledMail mail : mails) {
            if (mail.places.stream().anyMatch(deed.holds())) {
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
        if (deed.opinion() == Opinion.SPAM
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
        LOGGER.debug("{}: {}: a mail teaches nothing: {}", user, deed.opinion(), why);
        return null;
    }

    @Override
    public void failed() {
        opinions.notLearned(deed.mails().size());
    }
}
