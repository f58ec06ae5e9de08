package io.github.senderwhitelist.mailet.learned;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.Username;
import org.apache.james.mailbox.MailboxManager;
import org.apache.james.mailbox.MailboxSession;
import org.apache.james.mailbox.MessageIdManager;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The folders of a user and the mails in them, as James has them now. Reads them when asked. */
public final class UserFolders implements AutoCloseable {
    /** The mark that mail programs give to spam. Flags ignore the case of letters. */
    static final String JUNK = "$Junk";

    /** What a folder is for. */
    enum Kind {
        SPAM,
        TRASH,
        OTHER
    }

    /**
     * A folder that a mail lies in.
     *
     * @param isJunk whether the mail is marked as spam in this folder
     */
    record Place(MailboxId folder, Kind kind, boolean isJunk) {}

    private final MessageIdManager messages;
    private final MailboxManager mailboxes;
    private final FolderParameters parameters;
    private final MailboxSession session;

    /** Opens the folders of a user in the user's name. */
    public UserFolders(
            MessageIdManager messages,
            MailboxManager mailboxes,
            FolderParameters parameters,
            Username user) {
        this.messages = messages;
        this.mailboxes = mailboxes;
        this.parameters = parameters;
        this.session = mailboxes.createSystemSession(user);
        mailboxes.startProcessingRequest(session);
    }

    /**
     * Returns what a folder is for. Returns null when it belongs to somebody else, or is gone.
     *
     * @throws MailboxException when James cannot say
     */
    @Nullable Kind kind(MailboxId folder) throws MailboxException {
        MailboxPath path;
        try {
            path = mailboxes.getMailbox(folder, session).getMailboxPath();
        } catch (MailboxNotFoundException e) {
            return null;
        } catch (RuntimeException e) {
            throw new MailboxException("a folder cannot be found: " + e, e);
        }
        if (!path.belongsTo(session)) {
            return null;
        }
        String name = path.getName().toLowerCase(Locale.ROOT);
        return isIn(parameters.spam(), name)
                ? Kind.SPAM
                : isIn(parameters.trash(), name) ? Kind.TRASH : Kind.OTHER;
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
     * Returns those mails of an event, without their content, for which it still counts.
     *
     * @throws MailboxException when James cannot read them
     */
    List<MimeMessage> mails(FolderEvent event) throws MailboxException {
        Map<MessageId, MimeMessage> mails = new LinkedHashMap<>();
        for (MessageResult found : find(event.mails())) {
            MailboxId folder = found.getMailboxId();
            Kind kind = kind(folder);
            if (kind != null
                    && event.holds(new Place(folder, kind, found.getFlags().contains(JUNK)))
                    && !mails.containsKey(found.getMessageId())) {
                mails.put(found.getMessageId(), headers(found));
            }
        }
        return List.copyOf(mails.values());
    }

    private List<MessageResult> find(List<MessageId> ids) throws MailboxException {
        try {
            return messages.getMessages(ids, FetchGroup.HEADERS, session);
        } catch (RuntimeException e) {
            throw new MailboxException("mails cannot be found: " + e, e);
        }
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
