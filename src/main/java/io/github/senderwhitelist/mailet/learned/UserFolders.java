package io.github.senderwhitelist.mailet.learned;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.Username;
import org.apache.james.mailbox.MailboxManager;
import org.apache.james.mailbox.MailboxSession;
import org.apache.james.mailbox.MessageIdManager;
import org.apache.james.mailbox.events.MessageMoveEvent;
import org.apache.james.mailbox.exception.MailboxException;
import org.apache.james.mailbox.exception.MailboxNotFoundException;
import org.apache.james.mailbox.model.FetchGroup;
import org.apache.james.mailbox.model.MailboxId;
import org.apache.james.mailbox.model.MailboxPath;
import org.apache.james.mailbox.model.MessageId;
import org.apache.james.mailbox.model.MessageResult;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The folders of a user and the mails in them, as James has them now. Reads them when asked. */
final class UserFolders implements AutoCloseable {
    /** What a folder is for. */
    enum Kind {
        SPAM,
        OTHER
    }

    private final MessageIdManager messages;
    private final MailboxManager mailboxes;
    private final Set<String> spam;
    private final Set<String> trash;
    private final MailboxSession session;

    /**
     * Opens the folders of a user in the user's name.
     *
     * @param spam the names of spam folders in lower case
     * @param trash the names of trash folders in lower case
     */
    UserFolders(
            MessageIdManager messages,
            MailboxManager mailboxes,
            Set<String> spam,
            Set<String> trash,
            Username user) {
        this.messages = messages;
        this.mailboxes = mailboxes;
        this.spam = spam;
        this.trash = trash;
        this.session = mailboxes.createSystemSession(user);
        mailboxes.startProcessingRequest(session);
    }

    /**
     * Returns to what kind of folders mails were moved, if that says something of their senders: to
     * those for spam, or from those to others. Returns null if it says nothing. A copy is a move,
     * too, to its folder and to the one where the mail lies already.
     *
     * @throws MailboxException when James cannot say what a folder is
     */
    @Nullable Kind kindOf(MessageMoveEvent move) throws MailboxException {
        Set<@Nullable Kind> to = kinds(move.getMessageMoves().addedMailboxIds());
        boolean wasSpam = kinds(move.getMessageMoves().getPreviousMailboxIds()).contains(Kind.SPAM);
        if (to.contains(Kind.SPAM)) {
            return wasSpam ? null : Kind.SPAM;
        }
        return to.contains(Kind.OTHER) && wasSpam ? Kind.OTHER : null;
    }

    private Set<@Nullable Kind> kinds(Collection<MailboxId> folders) throws MailboxException {
        Set<@Nullable Kind> kinds = new HashSet<>();
        for (MailboxId folder : folders) {
            kinds.add(kind(folder));
        }
        return kinds;
    }

    /** Returns what a folder is for; null for the trash, or when it is somebody else's or gone. */
    private @Nullable Kind kind(MailboxId folder) throws MailboxException {
        MailboxPath path;
        try {
            path = mailboxes.getMailbox(folder, session).getMailboxPath();
        } catch (MailboxNotFoundException e) {
            return null;
        }
        String name = path.getName().toLowerCase(Locale.ROOT);
        if (!path.belongsTo(session) || isIn(trash, name)) {
            return null;
        }
        return isIn(spam, name) ? Kind.SPAM : Kind.OTHER;
    }

    /** Returns whether a folder is one of these, or lies in one. */
    private boolean isIn(Set<String> folders, String name) {
        return folders.stream()
                .anyMatch(
                        each ->
                                name.equals(each)
                                        || name.startsWith(each + session.getPathDelimiter()));
    }

    /**
     * Returns those mails, without their content, that lie in folders of a kind.
     *
     * @throws MailboxException when James cannot read them
     */
    List<MimeMessage> mails(Collection<MessageId> ids, Kind kind) throws MailboxException {
        Map<MessageId, MimeMessage> mails = new LinkedHashMap<>();
        for (MessageResult found : messages.getMessages(ids, FetchGroup.HEADERS, session)) {
            if (kind(found.getMailboxId()) == kind) {
                mails.putIfAbsent(found.getMessageId(), headers(found));
            }
        }
        return List.copyOf(mails.values());
    }

    private static MimeMessage headers(MessageResult found) throws MailboxException {
        try (InputStream in = found.getHeaders().getInputStream()) {
            return new MimeMessage((Session) null, in);
        } catch (IOException | MessagingException e) {
            throw new MailboxException("the header of a mail cannot be read: " + e, e);
        }
    }

    @Override
    public void close() {
        mailboxes.endProcessingRequest(session);
    }
}
