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
 * An action of a user on some mails, and its meaning for their senders.
 *
 * @param marked the folder in which the mails were marked, or the mark was cleared; null if they
 *     were moved
 * @param holds returns of a place of a mail whether the deed has put it there. The deed counts for
 *     a mail only as long as it lies in such a place
 */
public record FolderDeed(
        Opinion opinion,
        List<MessageId> mails,
        @Nullable MailboxId marked,
        Predicate<Place> holds) {
    /** Of how many mails an event may be. Nobody has looked at each of more. */
    private static final int MOST_MAILS = 20;

    /** What a user thinks of a sender. */
    enum Opinion {
        /** The sender sends spam. */
        SPAM,
        /** The sender does not send spam. */
        NO_SPAM,
        /** Nothing, whatever the user has said before by moving and marking mails. */
        NONE
    }

    /** Returns whether an event can be a deed. Costs little, since there are many others. */
    public static boolean maybe(Event event) {
        return switch (event) {
            case MessageMoveEvent move -> move.getMessageIds().size() <= MOST_MAILS;
            case FlagsUpdated flags ->
                    flags.getUpdatedFlags().size() <= MOST_MAILS
                            && flags.getUpdatedFlags().stream().anyMatch(FolderDeed::isChange);
            default -> false;
        };
    }

    /**
     * Returns the deeds that an event reports.
     *
     * @throws MailboxException when James cannot say what a folder is
     */
    public static List<FolderDeed> of(Event event, UserFolders folders) throws MailboxException {
        return switch (event) {
            case MessageMoveEvent move -> ofMove(move, folders);
            case FlagsUpdated flags -> ofFlags(flags, folders);
            default -> List.of();
        };
    }

    /** A copy is a move, too, to its folder and to the one where the mail lies already. */
    private static List<FolderDeed> ofMove(MessageMoveEvent move, UserFolders folders)
            throws MailboxException {
        Set<@Nullable Kind> to = kinds(move.getMessageMoves().addedMailboxIds(), folders);
        if (to.contains(Kind.SPAM)) {
            return List.of(ofMove(move, Opinion.SPAM, Kind.SPAM));
        }
        return to.contains(Kind.OTHER)
                        && kinds(move.getMessageMoves().getPreviousMailboxIds(), folders)
                                .contains(Kind.SPAM)
                ? List.of(ofMove(move, Opinion.NO_SPAM, Kind.OTHER))
                : List.of();
    }

    private static FolderDeed ofMove(MessageMoveEvent move, Opinion opinion, Kind where) {
        return new FolderDeed(
                opinion, List.copyOf(move.getMessageIds()), null, place -> place.kind() == where);
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

    private static List<FolderDeed> ofFlags(FlagsUpdated event, UserFolders folders)
            throws MailboxException {
        MailboxId folder = event.getMailboxId();
        boolean isSpam = folders.kind(folder) == Kind.SPAM;
        return List.of(
                new FolderDeed(
                        Opinion.SPAM,
                        ids(event.getUpdatedFlags(), FolderDeed::isMarked),
                        folder,
                        place -> place.folder().equals(folder) && place.isJunk()),
                new FolderDeed(
                        isSpam ? Opinion.NO_SPAM : Opinion.NONE,
                        ids(event.getUpdatedFlags(), FolderDeed::isUnmarked),
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
