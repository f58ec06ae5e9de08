package io.github.senderwhitelist.judge;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.decision.Contents;
import io.github.senderwhitelist.decision.Explanation;
import io.github.senderwhitelist.decision.Identities;
import io.github.senderwhitelist.decision.Question;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.Sender.Known;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.decision.Whitelist;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The lists of a mailet or matcher, and its policy: what it takes to judge a mail, or to explain
 * the verdict on one that is only described.
 *
 * @param whitelist the lists
 * @param names their names
 * @param identity which of a mail's addresses is the sender
 * @param listedOnFailure whether a sender counts as listed when the store cannot answer
 * @param isLocal returns whether a domain is one of this server's
 */
public record Judge(
        Whitelist whitelist,
        List<String> names,
        SenderIdentity identity,
        boolean listedOnFailure,
        Predicate<String> isLocal) {

    /**
     * What was decided on a mail.
     *
     * @param recipients the recipients
     * @param senders the addresses that were asked for, one or two
     * @param verdicts a verdict for each recipient, or a single one without recipients
     * @param steps how they came about, in lines for people; empty unless wanted
     */
    public record Ruling(
            List<String> recipients,
            List<Sender> senders,
            List<Verdict> verdicts,
            List<String> steps) {
        /** Returns the recipient whom a verdict is for, or null for nobody in particular. */
        public @Nullable String recipient(int verdict) {
            return recipients.isEmpty() ? null : recipients.get(verdict);
        }
    }

    /**
     * Returns whether a list may have lines about an address of a mail, whichever is the sender. If
     * not, the mail is a stranger's for all recipients, whatever confirms it.
     */
    public boolean mayBeListed(Sender envelope, Supplier<Sender> from) {
        return !envelope.equals(Sender.NULL)
                && whitelist.ask(
                        lists -> mayBeListed(lists, envelope) || mayBeListed(lists, from.get()));
    }

    private static boolean mayBeListed(Contents lists, Sender sender) {
        return sender instanceof Known(Address address) && lists.mayHave(address);
    }

    /**
     * Judges a mail for each of its recipients.
     *
     * @param explained whether to report the steps, which costs time
     */
    public Ruling judge(MailFacts mail, boolean explained) {
        return whitelist.ask(lists -> judge(mail, lists, explained ? new Explanation() : null));
    }

    private Ruling judge(MailFacts mail, Contents lists, @Nullable Explanation steps)
            throws RetiredException {
        Sender envelope = mail.envelope();
        // A mail with the null sender is never listed, so its header is not read.
        boolean readsFrom =
                !envelope.equals(Sender.NULL) && (identity.asksFrom() || lists.hasPersonal());
        Sender from = readsFrom ? mail.from().get() : Sender.NULL;
        Identities identities = readsFrom ? identities(envelope, from) : Identities.NONE;
        boolean asksFrom = readsFrom && identity.asksFrom();
        List<Sender> senders = new ArrayList<>(2);
        List<Verdict> verdicts = null;
        if (!asksFrom || identity.asksEnvelope()) {
            heading(asksFrom ? steps : null, "the envelope sender", envelope);
            verdicts = lists.check(question(mail, envelope, identities), steps);
            senders.add(envelope);
        }
        if (asksFrom) {
            heading(steps, "the header From:", from);
            List<Verdict> froms = lists.check(question(mail, from, identities), steps);
            verdicts = verdicts == null ? froms : both(mail, verdicts, froms, steps);
            senders.add(from);
        }
        List<Verdict> all = verdicts == null ? List.of() : verdicts;
        if (steps != null
                && listedOnFailure
                && all.stream().anyMatch(Unavailable.class::isInstance)) {
            steps.add("unavailable counts as listed");
        }
        return new Ruling(
                mail.recipients(), senders, all, steps == null ? List.of() : steps.lines());
    }

    private static void heading(@Nullable Explanation steps, String which, Sender sender) {
        if (steps != null) {
            steps.add(
                    which + (sender instanceof Known(Address address) ? " " + address : "") + ":");
        }
    }

    private static Question question(MailFacts mail, Sender sender, Identities identities) {
        return new Question(sender, identities, mail.recipients(), mail.authentication());
    }

    private List<Verdict> both(
            MailFacts mail,
            List<Verdict> envelopes,
            List<Verdict> froms,
            @Nullable Explanation steps) {
        List<Verdict> both = new ArrayList<>(froms.size());
        for (int i = 0; i < froms.size(); i++) {
            both.add(identity.of(envelopes.get(i), froms.get(i)));
        }
        if (steps != null) {
            steps.add(identity.label() + ":");
            steps.verdicts(mail.recipients(), both);
        }
        return both;
    }

    /**
     * Returns the addresses that the mail gives its sender. Users know the sender by the header
     * From:, which they see, and by the envelope if it is the {@linkplain SameSender same sender}.
     * If From: is unclear they know nobody. They know nobody either if the envelope's sender is no
     * address, because whether the administrator denies it is unclear then.
     */
    private static Identities identities(Sender envelope, Sender from) {
        List<Address> sent =
                envelope instanceof Known(Address address) ? List.of(address) : List.of();
        if (!(from instanceof Known(Address seen))) {
            return new Identities(sent, List.of());
        }
        List<Address> all = new ArrayList<>(sent);
        all.remove(seen);
        boolean isAligned = all.stream().allMatch(each -> SameSender.is(each, seen));
        all.addFirst(seen);
        List<Address> known = isAligned ? all : List.of(seen);
        return new Identities(all, envelope instanceof Known ? known : List.of());
    }

    /** Returns whether a sender counts as listed by a verdict. */
    public boolean countsAsListed(Verdict verdict) {
        return switch (verdict) {
            case Listed listed -> true;
            case NotListed notListed -> false;
            case Unavailable unavailable -> listedOnFailure;
            case Failed failed -> false;
        };
    }
}
