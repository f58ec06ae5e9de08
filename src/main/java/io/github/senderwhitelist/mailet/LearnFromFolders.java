package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.mailet.learned.FolderLearning;
import io.github.senderwhitelist.mailet.learned.LearningQueue;
import io.github.senderwhitelist.mailet.mail.MissingResults;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;

import jakarta.inject.Inject;
import jakarta.mail.MessagingException;

import org.apache.commons.configuration2.HierarchicalConfiguration;
import org.apache.commons.configuration2.tree.ImmutableNode;
import org.apache.james.events.Event;
import org.apache.james.events.EventListener;
import org.apache.james.events.Group;
import org.apache.james.filesystem.api.FileSystem;
import org.apache.james.mailbox.MailboxManager;
import org.apache.james.mailbox.MessageIdManager;
import org.apache.james.mailbox.events.GenericGroup;
import org.apache.james.mailbox.events.MessageMoveEvent;
import org.apache.james.mailbox.exception.MailboxException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;

/**
 * A mailbox listener that learns from mails that users move out of their spam folder and into it.
 * Whom a user takes out of the folder is listed for that user, and for nobody else, when SPF or
 * DKIM confirms the address. Whom a user puts into it is denied for that user, if the mail was
 * confirmed.
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
 * if they fail; with one server also those that say of themselves that they are asynchronous. So
 * this only finds out what the folders of an event are; all else is done on a thread of its own.
 * James has no call by which a listener could give the list back. So the list is not held open
 * here: the mailet that asks it does that. Whenever a mailet gives it back, all that waits is
 * written before.
 */
public class LearnFromFolders implements EventListener.GroupEventListener {
    private static final String NAME = "LearnFromFolders";
    private static final Logger LOGGER = LoggerFactory.getLogger(LearnFromFolders.class);

    /** How many mails may be moved at once. Nobody has looked at each of more. */
    private static final int MAX_MAILS = 20;

    private final FolderLearning learning;
    private final LearningQueue queue;

    /** Called by James' injector. */
    @Inject
    public LearnFromFolders(
            FileSystem files,
            SharedLists shared,
            MessageIdManager messages,
            MailboxManager mailboxes,
            HierarchicalConfiguration<ImmutableNode> configuration)
            throws MessagingException {
        this(
                files,
                shared,
                messages,
                mailboxes,
                configuration,
                new LearningQueue(shared.metrics()));
        // By the configuration: which mailets run is not known yet, as James starts them later.
        MissingResults.warnWithoutHeader(NAME, shared.named().configuration());
    }

    /** Takes the queue of a test. */
    LearnFromFolders(
            FileSystem files,
            SharedLists shared,
            MessageIdManager messages,
            MailboxManager mailboxes,
            HierarchicalConfiguration<ImmutableNode> configuration,
            LearningQueue queue)
            throws MessagingException {
        this.queue = queue;
        try {
            Parameters parameters = Configuration.of(NAME, values(configuration), files);
            this.learning = new FolderLearning(parameters, shared, messages, mailboxes);
        } catch (SettingException e) {
            // The injector of James 3.8 hides it.
            LOGGER.error("conf/listeners.xml: {}. James does not start", e.getMessage());
            throw Configuration.refused(e);
        }
        shared.beforeRelease(learning.list(), queue::drain);
    }

    private static Map<String, String> values(
            HierarchicalConfiguration<ImmutableNode> configuration) {
        Map<String, String> values = new HashMap<>();
        configuration
                .getKeys()
                .forEachRemaining(
                        key -> {
                            List<String> all = configuration.getList(String.class, key);
                            values.put(key, String.join(",", all));
                        });
        return values;
    }

    /** Returns a group of James' own class. James could not load one of ours by its name. */
    @Override
    public Group getDefaultGroup() {
        return new GenericGroup("sender-whitelist-" + learning.list());
    }

    @Override
    public boolean isHandling(Event event) {
        return event instanceof MessageMoveEvent move && move.getMessageIds().size() <= MAX_MAILS;
    }

    /**
     * Learns from an event.
     *
     * @throws MailboxException when James cannot say what the folders are. James then calls again
     *     some times, and keeps the event among its dead letters in the end
     */
    @Override
    public void event(Event event) throws MailboxException {
        try {
            if (isHandling(event)
                    && event instanceof MessageMoveEvent move
                    && AddressSyntax.parse(event.getUsername().asString())
                            instanceof WellFormed(Address user)) {
                learn(move, user);
            }
        } catch (RuntimeException | Error e) {
            Harmless.log("Learning from a folder", e);
        }
    }

    private void learn(MessageMoveEvent move, Address user) throws MailboxException {
        LearningQueue.Work work = learning.of(move, user);
        if (work != null) {
            Future<?> unused = queue.add(user.key(), move.getMessageIds().size(), work);
        }
    }
}
