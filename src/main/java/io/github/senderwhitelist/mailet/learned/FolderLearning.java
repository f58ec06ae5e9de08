package io.github.senderwhitelist.mailet.learned;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.learning.Learner;
import io.github.senderwhitelist.learning.Learner.Learned;
import io.github.senderwhitelist.learning.LearningLimits;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.learned.UserFolders.Kind;
import io.github.senderwhitelist.mailet.mail.HeaderFrom;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.server.ListQuestions;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.CheckParameters;
import io.github.senderwhitelist.mailet.settings.HeaderKey;
import io.github.senderwhitelist.mailet.settings.ListParameters;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;
import io.github.senderwhitelist.mailet.verdict.FromProof;
import io.github.senderwhitelist.mailet.verdict.HeaderSeal;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.Username;
import org.apache.james.mailbox.MailboxManager;
import org.apache.james.mailbox.MessageIdManager;
import org.apache.james.mailbox.events.MessageMoveEvent;
import org.apache.james.mailbox.exception.MailboxException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What is learned when a user moves mails into the spam folder or out of it, with the parameters of
 * that. Where the mails lie is read each time, so a move that comes too late, or was undone
 * meanwhile, teaches nothing. The senders to change are those whose addresses list or are denied,
 * such as the one without a tag.
 */
public final class FolderLearning {
    private static final Logger LOGGER = LoggerFactory.getLogger(FolderLearning.class);
    private static final String TRASH = "trashFolder";
    private static final ValueType<Set<String>> FOLDERS =
            new ValueType<>(FolderLearning::folders, "names of folders, separated by commas");

    private final SharedLists shared;
    private final MessageIdManager messages;
    private final MailboxManager mailboxes;
    private final String list;
    private final LearningLimits limits;
    private final Set<String> spam;
    private final Set<String> trash;
    private final FromProof proof;
    private final Subaddressing subaddressing;
    private final ListQuestions questions;

    /** Reads the parameters of a listener, which has no others. */
    public FolderLearning(
            Parameters parameters,
            SharedLists shared,
            MessageIdManager messages,
            MailboxManager mailboxes)
            throws SettingException {
        this.shared = shared;
        this.messages = messages;
        this.mailboxes = mailboxes;
        list = ListParameters.changed(parameters, shared.named()).name();
        spam = parameters.value("spamFolder", FOLDERS, "Spam");
        trash = parameters.value(TRASH, FOLDERS, "Trash");
        for (String folder : trash) {
            if (spam.contains(folder)) {
                throw parameters.wrong(TRASH, folder, "folders that are not spam folders");
            }
        }
        limits = ListParameters.limits(parameters);
        proof = new FromProof(new HeaderSeal(HeaderKey.read(parameters)));
        subaddressing = CheckParameters.subaddressing(parameters);
        parameters.refuseUnread();
        questions = new ListQuestions(shared, subaddressing);
    }

    /** Returns names of folders in lower case; empty if one is blank. */
    private static Optional<Set<String>> folders(String text) {
        Set<String> folders = new LinkedHashSet<>();
        for (String folder : text.split(",", -1)) {
            folders.add(folder.strip().toLowerCase(Locale.ROOT));
        }
        return folders.contains("") ? Optional.empty() : Optional.of(folders);
    }

    /** Returns the name of the list to change. */
    public String list() {
        return list;
    }

    /**
     * Returns what is to be learned from a move of mails by a user; null if that is nothing.
     *
     * @throws MailboxException when James cannot say what the folders are
     */
    public LearningQueue.@Nullable Work of(MessageMoveEvent move, Address user)
            throws MailboxException {
        try (UserFolders folders = open(move.getUsername())) {
            Kind kind = folders.kindOf(move);
            return kind == null ? null : () -> learn(move, user, kind);
        } catch (RuntimeException e) {
            throw new MailboxException("James cannot say what its folders are: " + e, e);
        }
    }

    private UserFolders open(Username user) {
        return new UserFolders(messages, mailboxes, spam, trash, user);
    }

    private Learned learn(MessageMoveEvent move, Address user, Kind kind) throws IOException {
        LivingList open = shared.living(list);
        if (open == null) {
            throw new IOException(
                    "the list "
                            + list
                            + " is not open; name it in the parameter whitelist of a mailet or"
                            + " matcher that judges, too");
        }
        Learner learner = new Learner(open, limits, shared.clock());
        int added = 0;
        int refused = 0;
        for (List<Address> sender : senders(move, user, kind)) {
            LOGGER.debug("{}: {}: {}", user, kind, sender);
            Set<Key> keys = new LinkedHashSet<>();
            for (Address address : sender) {
                keys.addAll(address.addressKeys(subaddressing));
            }
            List<Key> all = List.copyOf(keys);
            Learned learned =
                    kind == Kind.SPAM
                            ? learner.deny(user.key(), listing(all, user.key()))
                            : learner.rescue(user.key(), all);
            added += learned.added();
            refused += learned.refused();
        }
        return new Learned(added, refused);
    }

    /** Returns the addresses that list a sender for a user; the first if there are none. */
    private List<Key> listing(List<Key> sender, Key user) {
        Set<Key> listing = new LinkedHashSet<>();
        for (Key key : sender) {
            try {
                questions.listing(key, user).stream()
                        .map(Entry::key)
                        .filter(each -> !each.isDomain())
                        .forEach(listing::add);
            } catch (IOException e) {
                LOGGER.debug("{}: {}: not all lists can be asked", user, key, e);
            }
        }
        return listing.isEmpty() ? List.of(sender.getFirst()) : List.copyOf(listing);
    }

    /**
     * Returns the senders of those mails that lie where the user has moved them: the address in
     * From: and, if it is another one that was confirmed, too, that of the envelope.
     */
    private Set<List<Address>> senders(MessageMoveEvent move, Address user, Kind kind)
            throws IOException {
        Set<List<Address>> senders = new LinkedHashSet<>();
        try (UserFolders folders = open(move.getUsername())) {
            for (MimeMessage mail : folders.mails(move.getMessageIds(), kind)) {
                try {
                    List<Address> sender = sender(mail, user, kind == Kind.SPAM);
                    if (sender.isEmpty()) {
                        LOGGER.debug("{}: {}: nothing is learned from a mail", user, kind);
                    } else {
                        senders.add(sender);
                    }
                } catch (Throwable e) {
                    Harmless.log("Reading the sender of a mail in a folder", e);
                }
            }
        } catch (MailboxException | RuntimeException e) {
            throw new IOException("James cannot read the mails: " + e.getMessage(), e);
        }
        return senders;
    }

    /**
     * Returns the addresses of a mail's sender. Returns none if the mail teaches nothing: it has
     * the null sender, or not one mailbox in From:, or nothing proves that it came from there
     * though that is needed. James stores headers in ASCII, with a question mark for every other
     * byte.
     */
    private List<Address> sender(MimeMessage mail, Address user, boolean needsProof)
            throws MessagingException {
        Address from = HeaderFrom.mailbox(mail);
        if (from == null || from.local().indexOf('?') >= 0 || FromProof.hasNullSender(mail)) {
            return List.of();
        }
        List<Address> proven = proof.addresses(mail, from, user);
        return proven.isEmpty() && !needsProof ? List.of(from) : proven;
    }
}
