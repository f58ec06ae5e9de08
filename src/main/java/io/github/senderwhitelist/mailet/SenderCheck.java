package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.decision.Authentication;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Question;
import io.github.senderwhitelist.decision.Reason;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.Sender.Known;
import io.github.senderwhitelist.decision.Sender.Nobody;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.decision.Whitelist;
import io.github.senderwhitelist.live.ListSettings;

import jakarta.mail.MessagingException;

import org.apache.james.core.Domain;
import org.apache.james.core.MailAddress;
import org.apache.mailet.Mail;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What mailet and matcher share: the question to the lists for the sender of a mail. Never throws
 * and never blocks for a refresh.
 */
final class SenderCheck {
    private static final Logger LOGGER = LoggerFactory.getLogger(SenderCheck.class);

    private final SharedLists shared;
    private final List<ListSettings> acquired;
    private final SenderIdentity identity;
    private final boolean listedOnFailure;
    private final Predicate<Domain> isLocal;

    /** Null when the lists have been let go of. */
    private volatile @Nullable Whitelist whitelist;

    private SenderCheck(
            SharedLists shared,
            List<ListSettings> acquired,
            Whitelist whitelist,
            SenderIdentity identity,
            boolean listedOnFailure,
            Predicate<Domain> isLocal) {
        this.shared = shared;
        this.acquired = acquired;
        this.whitelist = whitelist;
        this.identity = identity;
        this.listedOnFailure = listedOnFailure;
        this.isLocal = isLocal;
    }

    /**
     * Loads the lists that the parameters name.
     *
     * @param isLocal whether a domain is one of this server's
     * @throws MessagingException when a parameter is wrong or a list cannot be loaded
     */
    static SenderCheck open(
            String owner,
            Parameters parameters,
            SharedLists shared,
            InstantSource clock,
            Predicate<Domain> isLocal)
            throws MessagingException {
        List<ListSettings> settings = parameters.lists();
        Policy policy = parameters.policy(clock);
        SenderIdentity identity = parameters.identity();
        boolean listedOnFailure = parameters.listedOnLookupFailure();
        List<ListSettings> acquired = new ArrayList<>();
        List<SenderList> lists = new ArrayList<>();
        try {
            for (ListSettings list : settings) {
                lists.add(shared.acquire(list, policy));
                acquired.add(list);
            }
        } catch (IOException e) {
            release(shared, acquired);
            throw new MessagingException(
                    owner + ": parameter " + Parameters.WHITELIST + ": " + e.getMessage(), e);
        }
        return new SenderCheck(
                shared, acquired, new Whitelist(lists, policy), identity, listedOnFailure, isLocal);
    }

    /**
     * Judges a mail, recipient by recipient. Where an error keeps it from that, or the lists have
     * been let go of, the sender counts as listed for nobody.
     */
    Judgement judge(Mail mail) {
        try {
            Whitelist asked = whitelist;
            return asked == null
                    ? Judgement.notListed(
                            new Unavailable(
                                    new IOException(
                                            "its lists are closed, because the server stops")))
                    : judge(asked, mail);
        } catch (Throwable e) {
            return Judgement.notListed(new Failed(e));
        }
    }

    private Judgement judge(Whitelist asked, Mail mail) {
        List<MailAddress> recipients = List.copyOf(mail.getRecipients());
        List<Verdict> verdicts = verdicts(asked, mail, recipients);
        List<MailAddress> listed = new ArrayList<>();
        List<MailAddress> others = new ArrayList<>();
        Verdict forListed = null;
        Verdict forOthers = null;
        for (int i = 0; i < verdicts.size(); i++) {
            Verdict verdict = verdicts.get(i);
            boolean counts = counts(verdict);
            if (i < recipients.size()) {
                (counts ? listed : others).add(recipients.get(i));
            }
            if (counts) {
                forListed = forListed == null ? verdict : forListed;
            } else if (forOthers == null || verdict.reason().compareTo(forOthers.reason()) < 0) {
                forOthers = verdict;
            }
        }
        return new Judgement(listed, others, forListed, forOthers);
    }

    private boolean counts(Verdict verdict) {
        return switch (verdict) {
            case Listed listed -> true;
            case NotListed notListed -> false;
            case Unavailable unavailable -> listedOnFailure;
            case Failed failed -> false;
        };
    }

    /** Counts a verdict that a mail, or a part of one, has got. */
    void count(Verdict verdict) {
        shared.metrics().count(verdict);
    }

    /** One verdict for each recipient, or one when there are none. */
    private List<Verdict> verdicts(Whitelist asked, Mail mail, List<MailAddress> recipients) {
        int count = Math.max(1, recipients.size());
        Optional<MailAddress> envelope = mail.getMaybeSender().asOptional();
        if (envelope.isEmpty()) {
            return Collections.nCopies(count, new NotListed(Reason.NULL_SENDER, null));
        }
        List<String> written = recipients.stream().map(MailAddress::asString).toList();
        Authentication authentication = new MailAuthentication(mail, isLocal);
        List<Verdict> envelopes = List.of();
        List<Verdict> froms = List.of();
        if (identity.asksEnvelope()) {
            Sender sender = told(mail, Sender.parse(envelope.get().asString()));
            envelopes = asked.check(new Question(sender, written, authentication));
        }
        if (identity.asksFrom()) {
            Sender sender = told(mail, from(mail));
            froms = asked.check(new Question(sender, written, authentication));
        }
        List<Verdict> verdicts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            verdicts.add(
                    !identity.asksFrom()
                            ? envelopes.get(i)
                            : !identity.asksEnvelope()
                                    ? froms.get(i)
                                    : identity.of(envelopes.get(i), froms.get(i)));
        }
        return verdicts;
    }

    private static Sender from(Mail mail) {
        String why = "its header From: does not name one mailbox";
        try {
            Address address = HeaderFrom.mailbox(mail.getMessage());
            if (address != null) {
                return new Known(address);
            }
        } catch (MessagingException e) {
            LOGGER.debug("mail={}: its header cannot be read", mail.getName(), e);
        }
        return new Nobody(Reason.AMBIGUOUS_FROM, why);
    }

    private static Sender told(Mail mail, Sender sender) {
        if (sender instanceof Nobody(Reason reason, String why)) {
            LOGGER.debug(
                    "mail={}: it has no sender that a list could hold: {}", mail.getName(), why);
        }
        return sender;
    }

    /** Lets go of the lists, once. */
    synchronized void close() {
        if (whitelist != null) {
            whitelist = null;
            release(shared, acquired);
        }
    }

    private static void release(SharedLists shared, List<ListSettings> acquired) {
        for (ListSettings settings : acquired) {
            try {
                shared.release(settings);
            } catch (IOException | RuntimeException e) {
                LOGGER.warn("Whitelist {} could not be closed: {}", settings.file(), e.toString());
                LOGGER.debug("Whitelist {} could not be closed", settings.file(), e);
            }
        }
    }
}
