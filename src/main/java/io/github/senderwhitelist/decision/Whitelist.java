package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.Sender.Known;
import io.github.senderwhitelist.decision.Sender.Nobody;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Several lists in which senders are looked up as if they were one, by a {@link Policy}.
 *
 * <p>{@link Search} has the order of the keys, and {@link Weighing} what the lists' lines for them
 * come to. Where a filter says "no", neither the store nor the cache of its list is asked.
 *
 * <p>Safe for use by any number of threads; a question takes no lock.
 */
public final class Whitelist {
    private static final List<Verdict> STRANGER = List.of(NotListed.STRANGER);

    /** Stands for the content of lists of which one is closed: that of no list. */
    private static final SenderLines[] CLOSED = {};

    private final List<SenderList> lists;
    private final Policy policy;

    /**
     * The content of all lists at one moment, as the last check read it. The reference is weak so
     * that a replaced generation can be collected even if nobody asks again.
     */
    private volatile WeakReference<SenderLines[]> last = new WeakReference<>(null);

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
        SenderLines[] contents = contents();
        while (true) {
            try {
                return decide(mail, contents, explained ? new Explanation() : null);
            } catch (RetiredException e) {
                contents = after(contents);
            }
        }
    }

    /** Returns a verdict for each recipient, in their order, or a single one without recipients. */
    public List<Verdict> check(Question question) {
        SenderLines[] contents = contents();
        while (true) {
            try {
                return check(question, contents, null);
            } catch (RetiredException e) {
                contents = after(contents);
            }
        }
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
        Address address = policy.unwrapping().unwrap(written, policy.clock()::instant);
        List<Key> keys = new ArrayList<>(address.keys(policy.subaddressing()));
        keys.add(written.key());
        return Stream.of(contents).anyMatch(list -> keys.stream().anyMatch(list::mayHave));
    }

    /**
     * Returns the content of all lists at one moment, so that an entry that moves from one list to
     * another is never missing from both. That of the last check is used again if all its parts are
     * still active: since replaced content never comes back, they still belong together.
     */
    private SenderLines[] contents() {
        SenderLines[] contents = last.get();
        if (contents == null || !isActive(contents)) {
            contents = new SenderLines[lists.size()];
            // Lists are read in turn until none has changed for a whole round.
            int same = 0;
            for (int i = 0; same < contents.length; i = (i + 1) % contents.length) {
                SenderLines before = contents[i];
                contents[i] = lists.get(i).current();
                same = isSame(contents[i], before) ? same + 1 : 1;
            }
            last = new WeakReference<>(contents);
        }
        return contents;
    }

    /** Returns whether this is the content that the lists have now. */
    private boolean isActive(SenderLines[] contents) {
        for (int i = 0; i < contents.length; i++) {
            if (!isSame(lists.get(i).current(), contents[i])) {
                return false;
            }
        }
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // replaced content never comes back
    private static boolean isSame(SenderLines now, @Nullable SenderLines before) {
        return now == before;
    }

    /**
     * Returns what to ask after content that was retired. If nothing has replaced it, a list was
     * closed, and asking again would go on without end.
     */
    private SenderLines[] after(SenderLines[] retired) {
        return isActive(retired) ? CLOSED : contents();
    }

    /** Returns whether some lists have lines that are users', or learned. */
    static boolean havePersonal(SenderLines[] contents) {
        for (SenderLines each : contents) {
            if (each.hasPersonal()) {
                return true;
            }
        }
        return false;
    }

    private Decision decide(MailFacts mail, SenderLines[] contents, @Nullable Explanation steps)
            throws RetiredException {
        Sender envelope = mail.envelope();
        SenderIdentity identity = policy.identity();
        // A mail with the null sender is never listed, so its header is not read.
        boolean readsFrom =
                !envelope.equals(Sender.NULL) && (identity.asksFrom() || havePersonal(contents));
        Sender from = readsFrom ? mail.from().get() : Sender.NULL;
        boolean asksFrom = readsFrom && identity.asksFrom();
        boolean asksEnvelope = !asksFrom || identity.asksEnvelope();
        List<Verdict> verdicts = List.of();
        if (asksEnvelope) {
            if (steps != null && asksFrom) {
                steps.asks("the envelope sender", envelope);
            }
            verdicts =
                    check(
                            readsFrom
                                    ? Question.of(mail, from, envelope)
                                    : Question.ofEnvelope(mail),
                            contents,
                            steps);
        }
        if (asksFrom) {
            if (steps != null) {
                steps.asks("the header From:", from);
            }
            List<Verdict> ofFrom = check(Question.of(mail, from, from), contents, steps);
            verdicts = asksEnvelope ? both(mail, verdicts, ofFrom, steps) : ofFrom;
        }
        if (steps != null
                && policy.listedOnFailure()
                && verdicts.stream().anyMatch(Unavailable.class::isInstance)) {
            steps.add("unavailable counts as listed");
        }
        return new Decision(
                mail.recipients(),
                !asksFrom
                        ? List.of(envelope)
                        : asksEnvelope ? List.of(envelope, from) : List.of(from),
                verdicts,
                steps == null ? List.of() : steps.lines());
    }

    private List<Verdict> both(
            MailFacts mail,
            List<Verdict> envelopes,
            List<Verdict> froms,
            @Nullable Explanation steps) {
        List<Verdict> both = new ArrayList<>(froms.size());
        for (int i = 0; i < froms.size(); i++) {
            both.add(policy.identity().of(envelopes.get(i), froms.get(i)));
        }
        if (steps != null) {
            steps.add(policy.identity().label() + ":");
            steps.verdicts(mail.recipients(), both);
        }
        return both;
    }

    private List<Verdict> check(
            Question question, SenderLines[] contents, @Nullable Explanation steps)
            throws RetiredException {
        List<Verdict> verdicts = verdicts(question, contents, steps);
        if (steps != null) {
            steps.verdicts(question.recipients(), verdicts);
        }
        return verdicts;
    }

    private List<Verdict> verdicts(
            Question question, SenderLines[] contents, @Nullable Explanation steps)
            throws RetiredException {
        if (question.sender() instanceof Nobody(Reason reason, String why)) {
            if (steps != null) {
                steps.add(why);
            }
            return same(question, new NotListed(reason, null));
        }
        if (contents.length < lists.size()) {
            return same(question, new Unavailable(new IOException("the list is closed")));
        }
        if (steps != null) {
            steps.begin(contents);
        }
        Search search = Search.of(contents, policy, question, steps);
        if (search == null) {
            return question.verdicts() == 1 ? STRANGER : same(question, NotListed.STRANGER);
        }
        Weighing weighing = new Weighing(contents, policy, question, search, steps);
        Verdict[] verdicts = new Verdict[question.verdicts()];
        for (int i = 0; i < verdicts.length; i++) {
            verdicts[i] = weighing.verdict(new Recipient(question.recipient(i), policy));
        }
        return List.of(verdicts);
    }

    private static List<Verdict> same(Question question, Verdict verdict) {
        return Collections.nCopies(question.verdicts(), verdict);
    }
}
