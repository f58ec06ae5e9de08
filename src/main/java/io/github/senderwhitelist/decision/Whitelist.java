package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.decision.Sender.Known;
import io.github.senderwhitelist.decision.Sender.Nobody;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
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
                return verdicts(question, contents, null);
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
        return Stream.of(contents)
                .anyMatch(
                        list ->
                                list.mayHave(written.key())
                                        || address.keys(policy.subaddressing()).stream()
                                                .anyMatch(list::mayHave));
    }

    /**
     * Returns the content of all lists at one moment, so that an entry that moves from one list to
     * another is never missing from both: they are read in turn until none has changed for a whole
     * round.
     */
    @SuppressWarnings("ReferenceEquality") // replaced content never comes back
    private SenderLines[] contents() {
        SenderLines[] contents = new SenderLines[lists.size()];
        int same = 0;
        for (int i = 0; same < contents.length; i = (i + 1) % contents.length) {
            SenderLines before = contents[i];
            contents[i] = lists.get(i).current();
            same = contents[i] == before ? same + 1 : 1;
        }
        return contents;
    }

    /**
     * Returns what to ask after content that was retired. If nothing has replaced it, a list was
     * closed, and asking again would go on without end.
     */
    private SenderLines[] after(SenderLines[] retired) {
        SenderLines[] now = contents();
        return Arrays.equals(now, retired) ? CLOSED : now;
    }

    private Decision decide(MailFacts mail, SenderLines[] contents, @Nullable Explanation steps)
            throws RetiredException {
        Sender envelope = mail.envelope();
        SenderIdentity identity = policy.identity();
        // A mail with the null sender is never listed, so its header is not read.
        boolean readsFrom =
                !envelope.equals(Sender.NULL)
                        && (identity.asksFrom() || Search.havePersonal(contents));
        Sender from = readsFrom ? mail.from().get() : Sender.NULL;
        List<Sender> asked =
                !readsFrom || !identity.asksFrom()
                        ? List.of(envelope)
                        : identity.asksEnvelope() ? List.of(envelope, from) : List.of(from);
        if (steps != null && asked.size() == 2) {
            steps.asks("the envelope sender", envelope);
        }
        List<Verdict> verdicts = List.of();
        for (int i = 0; i < asked.size(); i++) {
            boolean isFrom = readsFrom && identity.asksFrom() && i == asked.size() - 1;
            if (steps != null && isFrom) {
                steps.asks("the header From:", from);
            }
            List<Verdict> its = verdicts(Question.of(mail, from, asked.get(i)), contents, steps);
            verdicts = i == 0 ? its : both(mail, verdicts, its, steps);
        }
        if (steps != null
                && policy.listedOnFailure()
                && verdicts.stream().anyMatch(Unavailable.class::isInstance)) {
            steps.add("unavailable counts as listed");
        }
        return new Decision(
                mail.recipients(), asked, verdicts, steps == null ? List.of() : steps.lines());
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

    private List<Verdict> verdicts(
            Question question, SenderLines[] contents, @Nullable Explanation steps)
            throws RetiredException {
        List<Verdict> verdicts;
        if (question.sender() instanceof Nobody(Reason reason, String why)) {
            if (steps != null) {
                steps.add(why);
            }
            verdicts = forAll(question, new NotListed(reason, null));
        } else if (contents.length < lists.size()) {
            verdicts = forAll(question, new Unavailable(new IOException("the list is closed")));
        } else {
            if (steps != null) {
                steps.begin(contents);
            }
            Search search = Search.of(contents, policy, question, steps);
            verdicts =
                    search == null
                            ? forAll(question, NotListed.STRANGER)
                            : new Weighing(search).verdicts();
        }
        if (steps != null) {
            steps.verdicts(question.recipients(), verdicts);
        }
        return verdicts;
    }

    private static List<Verdict> forAll(Question question, Verdict verdict) {
        return verdict.equals(NotListed.STRANGER) && question.recipients().size() <= 1
                ? STRANGER
                : Collections.nCopies(Math.max(1, question.recipients().size()), verdict);
    }
}
