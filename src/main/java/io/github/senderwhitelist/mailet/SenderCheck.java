package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.whitelist.Authentication;
import io.github.senderwhitelist.whitelist.ListInForce;
import io.github.senderwhitelist.whitelist.ListSettings;
import io.github.senderwhitelist.whitelist.Policy;
import io.github.senderwhitelist.whitelist.Question;
import io.github.senderwhitelist.whitelist.Reason;
import io.github.senderwhitelist.whitelist.Verdict;
import io.github.senderwhitelist.whitelist.Verdict.Listed;
import io.github.senderwhitelist.whitelist.Verdict.NotListed;
import io.github.senderwhitelist.whitelist.Verdict.Unavailable;
import io.github.senderwhitelist.whitelist.Whitelist;

import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.mailet.Attribute;
import org.apache.mailet.AttributeName;
import org.apache.mailet.AttributeValue;
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

/**
 * What mailet and matcher share: the question to the lists for the sender of a mail, and the
 * attributes that tell the answer. Never throws and never blocks for a refresh.
 */
final class SenderCheck {
    private static final Logger LOGGER = LoggerFactory.getLogger(SenderWhitelist.class);
    private static final AttributeName VERDICT =
            AttributeName.of("io.github.senderwhitelist.verdict");
    private static final AttributeName REASON =
            AttributeName.of("io.github.senderwhitelist.reason");
    private static final AttributeName ENTRY = AttributeName.of("io.github.senderwhitelist.entry");

    private final SharedLists shared;
    private final List<ListSettings> acquired;
    private final Whitelist whitelist;
    private final SenderIdentity identity;
    private final boolean listedOnFailure;

    private SenderCheck(
            SharedLists shared,
            List<ListSettings> acquired,
            Whitelist whitelist,
            SenderIdentity identity,
            boolean listedOnFailure) {
        this.shared = shared;
        this.acquired = acquired;
        this.whitelist = whitelist;
        this.identity = identity;
        this.listedOnFailure = listedOnFailure;
    }

    /**
     * Loads the lists that the parameters name.
     *
     * @throws MessagingException when a parameter is wrong or a list cannot be loaded
     */
    static SenderCheck open(
            String owner, Parameters parameters, SharedLists shared, InstantSource clock)
            throws MessagingException {
        List<ListSettings> settings = parameters.lists();
        Policy policy = parameters.policy(clock);
        SenderIdentity identity = parameters.identity();
        boolean listedOnFailure = parameters.listedOnLookupFailure();
        List<ListSettings> acquired = new ArrayList<>();
        List<ListInForce> lists = new ArrayList<>();
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
                shared, acquired, new Whitelist(lists, policy), identity, listedOnFailure);
    }

    /** Judges a mail, recipient by recipient. */
    Judgement judge(Mail mail) {
        List<MailAddress> recipients = List.copyOf(mail.getRecipients());
        List<Verdict> verdicts = verdicts(mail, recipients);
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
        };
    }

    /** Counts a verdict that a mail, or a part of one, has got. */
    void count(Verdict verdict) {
        shared.metrics().count(verdict);
    }

    /** Sets the attributes that tell this verdict. */
    void mark(Mail mail, Verdict verdict) {
        String name =
                switch (verdict) {
                    case Listed listed -> "listed";
                    case NotListed notListed -> "not-listed";
                    case Unavailable(var cause) -> {
                        LOGGER.warn(
                                "The whitelist could not tell for mail {}: {}. It is treated as {}",
                                mail.getName(),
                                cause.getMessage(),
                                listedOnFailure ? "listed" : "not listed");
                        yield "unavailable";
                    }
                };
        Entry entry = verdict.entry();
        mail.setAttribute(new Attribute(VERDICT, AttributeValue.of(name)));
        mail.setAttribute(new Attribute(REASON, AttributeValue.of(verdict.reason().label())));
        if (entry == null) {
            mail.removeAttribute(ENTRY);
        } else {
            mail.setAttribute(new Attribute(ENTRY, AttributeValue.of(entry.toString())));
        }
        LOGGER.debug(
                "mail={} sender={} verdict={} reason={} entry={}",
                mail.getName(),
                Text.shown(mail.getMaybeSender().asPrettyString()),
                name,
                verdict.reason().label(),
                entry == null ? "-" : entry);
    }

    /** One verdict for each recipient, or one when there are none. */
    private List<Verdict> verdicts(Mail mail, List<MailAddress> recipients) {
        int count = Math.max(1, recipients.size());
        Optional<MailAddress> envelope = mail.getMaybeSender().asOptional();
        if (envelope.isEmpty()) {
            return Collections.nCopies(count, new NotListed(Reason.NULL_SENDER, null));
        }
        try {
            List<String> written = recipients.stream().map(MailAddress::asString).toList();
            Authentication authentication = new MailAuthentication(mail);
            List<Verdict> envelopes = List.of();
            List<Verdict> froms = List.of();
            if (identity.asksEnvelope()) {
                Address sender = envelope(mail, envelope.get());
                envelopes = verdicts(sender, Reason.MALFORMED, written, authentication);
            }
            if (identity.asksFrom()) {
                Address sender = from(mail);
                froms = verdicts(sender, Reason.AMBIGUOUS_FROM, written, authentication);
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
        } catch (RuntimeException e) {
            LOGGER.error("Error in the whitelist, please report it", e);
            return Collections.nCopies(
                    count, new Unavailable(new IOException("error in the whitelist: " + e, e)));
        }
    }

    private List<Verdict> verdicts(
            @Nullable Address sender,
            Reason whenNone,
            List<String> recipients,
            Authentication authentication) {
        return sender == null
                ? Collections.nCopies(Math.max(1, recipients.size()), new NotListed(whenNone, null))
                : whitelist.check(new Question(sender, recipients, authentication));
    }

    private static @Nullable Address envelope(Mail mail, MailAddress sender) {
        return switch (AddressSyntax.parse(sender.asString())) {
            case WellFormed(Address address) -> address;
            case Malformed(String reason) -> {
                LOGGER.debug(
                        "mail={}: its sender is no address any list could hold: {}",
                        mail.getName(),
                        reason);
                yield null;
            }
        };
    }

    private static @Nullable Address from(Mail mail) {
        try {
            return HeaderFrom.mailbox(mail.getMessage());
        } catch (MessagingException e) {
            LOGGER.debug("mail={}: its header cannot be read", mail.getName(), e);
            return null;
        }
    }

    /** Lets go of the lists. */
    void close() {
        release(shared, acquired);
    }

    private static void release(SharedLists shared, List<ListSettings> acquired) {
        for (ListSettings settings : acquired) {
            try {
                shared.release(settings);
            } catch (IOException e) {
                LOGGER.warn("Whitelist {} could not be closed", settings.file(), e);
            }
        }
    }
}
