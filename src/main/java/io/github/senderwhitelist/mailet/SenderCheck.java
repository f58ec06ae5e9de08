package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.decision.Identities;
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
import io.github.senderwhitelist.mailet.mail.HeaderFrom;
import io.github.senderwhitelist.mailet.mail.MailAuthentication;
import io.github.senderwhitelist.mailet.mail.MissingResults;
import io.github.senderwhitelist.mailet.mail.PublicSuffixes;
import io.github.senderwhitelist.mailet.mail.SenderIdentity;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.CheckParameters;
import io.github.senderwhitelist.mailet.settings.ListDefinition;
import io.github.senderwhitelist.mailet.settings.ListParameters;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.Settings;
import io.github.senderwhitelist.mailet.verdict.AskedSender;
import io.github.senderwhitelist.mailet.verdict.Judgement;
import io.github.senderwhitelist.mailet.verdict.Judgement.Judged;

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
import java.util.List;
import java.util.function.Predicate;

/**
 * Asks the lists for the sender of a mail. Mailet and matcher have one each. A check never throws,
 * and never waits for a refresh.
 */
public final class SenderCheck {
    private static final Logger LOGGER = LoggerFactory.getLogger(SenderCheck.class);

    private final String owner;
    private final SharedLists shared;
    private final InstantSource clock;
    private volatile State state = State.NONE;

    /**
     * The lists to ask and how to ask them, replaced as a whole.
     *
     * @param whitelist the lists, or null while the check is not open
     * @param acquired the lists to be released in the end
     * @param identity which of a mail's addresses is the sender
     * @param listedOnFailure whether a sender counts as listed when the store cannot answer
     * @param isLocal tells whether a domain is one of this server's
     */
    private record State(
            @Nullable Whitelist whitelist,
            List<ListDefinition> acquired,
            SenderIdentity identity,
            boolean listedOnFailure,
            Predicate<Domain> isLocal) {
        static final State NONE =
                new State(null, List.of(), SenderIdentity.ENVELOPE, false, domain -> false);
    }

    /**
     * Makes a check that is not open yet.
     *
     * @param owner the mailet or matcher, for messages
     */
    public SenderCheck(String owner, SharedLists shared, InstantSource clock) {
        this.owner = owner;
        this.shared = shared;
        this.clock = clock;
    }

    /**
     * Loads the lists that the parameters name, so that mails can be judged.
     *
     * @param isLocal tells whether a domain is one of this server's
     * @throws MessagingException when a parameter is wrong or a list cannot be loaded
     */
    public synchronized void open(Parameters parameters, Predicate<Domain> isLocal)
            throws MessagingException {
        close();
        List<ListDefinition> definitions = ListParameters.asked(parameters, shared.named());
        CheckParameters of = CheckParameters.parse(parameters, clock, shared.users());
        Policy policy = of.policy();
        List<ListDefinition> acquired = new ArrayList<>();
        List<SenderList> lists = new ArrayList<>();
        try {
            for (ListDefinition list : definitions) {
                lists.add(shared.acquire(list, policy));
                acquired.add(list);
            }
        } catch (IOException e) {
            acquired.forEach(shared::release);
            throw new MessagingException(
                    owner + ": parameter " + Settings.WHITELIST.name() + ": " + e.getMessage(), e);
        }
        state =
                new State(
                        new Whitelist(lists, policy),
                        acquired,
                        of.identity(),
                        of.listedOnFailure(),
                        isLocal);
        String problem =
                policy.required() == AuthRequirement.NONE
                        ? null
                        : MissingResults.problem(shared.named().configuration());
        if (problem != null) {
            LOGGER.warn("{}: {}", owner, problem);
        }
    }

    /**
     * Judges a mail for each of its recipients. After an error, or when the check is not open, the
     * sender counts as listed for nobody.
     */
    public Judgement judge(Mail mail) {
        State now = state;
        try {
            return now.whitelist == null
                    ? Judgement.notListed(
                            new Unavailable(
                                    new IOException(
                                            "its lists are not open, because the server starts or"
                                                    + " stops")),
                            AskedSender.unknown(now.identity))
                    : judge(now, now.whitelist, mail, shared.missingResults());
        } catch (Throwable e) {
            return Judgement.notListed(new Failed(e), AskedSender.unknown(now.identity));
        }
    }

    @SuppressWarnings("ReferenceEquality") // replaced content never comes back
    private static Judgement judge(
            State state, Whitelist asked, Mail mail, MissingResults missingResults) {
        List<MailAddress> recipients = List.copyOf(mail.getRecipients());
        MailAuthentication authentication = new MailAuthentication(mail, state.isLocal);
        Object content = asked.content();
        Sender envelope = Sender.parse(mail.getMaybeSender().asString(""));
        // A mail with the null sender is never listed, so its header is not read.
        boolean readsFrom =
                !envelope.equals(Sender.NULL) && (state.identity.asksFrom() || asked.hasPersonal());
        Sender from = readsFrom ? from(mail) : Sender.NULL;
        List<Sender> senders = senders(state.identity, envelope, from);
        senders.forEach(sender -> log(mail, sender));
        List<Verdict> verdicts =
                verdicts(
                        state.identity,
                        asked,
                        senders,
                        readsFrom ? identities(envelope, from) : Identities.NONE,
                        recipients,
                        authentication);
        if (asked.content() != content) {
            // A refresh came between, so all is asked again of the new content.
            return judge(state, asked, mail, missingResults);
        }
        if (verdicts.stream().anyMatch(verdict -> verdict.reason() == Reason.UNAUTHENTICATED)
                && !authentication.isFromOwnClient()) {
            missingResults.unconfirmed(authentication.hasResult());
        }
        List<Judged> each = new ArrayList<>(recipients.size());
        Verdict forListed = null;
        Verdict forOthers = null;
        for (int i = 0; i < verdicts.size(); i++) {
            Verdict verdict = verdicts.get(i);
            boolean isListed = countsAsListed(state, verdict);
            if (i < recipients.size()) {
                each.add(new Judged(recipients.get(i), verdict, isListed));
            }
            if (isListed) {
                forListed = more(forListed, verdict);
            } else {
                forOthers = more(forOthers, verdict);
            }
        }
        return new Judgement(
                each,
                forListed,
                forOthers,
                new AskedSender(state.identity, senders, authentication::confirmations));
    }

    /**
     * Returns which of two verdicts a part of a mail is marked with: one that could not be found
     * out, else the one whose reason is the first in the order of {@link Reason}.
     */
    private static Verdict more(@Nullable Verdict before, Verdict verdict) {
        if (before == null || verdict.reason() == before.reason()) {
            return before == null ? verdict : before;
        }
        boolean first =
                verdict.reason() == Reason.UNAVAILABLE
                        || (before.reason() != Reason.UNAVAILABLE
                                && verdict.reason().compareTo(before.reason()) < 0);
        return first ? verdict : before;
    }

    /** Returns the addresses to ask for: one or two, of these the envelope's first. */
    private static List<Sender> senders(SenderIdentity identity, Sender envelope, Sender from) {
        if (envelope.equals(Sender.NULL) || !identity.asksFrom()) {
            return List.of(envelope);
        }
        return identity.asksEnvelope() ? List.of(envelope, from) : List.of(from);
    }

    /** Returns a verdict for each recipient, or a single one without recipients. */
    private static List<Verdict> verdicts(
            SenderIdentity identity,
            Whitelist asked,
            List<Sender> senders,
            Identities identities,
            List<MailAddress> recipients,
            MailAuthentication authentication) {
        List<String> written = recipients.stream().map(MailAddress::asString).toList();
        List<Verdict> verdicts =
                asked.check(new Question(senders.getFirst(), identities, written, authentication));
        if (senders.size() == 1) {
            return verdicts;
        }
        List<Verdict> froms =
                asked.check(new Question(senders.getLast(), identities, written, authentication));
        List<Verdict> both = new ArrayList<>(froms.size());
        for (int i = 0; i < froms.size(); i++) {
            both.add(identity.of(verdicts.get(i), froms.get(i)));
        }
        return both;
    }

    /**
     * Returns the addresses that the mail gives its sender. Users know the sender by the header
     * From:, which they see, and by the envelope if it is of the same organisation. If From: is
     * unclear they know nobody. They know nobody either if the envelope's sender is no address,
     * because whether the administrator denies it is unclear then.
     */
    private static Identities identities(Sender envelope, Sender from) {
        List<Address> sent =
                envelope instanceof Known(Address address) ? List.of(address) : List.of();
        if (!(from instanceof Known(Address seen))) {
            return new Identities(sent, List.of());
        }
        List<Address> all = new ArrayList<>(sent);
        all.remove(seen);
        boolean isAligned =
                all.stream().allMatch(each -> PublicSuffixes.aligned(each.domain(), seen.domain()));
        all.addFirst(seen);
        List<Address> known = isAligned ? all : List.of(seen);
        return new Identities(all, envelope instanceof Known ? known : List.of());
    }

    /** Returns the sender in the header From:. */
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

    /** Logs why a sender is nobody that a list could hold. */
    private static void log(Mail mail, Sender sender) {
        if (sender instanceof Nobody(Reason reason, String why)) {
            LOGGER.debug(
                    "mail={}: it has no sender that a list could hold: {}", mail.getName(), why);
        }
    }

    private static boolean countsAsListed(State state, Verdict verdict) {
        return switch (verdict) {
            case Listed listed -> true;
            case NotListed notListed -> false;
            case Unavailable unavailable -> state.listedOnFailure;
            case Failed failed -> false;
        };
    }

    /** Counts the verdict on a mail, or on a part of one, in the server's metrics. */
    void count(Verdict verdict) {
        shared.metrics().count(verdict);
    }

    /** Releases the lists. Mails that are judged later get {@code unavailable}. */
    public synchronized void close() {
        List<ListDefinition> acquired = state.acquired;
        state = State.NONE;
        acquired.forEach(shared::release);
    }
}
