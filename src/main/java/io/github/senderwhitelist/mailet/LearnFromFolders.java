package io.github.senderwhitelist.mailet;

import com.google.common.collect.Sets;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.learning.Learner;
import io.github.senderwhitelist.learning.Learner.Learned;
import io.github.senderwhitelist.learning.LearningLimits;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.UserFolders.Kind;
import io.github.senderwhitelist.mailet.mail.MissingResults;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.CheckParameters;
import io.github.senderwhitelist.mailet.settings.ListParameters;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;
import io.github.senderwhitelist.mailet.verdict.HeaderSeal;

import jakarta.inject.Inject;

import org.apache.commons.configuration2.HierarchicalConfiguration;
import org.apache.commons.configuration2.tree.ImmutableNode;
import org.apache.james.events.Event;
import org.apache.james.events.EventListener;
import org.apache.james.events.Group;
import org.apache.james.mailbox.MailboxManager;
import org.apache.james.mailbox.MailboxSession;
import org.apache.james.mailbox.MessageIdManager;
import org.apache.james.mailbox.events.GenericGroup;
import org.apache.james.mailbox.events.MessageMoveEvent;
import org.apache.james.mailbox.exception.MailboxException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A mailbox listener that learns from mails that users move out of their spam folder and into it.
 * Whom a user takes out of the folder is listed for that user, and for nobody else, when SPF or
 * DKIM confirms the address. Whom a user puts into it is denied for that user, if the mail was
 * confirmed. The addresses to change are those that list the sender or are denied, such as the one
 * without a tag.
 *
 * <pre>{@code
 * <listener>
 *   <class>io.github.senderwhitelist.mailet.LearnFromFolders</class>
 *   <configuration>
 *     <list>own</list>
 *     <spamFolder>Spam</spamFolder>
 *     <trashFolder>Trash</trashFolder>
 *   </configuration>
 * </listener>
 * }</pre>
 *
 * <p>Events may come twice, late, or in another order. So an event only says which mails to look
 * at, and counts for nothing when a mail no longer lies where the event has put it.
 *
 * <p>James holds a user's command up until its listeners have returned, and tried again eight times
 * if they fail, also asynchronous ones if there is one server only. So this only finds out what the
 * folders of an event are; all else is done on a thread of its own. James has no call by which a
 * listener could give the list back, so the mailet that asks it holds it open. Whenever a mailet
 * gives it back, all that waits is written before.
 */
public class LearnFromFolders implements EventListener.GroupEventListener {
    private static final String NAME = "LearnFromFolders";
    private static final Logger LOGGER = LoggerFactory.getLogger(LearnFromFolders.class);

    /** How many mails may be moved at once. Nobody has looked at each of more. */
    private static final int MAX_MAILS = 20;

    private static final ValueType<Set<String>> FOLDERS =
            new ValueType<>(LearnFromFolders::folders, "names of folders, separated by commas");

    private final SharedLists shared;
    private final MessageIdManager messages;
    private final MailboxManager mailboxes;
    private final String list;
    private final UserFolders.Names names;
    private final LearningLimits limits;
    private final HeaderSeal seal;
    private final Subaddressing subaddressing;

    @Inject
    public LearnFromFolders(
            SharedLists shared,
            MessageIdManager messages,
            MailboxManager mailboxes,
            HierarchicalConfiguration<ImmutableNode> configuration) {
        this(shared, messages, mailboxes, shared.named().parameters(NAME, values(configuration)));
        // By the configuration: which mailets run is not known yet, as James starts them later.
        MissingResults.warnWithoutHeader(NAME, shared.named().configuration());
    }

    LearnFromFolders(
            SharedLists shared,
            MessageIdManager messages,
            MailboxManager mailboxes,
            Parameters parameters) {
        this.shared = shared;
        this.messages = messages;
        this.mailboxes = mailboxes;
        try {
            list = ListParameters.changed(parameters, shared.named()).name();
            names = names(parameters);
            limits = ListParameters.limits(parameters);
            seal = HeaderSeal.of(parameters);
            subaddressing = CheckParameters.subaddressing(parameters);
            parameters.refuseUnread();
        } catch (SettingException e) {
            // The injector of James 3.8 hides it.
            LOGGER.error("conf/listeners.xml: {}. James does not start", e.getMessage());
            throw e;
        }
    }

    static Map<String, String> values(HierarchicalConfiguration<ImmutableNode> configuration) {
        Map<String, String> values = new HashMap<>();
        for (Iterator<String> keys = configuration.getKeys(); keys.hasNext(); ) {
            String key = keys.next();
            values.put(key, String.join(",", configuration.getList(String.class, key)));
        }
        return values;
    }

    private static UserFolders.Names names(Parameters parameters) {
        Set<String> spam = parameters.value("spamFolder", FOLDERS, "Spam");
        Set<String> trash = parameters.value("trashFolder", FOLDERS, "Trash");
        for (String folder : Sets.intersection(trash, spam)) {
            throw parameters.wrong("trashFolder", folder, "folders that are not spam folders");
        }
        return new UserFolders.Names(spam, trash);
    }

    /** Returns names of folders in lower case; empty if one is blank. */
    private static Optional<Set<String>> folders(String text) {
        return Optional.of(text.toLowerCase(Locale.ROOT).split(",", -1))
                .map(names -> Stream.of(names).map(String::strip).collect(Collectors.toSet()))
                .filter(names -> !names.contains(""));
    }

    /** Returns a group of James' own class, since James could load none of ours by its name. */
    @Override
    public Group getDefaultGroup() {
        return new GenericGroup("sender-whitelist-" + list);
    }

    @Override
    public boolean isHandling(Event event) {
        return event instanceof MessageMoveEvent move && move.getMessageIds().size() <= MAX_MAILS;
    }

    /**
     * Learns from an event. If James cannot say what the folders are, it calls again some times,
     * and keeps the event among its dead letters in the end.
     */
    @Override
    public void event(Event event) throws MailboxException {
        if (!isHandling(event)
                || !(event instanceof MessageMoveEvent move)
                || !(AddressSyntax.parse(event.getUsername().asString()) instanceof Address user)) {
            return;
        }
        try (UserFolders folders = open(move, user)) {
            Kind kind = folders.kindOf(move.getMessageMoves());
            if (kind != null) {
                int mails = move.getMessageIds().size();
                shared.learning(list).add(user.key(), mails, () -> learn(move, user, kind));
            }
        } catch (RuntimeException e) {
            throw new MailboxException("James cannot say what its folders are: " + e, e);
        } catch (Error e) {
            Harmless.log("Learning from a folder", e);
        }
    }

    private UserFolders open(MessageMoveEvent move, Address user) {
        MailboxSession session = mailboxes.createSystemSession(move.getUsername());
        mailboxes.startProcessingRequest(session);
        return new UserFolders(messages, mailboxes, names, user, session);
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
            List<Key> keys =
                    sender.stream()
                            .flatMap(address -> address.addressKeys(subaddressing).stream())
                            .distinct()
                            .toList();
            Learned learned =
                    kind == Kind.SPAM
                            ? learner.deny(user.key(), listing(keys, user.key()))
                            : learner.rescue(user.key(), keys);
            added += learned.added();
            refused += learned.refused();
        }
        return new Learned(added, refused);
    }

    private Set<List<Address>> senders(MessageMoveEvent move, Address user, Kind kind)
            throws IOException {
        try (UserFolders folders = open(move, user)) {
            return folders.senders(move.getMessageIds(), kind, seal);
        } catch (MailboxException | RuntimeException e) {
            throw new IOException("James cannot read the mails: " + e.getMessage(), e);
        }
    }

    /** Returns the addresses that list a sender for a user; the first if there are none. */
    private List<Key> listing(List<Key> sender, Key user) {
        Set<Key> listing = new LinkedHashSet<>();
        for (Key key : sender) {
            try {
                shared.listing(key, user, subaddressing).stream()
                        .map(Entry::key)
                        .filter(each -> !each.isDomain())
                        .forEach(listing::add);
            } catch (IOException e) {
                LOGGER.debug("{}: {}: not all lists can be asked", user, key, e);
            }
        }
        return listing.isEmpty() ? List.of(sender.getFirst()) : List.copyOf(listing);
    }
}
