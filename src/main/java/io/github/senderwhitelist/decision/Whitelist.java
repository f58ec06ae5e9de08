package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.decision.SenderLines.RetiredException;

import java.lang.ref.WeakReference;
import java.util.List;

/**
 * Several lists in which a sender is looked up as if they were one.
 *
 * <p>{@link Contents} has the order of the keys, and {@link Decision} what the lists' lines for
 * them come to. Where a filter says "no", neither the store nor the cache of its list is asked.
 *
 * <p>Safe for use by any number of threads; a question takes no lock.
 */
public final class Whitelist {
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

    /**
     * Questions about one mail, all asked of the same content of the lists.
     *
     * @param <T> the answer to all of them
     */
    @FunctionalInterface
    public interface Inquiry<T> {
        /** Asks the questions; called again if a refresh closes the content meanwhile. */
        T ask(Contents contents) throws RetiredException;
    }

    /** Returns the answer to questions that are all asked of the content at one moment. */
    public <T> T ask(Inquiry<T> inquiry) {
        Contents contents = contents();
        while (true) {
            try {
                return inquiry.ask(contents);
            } catch (RetiredException e) {
                // If nothing has replaced the content, a list was closed, and asking again would go
                // on without end.
                contents = contents.areThoseOf(lists) ? Contents.closed(policy) : contents();
            }
        }
    }

    /** Returns a verdict for each recipient, in their order, or a single one without recipients. */
    public List<Verdict> check(Question question) {
        return ask(contents -> contents.check(question, null));
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
}
