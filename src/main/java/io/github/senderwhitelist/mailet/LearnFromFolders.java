package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.mailet.learned.FeedbackWriter;
import io.github.senderwhitelist.mailet.learned.FolderEvent;
import io.github.senderwhitelist.mailet.learned.FolderLearningTask;
import io.github.senderwhitelist.mailet.learned.FolderParameters;
import io.github.senderwhitelist.mailet.learned.LearningQueue;
import io.github.senderwhitelist.mailet.learned.UserFolders;
import io.github.senderwhitelist.mailet.mail.MissingResults;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.SettingException;
import io.github.senderwhitelist.mailet.verdict.FromProof;
import io.github.senderwhitelist.mailet.verdict.HeaderSeal;

import jakarta.inject.Inject;
import jakarta.mail.MessagingException;

import org.apache.commons.configuration2.HierarchicalConfiguration;
import org.apache.commons.configuration2.tree.ImmutableNode;
import org.apache.james.core.Username;
import org.apache.james.events.Event;
import org.apache.james.events.EventListener;
import org.apache.james.events.Group;
import org.apache.james.filesystem.api.FileSystem;
import org.apache.james.mailbox.MailboxManager;
import org.apache.james.mailbox.MessageIdManager;
import org.apache.james.mailbox.events.GenericGroup;
import org.apache.james.mailbox.exception.MailboxException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;

/**
 * A mailbox listener that learns from mails that users move out of their spam folder and into it,
 * and from the mark {@code $Junk}. Whom a user takes out of the folder is listed for that user, and
 * for nobody else, when SPF or DKIM confirms the address. Whom a user puts into it is denied for
 * that user, if the mail was confirmed.
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

    private final MessageIdManager messages;
    private final MailboxManager mailboxes;
    private final FolderParameters parameters;
    private final LearningQueue queue;
    private final FeedbackWriter writer;
    private final FromProof proof;

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
                shared,
                messages,
                mailboxes,
                parse(files, shared, configuration),
                InstantSource.system(),
                new LearningQueue());
        // By the configuration: which mailets run is not known yet, as James starts them later.
        String problem = MissingResults.header(shared.named().configuration());
        if (problem != null) {
            LOGGER.warn("{}: {}", NAME, problem);
        }
    }

    /** Takes the clock and the queue of a test. */
    LearnFromFolders(
            SharedLists shared,
            MessageIdManager messages,
            MailboxManager mailboxes,
            FolderParameters parameters,
            InstantSource clock,
            LearningQueue queue) {
        this.messages = messages;
        this.mailboxes = mailboxes;
        this.parameters = parameters;
        this.queue = queue;
        this.writer = new FeedbackWriter(shared, parameters, clock);
        this.proof = new FromProof(new HeaderSeal(parameters.sealKey()));
        shared.beforeRelease(parameters.list(), queue::drain);
    }

    /** Parses parameters. What is wrong is logged, because the injector of James 3.8 hides it. */
    static FolderParameters parse(
            FileSystem files,
            SharedLists shared,
            HierarchicalConfiguration<ImmutableNode> configuration)
            throws MessagingException {
        Map<String, String> values = new HashMap<>();
        configuration
                .getKeys()
                .forEachRemaining(
                        key -> {
                            List<String> all = configuration.getList(String.class, key);
                            values.put(key, String.join(",", all));
                        });
        try {
            return FolderParameters.read(Configuration.of(NAME, values, files), shared.named());
        } catch (SettingException e) {
            LOGGER.error("conf/listeners.xml: {}. James does not start", e.getMessage());
            throw Configuration.refused(e);
        }
    }

    /** Returns a group of James' own class. James could not load one of ours by its name. */
    @Override
    public Group getDefaultGroup() {
        return new GenericGroup("sender-whitelist-" + parameters.list());
    }

    @Override
    public boolean isHandling(Event event) {
        return FolderEvent.maybe(event);
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
            Username name = event.getUsername();
            if (isHandling(event)
                    && AddressSyntax.parse(name.asString()) instanceof WellFormed(Address user)) {
                learn(event, name, user);
            }
        } catch (RuntimeException | Error e) {
            Harmless.log("Learning from a folder", e);
        }
    }

    private void learn(Event event, Username name, Address user) throws MailboxException {
        try (UserFolders folders = open(name)) {
            for (FolderEvent each : FolderEvent.of(event, folders)) {
                if (!each.mails().isEmpty()) {
                    Future<?> unused =
                            queue.add(
                                    new FolderLearningTask(
                                            writer, proof, () -> open(name), each, user));
                }
            }
        }
    }

    private UserFolders open(Username user) {
        return new UserFolders(messages, mailboxes, parameters, user);
    }
}
