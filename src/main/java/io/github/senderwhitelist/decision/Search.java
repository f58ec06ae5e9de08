package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The search for the lines about the sender of one mail, key by key. Each key is looked up when the
 * first recipient gets to it, and only then. For use by one thread.
 *
 * <p>First come the address that is asked for and the address without its tag. Then come those of
 * the other addresses of the mail, for users' and learned lines only, and last the domain and the
 * parent domains of the first address, from the nearest up. If something is taken off an address
 * (see {@link Unwrapping}), the address as written comes first, and then the keys of the address it
 * stands for.
 */
final class Search {
    /** Stands for a list where no filter was asked yet. */
    private static final int NOT_ASKED = -1;

    private final SenderLines[] contents;
    private final Policy policy;
    private final Address asked;
    private final @Nullable Explanation explanation;
    private final List<Step> steps = new ArrayList<>();
    private @Nullable Instant now;

    /** An entry for all recipients, and the number of the list in which it is. */
    record Found(int list, Entry entry) {}

    /**
     * Returns the search that answers a question, or null if all filters say "no". If only the
     * address that is asked for counts, nothing is allocated until a filter says "maybe": most
     * senders are strangers.
     */
    static @Nullable Search of(
            SenderLines[] contents,
            Policy policy,
            Question question,
            @Nullable Explanation explanation) {
        Address asked = question.asked();
        if (explanation != null || !policy.unwrapping().isNone() || hasOthers(contents, question)) {
            return new Search(contents, policy, question, explanation);
        }
        // The number of keys that all filters say "no" to, and the first list that says "maybe".
        int known = 0;
        int maybe = firstMaybe(contents, asked.key());
        Key untagged = asked.keyWithoutTag(policy.subaddressing());
        if (maybe == contents.length && untagged != null) {
            known++;
            maybe = firstMaybe(contents, untagged);
        }
        byte[] bytes = asked.key().bytes();
        int domain = asked.firstDomain();
        while (maybe == contents.length && domain >= 0) {
            known++;
            maybe = firstMaybe(contents, bytes, domain);
            domain = asked.nextDomain(domain);
        }
        if (maybe == contents.length) {
            return null;
        }
        Search search = new Search(contents, policy, question, null);
        search.steps.subList(0, known).clear();
        search.steps.getFirst().maybe = maybe;
        return search;
    }

    private static boolean hasOthers(SenderLines[] contents, Question question) {
        List<Address> all = question.all();
        for (int i = 0; i < all.size(); i++) {
            if (!all.get(i).equals(question.asked())) {
                return Whitelist.havePersonal(contents);
            }
        }
        return false;
    }

    /**
     * Returns the first list whose filter says "maybe" to the key of an address, or their number.
     */
    private static int firstMaybe(SenderLines[] contents, Key key) {
        int i = 0;
        while (i < contents.length && !contents[i].mightContainAddress(key)) {
            i++;
        }
        return i;
    }

    /** Returns the first list whose filter says "maybe" to a domain, or their number. */
    private static int firstMaybe(SenderLines[] contents, byte[] bytes, int start) {
        int i = 0;
        while (i < contents.length && !contents[i].mightContainDomain(bytes, start)) {
            i++;
        }
        return i;
    }

    private Search(
            SenderLines[] contents,
            Policy policy,
            Question question,
            @Nullable Explanation explanation) {
        this.contents = contents;
        this.policy = policy;
        this.asked = question.asked();
        this.explanation = explanation;
        Address sender = unwrapped(asked);
        if (explanation != null && !sender.equals(asked)) {
            explanation.unwrapped(asked, sender);
        }
        add(asked, sender);
        if (Whitelist.havePersonal(contents)) {
            for (Address other : question.others()) {
                add(other, unwrapped(other));
            }
        }
        for (int at = sender.firstDomain(); at >= 0; at = sender.nextDomain(at)) {
            steps.add(new Step(sender.domainKey(at), sender, asked));
        }
    }

    private Address unwrapped(Address written) {
        return policy.unwrapping().unwrap(written, this::now);
    }

    /** Adds the keys of an address as written, and of the one that it stands for. */
    private void add(Address written, Address address) {
        if (!address.equals(written)) {
            steps.add(new Step(written.key(), written, written));
        }
        for (Key key : address.addressKeys(policy.subaddressing())) {
            steps.add(new Step(key, address, written));
        }
    }

    /** Returns the time of the decision. All conditions of one decision see the same time. */
    Instant now() {
        if (now == null) {
            now = policy.clock().instant();
        }
        return now;
    }

    /** Returns the keys, in the order in which they count. */
    List<Step> steps() {
        return steps;
    }

    /** A key of the mail, which is looked up once for all recipients. */
    final class Step {
        private final Key key;
        private final Address of;
        private final Address written;
        private int maybe = NOT_ASKED;
        private @Nullable List<Found> found;
        private @Nullable IOException failure;

        /**
         * Makes a step that was not looked up.
         *
         * @param of the address that the key belongs to
         * @param written the address of the mail that this is, or stands for
         */
        Step(Key key, Address of, Address written) {
            this.key = key;
            this.of = of;
            this.written = written;
        }

        /** Returns the address that the key belongs to. */
        Address of() {
            return of;
        }

        /** Returns the address of the mail that it is, or stands for. */
        Address written() {
            return written;
        }

        /** Returns whether it is a key of the address that is asked for. */
        boolean isAsked() {
            return written.equals(asked);
        }

        boolean isDomain() {
            return key.isDomain();
        }

        /** Returns whether it is the account that has forwarded the mail of somebody else. */
        boolean isForwarder() {
            return !isDomain() && !key.equals(of.key()) && of.isForwarded();
        }

        /** Returns the entries of all lists for the key, or fails as it did before. */
        List<Found> found() throws IOException, RetiredException {
            if (failure != null) {
                throw failure;
            }
            if (found == null) {
                try {
                    found = lookUp();
                } catch (IOException e) {
                    failure = e;
                    throw e;
                }
            }
            return found;
        }

        /** Asks only lists with lines that are compared with the address. */
        private List<Found> lookUp() throws IOException, RetiredException {
            List<Found> all = new ArrayList<>(0);
            for (int i = 0; i < contents.length; i++) {
                if (isAsked() || contents[i].hasPersonal()) {
                    boolean mayHave = i == maybe || (i > maybe && contents[i].mightContain(key));
                    if (explanation != null && !mayHave) {
                        explanation.absent(i, key);
                    }
                    Entry entry = mayHave ? find(i, null) : null;
                    if (entry != null) {
                        all.add(new Found(i, entry));
                    }
                }
            }
            return all;
        }

        /** Returns what a list has for the key and some recipients, or all if they are null. */
        @Nullable Entry find(int list, @Nullable Key to) throws IOException, RetiredException {
            SenderLines lines = contents[list];
            Entry entry = lines.find(key, to);
            if (explanation != null) {
                explanation.found(list, key, to, entry, lines.source(key, to));
            }
            return entry;
        }
    }
}
