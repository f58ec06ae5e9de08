package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.decision.Sender.Nobody;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.List;

/**
 * Several lists that are asked together whether they hold a sender.
 *
 * <p>{@link Contents} has the order of the keys, and {@link Decision} what the lists' lines for
 * them come to. Where a filter says "no", neither the store nor the cache of its list is asked.
 *
 * <p>Safe for use by any number of threads; a question takes no lock.
 */
public final class Whitelist {
    private static final List<Verdict> STRANGER = List.of(NotListed.STRANGER);

    private final List<SenderList> lists;
    private final Policy policy;

    /**
     * The content of all lists as the last check read it. The reference is weak so that a replaced
     * generation can be collected even if nobody asks again.
     */
    private volatile WeakReference<Contents> last = new WeakReference<>(null);

    /** Makes a whitelist of these lists. */
    public Whitelist(List<? extends SenderList> lists, Policy policy) {
        this.lists = List.copyOf(lists);
        this.policy = policy;
    }

    /** Returns a verdict for each recipient, in their order, or a single one without recipients. */
    public List<Verdict> check(Question question) {
        return check(question, null);
    }

    /**
     * Returns a verdict for each recipient, in their order, or a single one without recipients.
     *
     * @param explanation receives the steps of the decision; null for none
     */
    public List<Verdict> check(Question question, @Nullable Explanation explanation) {
        List<Verdict> verdicts =
                question.sender() instanceof Nobody nobody
                        ? nobody(nobody, question, explanation)
                        : decide(question, explanation);
        if (explanation != null) {
            explanation.verdicts(question.recipients(), verdicts);
        }
        return verdicts;
    }

    private static List<Verdict> nobody(
            Nobody sender, Question question, @Nullable Explanation explanation) {
        if (explanation != null) {
            explanation.nobody(sender.why());
        }
        return same(question, new NotListed(sender.reason(), null));
    }

    /** Returns the verdicts on a sender that is known. */
    private List<Verdict> decide(Question question, @Nullable Explanation explanation) {
        while (true) {
            Contents contents = contents();
            if (explanation != null) {
                explanation.begin(contents);
            }
            Decision decision = contents.decision(question, explanation);
            try {
                return decision == null ? strangers(question) : decision.verdicts();
            } catch (RetiredException e) {
                // A refresh came between, so the new content is asked. If nothing has changed, a
                // list was closed, and asking again would go on without end.
                if (contents.areThoseOf(lists)) {
                    return same(question, new Unavailable(new IOException("the list is closed")));
                }
            }
        }
    }

    /**
     * Returns the content of all lists. That of the last check is used again if all its parts are
     * still in force: since replaced content never comes back, they still belong together.
     */
    private Contents contents() {
        Contents contents = last.get();
        if (contents == null || !contents.areThoseOf(lists)) {
            contents = Contents.of(lists, policy);
            last = new WeakReference<>(contents);
        }
        return contents;
    }

    /**
     * Returns what stands for the content of all lists: the same object only as long as none of
     * them is replaced. A caller that asks several questions about one mail sees by it that a
     * refresh came between.
     */
    public Object content() {
        return contents();
    }

    /** Returns whether a list has lines that are users', or learned. */
    public boolean hasPersonal() {
        return contents().hasPersonal();
    }

    private static List<Verdict> strangers(Question question) {
        return question.verdicts() == 1 ? STRANGER : same(question, NotListed.STRANGER);
    }

    private static List<Verdict> same(Question question, Verdict verdict) {
        return Collections.nCopies(question.verdicts(), verdict);
    }
}
