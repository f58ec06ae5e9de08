package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.learning.Learner;
import io.github.senderwhitelist.learning.LearningLimits;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.mail.MailAuthentication;
import io.github.senderwhitelist.mailet.mail.MissingResults;
import io.github.senderwhitelist.mailet.mail.SentMail;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.server.LearningQueue;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.ListDefinition.Living;
import io.github.senderwhitelist.mailet.settings.ListParameters;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.verdict.Marks;

import jakarta.inject.Inject;
import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.mailet.Mail;
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
 * throws, and holds no mail up.
 */
public class LearnCorrespondents extends WhitelistMailet {
    private static final Logger LOGGER = LoggerFactory.getLogger(LearnCorrespondents.class);

    private int maxRecipients;
    private boolean learnLocal;
    private boolean renewsByReceived;

    /** Null before the start and after the stop. */
    private volatile @Nullable Learning learning;

    private record Learning(Living definition, Learner learner, LearningQueue queue) {}

    @Inject
    public LearnCorrespondents(SharedLists shared) {
        super(shared);
    }

    @Override
    void open(Parameters all) {
        Living definition = ListParameters.changed(all, shared.named());
        LearningLimits limits = ListParameters.limits(all);
        maxRecipients = all.number("maxRecipients", ValueType.whole(0, 1_000_000), "20");
        learnLocal = !all.value("learnLocal", ValueType.either("false", "true"), "false");
        renewsByReceived = !all.value("renew", ValueType.either("sent", "both"), "sent");
        all.refuseUnread();
        LivingList list = (LivingList) shared.acquire(definition, name + ": parameter list");
        Learner learner = new Learner(list, limits, shared.clock());
        learning = new Learning(definition, learner, shared.learning(definition.name()));
        MissingResults.warnWithoutResults(name, shared.named().configuration());
    }

    @Override
    public void service(Mail mail) {
        Learning now = learning;
        try {
            if (now != null) {
                learn(now, mail);
            }
        } catch (Throwable e) {
            Harmless.log("Learning from a mail", e);
        }
    }

    private void learn(Learning now, Mail mail) throws MessagingException, IOException {
        SentMail sent = new SentMail(mail, getMailetContext()::isLocalServer);
        Address user = sent.user();
        List<Key> people = user == null ? List.of() : sent.people(user, learnLocal);
        String why =
                people.isEmpty()
                        ? "no user of this server has sent it to people who are learned"
                        : mail.getRecipients().size() > maxRecipients
                                ? "it has too many recipients"
                                : sent.whyNotWritten();
        if (user != null && why == null) {
            int most = people.size();
            now.queue.add(user.key(), most, () -> now.learner.learn(user.key(), people));
        } else {
            LOGGER.debug("mail={}: nothing is learned: {}", mail.getName(), why);
            if (renewsByReceived && Marks.isListed(mail)) {
                renew(now, mail);
            }
        }
    }

    /** Extends the entries of a listed sender in From: who is confirmed. */
    private void renew(Learning now, Mail mail) throws MessagingException, IOException {
        Address sender = MailAuthentication.mailbox(mail.getMessage());
        MailAuthentication authentication = new MailAuthentication(mail, this::isLocal);
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
        now.queue.add(sender.key(), 1, () -> now.learner.renew(sender.key(), users));
    }

    @Override
    public void destroy() {
        Learning now = learning;
        learning = null;
        if (now != null) {
            shared.release(now.definition);
        }
    }
}
