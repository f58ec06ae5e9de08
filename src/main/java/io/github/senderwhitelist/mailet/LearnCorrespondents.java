package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.learning.Learner;
import io.github.senderwhitelist.learning.LearningLimits;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.learned.LearningQueue;
import io.github.senderwhitelist.mailet.mail.HeaderFrom;
import io.github.senderwhitelist.mailet.mail.MailAuthentication;
import io.github.senderwhitelist.mailet.mail.MissingResults;
import io.github.senderwhitelist.mailet.mail.SentMail;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.ListDefinition;
import io.github.senderwhitelist.mailet.settings.ListParameters;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;
import io.github.senderwhitelist.mailet.verdict.Marks;

import jakarta.inject.Inject;
import jakarta.mail.MessagingException;

import org.apache.james.core.Domain;
import org.apache.james.core.MailAddress;
import org.apache.james.filesystem.api.FileSystem;
import org.apache.mailet.Mail;
import org.apache.mailet.base.GenericMailet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A mailet that learns to whom users write. These are listed for them, and for them only, when SPF
 * or DKIM confirms the address.
 *
 * <pre>{@code
 * <mailet match="All" class="io.github.senderwhitelist.mailet.LearnCorrespondents">
 *   <list>own</list>
 * </mailet>
 * }</pre>
 *
 * <p>With {@code <renew>both</renew>}, confirmed mails of correspondents extend their entries, too.
 * The mailet then stands where mails come by that {@code SenderWhitelist} has judged.
 *
 * <p>It stands where mails of users come by, before RecipientRewriteTable: what that makes of a
 * recipient, such as a private forward, is not for the user to know. It changes no mail, never
 * throws, and holds no mail up. It warns at its start when nothing in {@code mailetcontainer.xml}
 * can confirm anybody.
 */
public class LearnCorrespondents extends GenericMailet {
    private static final String NAME = "LearnCorrespondents";
    private static final Logger LOGGER = LoggerFactory.getLogger(LearnCorrespondents.class);

    private final FileSystem files;
    private final SharedLists shared;
    private final LearningQueue queue;
    private volatile @Nullable State state;

    /**
     * What there is between start and stop.
     *
     * @param maxRecipients a mail to more teaches nothing
     * @param learnLocal whether recipients on this server are learned
     * @param renewsByReceived whether mails that come in extend entries, too
     */
    private record State(
            ListDefinition definition,
            int maxRecipients,
            boolean learnLocal,
            boolean renewsByReceived,
            Learner learner) {}

    /** Called by James' injector. */
    @Inject
    public LearnCorrespondents(FileSystem files, SharedLists shared) {
        this(files, shared, new LearningQueue(shared.metrics()));
    }

    /** Takes the queue of a test. */
    LearnCorrespondents(FileSystem files, SharedLists shared, LearningQueue queue) {
        this.files = files;
        this.shared = shared;
        this.queue = queue;
    }

    @Override
    public void init() throws MessagingException {
        Configuration.start(() -> open(Configuration.of(NAME, this, files)));
    }

    /** Reads the parameters and begins. */
    void open(Parameters all) throws SettingException {
        ListDefinition.Living definition = ListParameters.changed(all, shared.named());
        LearningLimits limits = ListParameters.limits(all);
        int maxRecipients = all.number("maxRecipients", ValueType.whole(0, 1_000_000), "20");
        boolean learnLocal = !all.value("learnLocal", ValueType.either("false", "true"), "false");
        boolean renewsByReceived = !all.value("renew", ValueType.either("sent", "both"), "sent");
        all.refuseUnread();
        LivingList list = shared.acquireLiving(NAME, definition);
        state =
                new State(
                        definition,
                        maxRecipients,
                        learnLocal,
                        renewsByReceived,
                        new Learner(list, limits, shared.clock()));
        MissingResults.warnWithoutResults(NAME, shared.named().configuration());
    }

    @Override
    public void service(Mail mail) {
        State now = state;
        try {
            if (now != null) {
                learn(now, mail);
            }
        } catch (Throwable e) {
            Harmless.log("Learning from a mail", e);
        }
    }

    private void learn(State now, Mail mail) throws MessagingException, IOException {
        SentMail sent = new SentMail(mail, getMailetContext()::isLocalServer);
        Address user = sent.user();
        List<Key> people = user == null ? List.of() : sent.people(user, now.learnLocal);
        String why =
                people.isEmpty()
                        ? "no user of this server has sent it to people who are learned"
                        : mail.getRecipients().size() > now.maxRecipients
                                ? "it has too many recipients"
                                : sent.whyNotWritten();
        if (user != null && why == null) {
            queue.add(user.key(), people.size(), () -> now.learner.learn(user.key(), people));
        } else {
            LOGGER.debug("mail={}: nothing is learned: {}", mail.getName(), why);
            if (now.renewsByReceived && Marks.isListed(mail)) {
                renew(now, mail);
            }
        }
    }

    /**
     * Extends the entries of a listed sender whose mail comes in, if the sender is confirmed as the
     * one whom From: names.
     */
    private void renew(State now, Mail mail) throws MessagingException, IOException {
        Address sender = HeaderFrom.mailbox(mail.getMessage());
        MailAuthentication authentication =
                new MailAuthentication(
                        mail, name -> getMailetContext().isLocalServer(Domain.of(name)));
        if (sender == null || !authentication.meets(AuthRequirement.ANY, sender)) {
            return;
        }
        Set<Key> recipients = new LinkedHashSet<>();
        for (MailAddress recipient : mail.getRecipients()) {
            if (AddressSyntax.parse(recipient.asString()) instanceof Address address) {
                Address user = shared.users().userOf(address);
                recipients.add(address.key());
                recipients.add((user == null ? address : user).key());
            }
        }
        List<Key> users = List.copyOf(recipients);
        queue.add(sender.key(), 1, () -> now.learner.renew(sender.key(), users));
    }

    @Override
    public void destroy() {
        State now = state;
        state = null;
        if (now != null) {
            shared.inTime(queue::close);
            shared.release(now.definition);
        }
    }
}
