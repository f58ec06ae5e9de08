package io.github.senderwhitelist.mailet.learned;

import io.github.senderwhitelist.mailet.learned.UserFolders.Kind;
import io.github.senderwhitelist.mailet.learned.UserFolders.Place;

import jakarta.mail.Flags;

import org.apache.james.events.Event;
import org.apache.james.mailbox.events.MailboxEvents.FlagsUpdated;
import org.apache.james.mailbox.events.MessageMoveEvent;
import org.apache.james.mailbox.exception.MailboxException;
import org.apache.james.mailbox.model.MailboxId;
import org.apache.james.mailbox.model.MessageId;
import org.apache.james.mailbox.model.UpdatedFlags;
import org.jspecify.annotations.Nullable;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * An event in the folders of a user that says what the user thinks of the senders of some mails.
 *
 * @param marked the folder in which the mails were marked, or the mark was cleared; null if they
 *     were moved
 */
public record FolderEvent(
        SpamFeedback feedback, List<MessageId> mails, @Nullable MailboxId marked) {
    /** Of how many mails an event may be. Nobody has looked at each of more. */
    private static final int MAX_MAILS = 20;

    /** Returns whether an event can be such a one. Costs little, since there are many others. */
    public static boolean maybe(Event event) {
        return switch (event) {
            case MessageMoveEvent move -> move.getMessageIds().size() <= MAX_MAILS;
            case FlagsUpdated flags ->
                    flags.getUpdatedFlags().size() <= MAX_MAILS
                            && flags.getUpdatedFlags().stream()
                                    .anyMatch(each -> isNow(each, true) || isNow(each, false));
            default -> false;
        };
    }

    /**
     * Returns what an event says.
     *
     * @throws MailboxException when James cannot say what a folder is
     */
    public static List<FolderEvent> of(Event event, UserFolders folders) throws MailboxException {
        return switch (event) {
            case MessageMoveEvent move -> ofMove(move, folders);
            case FlagsUpdated flags -> ofFlags(flags, folders);
            default -> List.of();
        };
    }

    /**
     * Returns whether the event counts for a mail, of which this is a place: only as long as it
     * lies where the event has put it, with the mark that the event has given it.
     */
    boolean holds(Place place) {
        boolean isSpam = feedback == SpamFeedback.SPAM;
        return marked == null
                ? place.kind() == (isSpam ? Kind.SPAM : Kind.OTHER)
                : place.folder().equals(marked) && place.isJunk() == isSpam;
    }

    /** A copy is a move, too, to its folder and to the one where the mail lies already. */
    private static List<FolderEvent> ofMove(MessageMoveEvent move, UserFolders folders)
            throws MailboxException {
        Set<@Nullable Kind> to = kinds(move.getMessageMoves().addedMailboxIds(), folders);
        List<MessageId> mails = List.copyOf(move.getMessageIds());
        if (to.contains(Kind.SPAM)) {
            return List.of(new FolderEvent(SpamFeedback.SPAM, mails, null));
        }
        return to.contains(Kind.OTHER)
                        && kinds(move.getMessageMoves().getPreviousMailboxIds(), folders)
                                .contains(Kind.SPAM)
                ? List.of(new FolderEvent(SpamFeedback.NOT_SPAM, mails, null))
                : List.of();
    }

    /** Returns the kinds of folders, of which null stands for those of others. */
    private static Set<@Nullable Kind> kinds(Set<MailboxId> ids, UserFolders folders)
            throws MailboxException {
        Set<@Nullable Kind> kinds = new HashSet<>();
        for (MailboxId id : ids) {
            kinds.add(folders.kind(id));
        }
        return kinds;
    }

    private static List<FolderEvent> ofFlags(FlagsUpdated event, UserFolders folders)
            throws MailboxException {
        MailboxId folder = event.getMailboxId();
        boolean isSpam = folders.kind(folder) == Kind.SPAM;
        SpamFeedback cleared = isSpam ? SpamFeedback.NOT_SPAM : SpamFeedback.NONE;
        return List.of(
                new FolderEvent(SpamFeedback.SPAM, mails(event, true), folder),
                new FolderEvent(cleared, mails(event, false), folder));
    }

    /** Returns the mails that are marked now, or no more. */
    private static List<MessageId> mails(FlagsUpdated event, boolean marked) {
        return event.getUpdatedFlags().stream()
                .filter(each -> isNow(each, marked))
                .map(UpdatedFlags::getMessageId)
                .flatMap(Optional::stream)
                .toList();
    }

    /** Returns whether a mail is marked now, or no more, and was otherwise before. */
    private static boolean isNow(UpdatedFlags flags, boolean marked) {
        Flags after = flags.getNewFlags();
        return after.contains(UserFolders.JUNK) == marked
                && flags.getOldFlags().contains(UserFolders.JUNK) != marked;
    }
}
