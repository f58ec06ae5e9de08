package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.mailet.mail.MailAuthentication;
import io.github.senderwhitelist.mailet.verdict.HeaderSeal;
import io.github.senderwhitelist.mailet.verdict.VerdictHeader;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.mailbox.MailboxManager;
import org.apache.james.mailbox.MailboxSession;
import org.apache.james.mailbox.MessageIdManager;
import org.apache.james.mailbox.exception.MailboxException;
import org.apache.james.mailbox.exception.MailboxNotFoundException;
import org.apache.james.mailbox.model.FetchGroup;
import org.apache.james.mailbox.model.MailboxId;
import org.apache.james.mailbox.model.MailboxPath;
import org.apache.james.mailbox.model.MessageId;
import org.apache.james.mailbox.model.MessageMoves;
import org.apache.james.mailbox.model.MessageResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The folders of a user and the mails in them, as James has them now. Reads them when asked.
 *
 * @param session a session in the user's name, which ends with this
 */
record UserFolders(
        MessageIdManager messages,
        MailboxManager mailboxes,
        Names names,
        Address user,
        MailboxSession session)
        implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(UserFolders.class);

    enum Kind {
        SPAM,
        OTHER
    }

    /** The names of spam folders and of trash folders, in lower case. */
    record Names(Set<String> spam, Set<String> trash) {}

    /**
     * Returns to what kind of folders mails were moved, if that says something of their senders: to
     * those for spam, or from those to others. Returns null if it says nothing. A copy is a move,
     * too, to its folder and to the one where the mail lies already.
     */
    @Nullable Kind kindOf(MessageMoves moves) throws MailboxException {
        boolean wasSpam = hasAny(Kind.SPAM, moves.getPreviousMailboxIds());
        if (hasAny(Kind.SPAM, moves.addedMailboxIds())) {
            return wasSpam ? null : Kind.SPAM;
        }
        return wasSpam && hasAny(Kind.OTHER, moves.addedMailboxIds()) ? Kind.OTHER : null;
    }

    private boolean hasAny(Kind kind, Collection<MailboxId> folders) throws MailboxException {
        for (MailboxId folder : folders) {
            if (kind(folder) == kind) {
                return true;
            }
        }
        return false;
    }

    /** Returns what a folder is for; null for the trash, or when it is somebody else's or gone. */
    private @Nullable Kind kind(MailboxId folder) throws MailboxException {
        MailboxPath path;
        try {
            path = mailboxes.getMailbox(folder, session).getMailboxPath();
        } catch (MailboxNotFoundException e) {
            return null;
        }
        if (!path.belongsTo(session) || isIn(names.trash, path)) {
            return null;
        }
        return isIn(names.spam, path) ? Kind.SPAM : Kind.OTHER;
    }

    private boolean isIn(Set<String> folders, MailboxPath path) {
        char delimiter = session.getPathDelimiter();
        String name = path.getName().toLowerCase(Locale.ROOT) + delimiter;
        return folders.stream().anyMatch(folder -> name.startsWith(folder + delimiter));
    }

    /**
     * Returns the senders of those mails that lie in folders of a kind: the address in From: and,
     * if it is another one that was confirmed, too, that of the envelope.
     */
    Set<List<Address>> senders(Collection<MessageId> mails, Kind kind, HeaderSeal seal)
            throws MailboxException {
        Set<List<Address>> senders = new LinkedHashSet<>();
        for (MessageResult mail : messages.getMessages(mails, FetchGroup.HEADERS, session)) {
            if (kind(mail.getMailboxId()) == kind) {
                try (InputStream header = mail.getHeaders().getInputStream()) {
                    senders.add(sender(new MimeMessage((Session) null, header), kind, seal));
                } catch (IOException | MessagingException e) {
                    throw new MailboxException("the header of a mail cannot be read: " + e, e);
                }
            }
        }
        if (senders.remove(List.<Address>of())) {
            LOGGER.debug("{}: {}: nothing is learned from a mail", user, kind);
        }
        return senders;
    }

    /**
     * Returns the addresses of a mail's sender. Returns none if the mail teaches nothing: it has
     * the null sender, or not one mailbox in From:, or lies among spam and nothing proves that it
     * came from there. James stores headers in ASCII, with a question mark for every other byte.
     */
    private List<Address> sender(MimeMessage mail, Kind kind, HeaderSeal seal)
            throws MessagingException {
        Address from = MailAuthentication.mailbox(mail);
        if (from == null
                || from.local().indexOf('?') >= 0
                || VerdictHeader.returnPath(mail).equals("<>")) {
            return List.of();
        }
        List<Address> proven = VerdictHeader.confirmedSenders(mail, from, user, seal);
        return proven.isEmpty() && kind == Kind.OTHER ? List.of(from) : proven;
    }

    @Override
    public void close() {
        mailboxes.endProcessingRequest(session);
    }
}
