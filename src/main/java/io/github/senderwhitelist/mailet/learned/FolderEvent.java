package io.github.senderwhitelist.mailet.learned;

import io.github.senderwhitelist.mailet.mail.FiledMail;
import io.github.senderwhitelist.mailet.mail.FiledMail.Kind;
import io.github.senderwhitelist.mailet.mail.FiledMail.Place;

import org.apache.james.events.Event;
import org.apache.james.mailbox.events.MailboxEvents.FlagsUpdated;
import org.apache.james.mailbox.events.MessageMoveEvent;
import org.apache.james.mailbox.exception.MailboxException;
import org.apache.james.mailbox.model.MailboxId;
import org.apache.james.mailbox.model.MessageId;
import org.apache.james.mailbox.model.UpdatedFlags;
import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * An event in the folders of a user that says what the user thinks of the senders of some mails.
 *
 * @param feedback what the user thinks of the senders
 * @param mails the mails
 * @param marked the folder in which the mails were marked, or the mark was cleared; null if they
 *     were moved
 * @param holds returns of a place of a mail whether the event has put it there. The event counts
 *     for a mail only as long as it lies in such a place
 */
public record FolderEvent(
        SpamFeedback feedback,
        List<MessageId> mails,
        @Nullable MailboxId marked,
        Predicate<Place> holds) {
    /** Of how many mails an event may be. Nobody has looked at each of more. */
    private static final int MAX_MAILS = 20;

    /** Returns whether an event can be such a one. Costs little, since there are many others. */
    public static boolean maybe(Event event) {
        return switch (event) {
            case MessageMoveEvent move -> move.getMessageIds().size() <= MAX_MAILS;
            case FlagsUpdated flags ->
                    flags.getUpdatedFlags().size() <= MAX_MAILS
                            && flags.getUpdatedFlags().stream().anyMatch(FolderEvent::isChange);
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

    /** A copy is a move, too, to its folder and to the one where the mail lies already. */
    private static List<FolderEvent> ofMove(MessageMoveEvent move, UserFolders folders)
            throws MailboxException {
        Set<@Nullable Kind> to = kinds(move.getMessageMoves().addedMailboxIds(), folders);
        if (to.contains(Kind.SPAM)) {
            return List.of(ofMove(move, SpamFeedback.SPAM, Kind.SPAM));
        }
        return to.contains(Kind.OTHER)
                        && kinds(move.getMessageMoves().getPreviousMailboxIds(), folders)
                                .contains(Kind.SPAM)
                ? List.of(ofMove(move, SpamFeedback.NOT_SPAM, Kind.OTHER))
                : List.of();
    }

    private static FolderEvent ofMove(MessageMoveEvent move, SpamFeedback feedback, Kind where) {
        return new FolderEvent(
                feedback, List.copyOf(move.getMessageIds()), null, place -> place.kind() == where);
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
        return List.of(
                new FolderEvent(
                        SpamFeedback.SPAM,
                        ids(event.getUpdatedFlags(), FolderEvent::isMarked),
                        folder,
                        place -> place.folder().equals(folder) && place.isJunk()),
                new FolderEvent(
                        isSpam ? SpamFeedback.NOT_SPAM : SpamFeedback.NONE,
                        ids(event.getUpdatedFlags(), FolderEvent::isUnmarked),
                        folder,
                        place -> place.folder().equals(folder) && !place.isJunk()));
    }

    private static List<MessageId> ids(
            Collection<UpdatedFlags> flags, Predicate<UpdatedFlags> which) {
        return flags.stream()
                .filter(which)
                .map(UpdatedFlags::getMessageId)
                .flatMap(Optional::stream)
                .toList();
    }

    private static boolean isChange(UpdatedFlags flags) {
        return isMarked(flags) || isUnmarked(flags);
    }

    private static boolean isMarked(UpdatedFlags flags) {
        return flags.getNewFlags().contains(FiledMail.JUNK)
                && !flags.getOldFlags().contains(FiledMail.JUNK);
    }

    private static boolean isUnmarked(UpdatedFlags flags) {
        return flags.getOldFlags().contains(FiledMail.JUNK)
                && !flags.getNewFlags().contains(FiledMail.JUNK);
    }
}
