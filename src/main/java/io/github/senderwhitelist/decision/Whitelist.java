package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.decision.Sender.Known;
import io.github.senderwhitelist.decision.Sender.Nobody;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Several lists in which senders are looked up as if they were one, by a {@link Policy}. {@link
 * Weighing} has the order of the keys, and what the lists' lines for them come to.
 *
 * <p>Safe for use by any number of threads; a question takes no lock.
 */
public final class Whitelist {
    private static final List<Verdict> STRANGER = List.of(NotListed.STRANGER);

    private final List<SenderList> lists;
    private final Policy policy;

    /** Makes a whitelist of these lists. */
    public Whitelist(List<? extends SenderList> lists, Policy policy) {
        this.lists = List.copyOf(lists);
        this.policy = policy;
    }

    /** Returns the policy. */
    public Policy policy() {
        return policy;
    }

    /**
     * Decides on a mail for each of its recipients. All its addresses are looked up in the same
     * content of the lists.
     *
     * @param explained whether to report the steps, which costs time
     */
    public Decision decide(MailFacts mail, boolean explained) {
        Explanation explanation = explained ? new Explanation(true) : Explanation.NONE;
        List<Sender> senders = senders(mail);
        List<Verdict> verdicts = verdicts(mail, senders, explanation);
        if (policy.listedOnFailure() && verdicts.stream().anyMatch(Unavailable.class::isInstance)) {
            explanation.add("unavailable counts as listed");
        }
        return new Decision(senders, verdicts, List.copyOf(explanation.lines));
    }

    /** Returns only the verdicts of {@link #decide}. */
    public List<Verdict> check(MailFacts mail) {
        return verdicts(mail, senders(mail), Explanation.NONE);
    }

    /** Returns the addresses that are asked for: the envelope's, that in From:, or both. */
    private List<Sender> senders(MailFacts mail) {
        if (!asksFrom(mail)) {
            return List.of(mail.envelope());
        }
        Sender from = mail.from().get();
        return policy.identity() == SenderIdentity.FROM
                ? List.of(from)
                : List.of(mail.envelope(), from);
    }

    /** Returns whether From: is asked for; that of a mail with the null sender is not. */
    private boolean asksFrom(MailFacts mail) {
        return policy.identity() != SenderIdentity.ENVELOPE && !mail.envelope().equals(Sender.NULL);
    }

    /**
     * Returns whether a list may have lines about an address of a mail, whichever is the sender. If
     * not, the mail is a stranger's for all recipients, whatever confirms it. Nothing is looked up.
     */
    public boolean mayBeListed(Sender envelope, Supplier<Sender> from) {
        SenderLines[] contents = contents();
        return !envelope.equals(Sender.NULL)
                && (mayHave(contents, envelope) || mayHave(contents, from.get()));
    }

    private boolean mayHave(SenderLines[] contents, Sender sender) {
        if (!(sender instanceof Known(Address written))) {
            return false;
        }
        Address meant = policy.unwrapping().unwrap(written, policy.clock().instant());
        Predicate<SenderLines> asWritten = list -> list.mightContain(written.key());
        return Stream.of(contents)
                .anyMatch(asWritten.or(list -> list.mightContain(meant, policy.subaddressing())));
    }

    /**
     * Returns the content of all lists at one moment, so that an entry that moves from one list to
     * another is never missing from both: they are read in turn until none has changed for a whole
     * round.
     */
    private SenderLines[] contents() {
        SenderLines[] contents = new SenderLines[lists.size()];
        int same = 0;
        for (int i = 0; same < contents.length; i = (i + 1) % contents.length) {
            SenderLines before = contents[i];
            contents[i] = lists.get(i).current();
            same = contents[i].equals(before) ? same + 1 : 1;
        }
        return contents;
    }

    private List<Verdict> verdicts(MailFacts mail, List<Sender> senders, Explanation explanation) {
        SenderLines[] contents = contents();
        while (true) {
            try {
                return verdicts(mail, senders, contents, explanation);
            } catch (RetiredException e) {
                SenderLines[] now = contents();
                // Content that nothing has replaced was closed; asking it again would never end.
                contents = Arrays.equals(now, contents) ? new SenderLines[0] : now;
                explanation.lines.clear();
            }
        }
    }

    private List<Verdict> verdicts(
            MailFacts mail, List<Sender> senders, SenderLines[] contents, Explanation explanation)
            throws RetiredException {
        Sender first = senders.getFirst();
        boolean asksBoth = senders.size() > 1;
        if (asksFrom(mail)) {
            explanation.asks(asksBoth ? "the envelope sender" : "the header From:", first);
        }
        List<Verdict> verdicts = verdicts(mail, first, contents, explanation);
        if (!asksBoth) {
            return verdicts;
        }
        explanation.asks("the header From:", senders.getLast());
        List<Verdict> froms = verdicts(mail, senders.getLast(), contents, explanation);
        List<Verdict> both = new ArrayList<>();
        for (int i = 0; i < froms.size(); i++) {
            both.add(policy.identity().of(verdicts.get(i), froms.get(i)));
        }
        explanation.add(policy.identity().label(), ":");
        explanation.verdicts(mail.recipients(), both);
        return both;
    }

    /** Returns the verdicts on one of the mail's senders, one for each recipient. */
    private List<Verdict> verdicts(
            MailFacts mail, Sender sender, SenderLines[] contents, Explanation explanation)
            throws RetiredException {
        List<Verdict> verdicts;
        if (sender instanceof Nobody(Reason reason, String why)) {
            explanation.add(why);
            verdicts = forAll(mail, new NotListed(reason, null));
        } else if (contents.length < lists.size()) {
            verdicts = forAll(mail, new Unavailable(new IOException("the list is closed")));
        } else {
            Address address = ((Known) sender).address();
            boolean personal = havePersonal(contents);
            if (!explanation.isWanted
                    && policy.unwrapping() == Unwrapping.NONE
                    && (!personal || mail.envelope().equals(mail.from().get()))
                    && isStranger(address, contents)) {
                return forAll(mail, NotListed.STRANGER);
            }
            explanation.begin(contents);
            verdicts =
                    new Weighing(contents, policy, mail, address, personal, explanation).verdicts();
        }
        explanation.verdicts(mail.recipients(), verdicts);
        return verdicts;
    }

    /** Returns whether some lists have lines that are users', or learned. */
    private static boolean havePersonal(SenderLines[] contents) {
        for (SenderLines each : contents) {
            if (each.hasPersonal()) {
                return true;
            }
        }
        return false;
    }

    /** Asks only filters. Makes no object but for a tag: most senders are strangers. */
    private boolean isStranger(Address address, SenderLines[] contents) {
        for (SenderLines each : contents) {
            if (each.mightContain(address, policy.subaddressing())) {
                return false;
            }
        }
        int asked = address.keyWithoutTag(policy.subaddressing()) == null ? 1 : 2;
        for (SenderLines each : contents) {
            each.countRefused(asked);
        }
        return true;
    }

    private static List<Verdict> forAll(MailFacts mail, Verdict verdict) {
        return verdict.equals(NotListed.STRANGER) && mail.recipients().size() <= 1
                ? STRANGER
                : Collections.nCopies(Math.max(1, mail.recipients().size()), verdict);
    }
}
