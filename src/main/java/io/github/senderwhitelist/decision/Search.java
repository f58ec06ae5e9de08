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
    final SenderLines[] contents;
    final Policy policy;
    final Question question;
    final @Nullable Explanation explanation;

    /** The keys, in the order in which they count. */
    final List<Step> steps = new ArrayList<>();

    private final Address asked;
    private @Nullable Instant now;

    /**
     * Returns the search that answers a question, or null if all filters say "no". If only the
     * address that is asked for counts, no object is made until a filter says "maybe", but for the
     * address without its tag: most senders are strangers.
     */
    static @Nullable Search of(
            SenderLines[] contents,
            Policy policy,
            Question question,
            @Nullable Explanation explanation) {
        boolean hasOthers = havePersonal(contents) && !question.others().isEmpty();
        if (explanation != null || !policy.unwrapping().isNone() || hasOthers) {
            return new Search(contents, policy, question, explanation);
        }
        Address asked = question.asked();
        // The number of keys that all filters say "no" to, and the first list that says "maybe".
        int known = 0;
        int maybe = firstMaybe(contents, asked.key().bytes(), 0);
        Key untagged = asked.keyWithoutTag(policy.subaddressing());
        if (maybe == contents.length && untagged != null) {
            known++;
            maybe = firstMaybe(contents, untagged.bytes(), 0);
        }
        int domain = asked.firstDomain();
        while (maybe == contents.length && domain >= 0) {
            known++;
            maybe = firstMaybe(contents, asked.key().bytes(), domain);
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

    /** Returns the first list whose filter says "maybe" to a key, or their number. */
    private static int firstMaybe(SenderLines[] contents, byte[] key, int from) {
        int i = 0;
        while (i < contents.length && !contents[i].mightContain(key, from)) {
            i++;
        }
        return i;
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

    private Search(
            SenderLines[] contents,
            Policy policy,
            Question question,
            @Nullable Explanation explanation) {
        this.contents = contents;
        this.policy = policy;
        this.question = question;
        this.explanation = explanation;
        this.asked = question.asked();
        Address sender = add(asked);
        if (explanation != null && !sender.equals(asked)) {
            explanation.add(asked + " stands for " + sender);
        }
        if (havePersonal(contents)) {
            question.others().forEach(this::add);
        }
        for (int at = sender.firstDomain(); at >= 0; at = sender.nextDomain(at)) {
            steps.add(new Step(sender.domainKey(at), sender, asked));
        }
    }

    /** Adds the keys of an address as written, and of the one that it stands for; returns that. */
    private Address add(Address written) {
        Address address = policy.unwrapping().unwrap(written, this::now);
        if (!address.equals(written)) {
            steps.add(new Step(written.key(), written, written));
        }
        for (Key key : address.addressKeys(policy.subaddressing())) {
            steps.add(new Step(key, address, written));
        }
        return address;
    }

    /** Returns the time of the decision. All conditions of one decision see the same time. */
    Instant now() {
        if (now == null) {
            now = policy.clock().instant();
        }
        return now;
    }

    /** A key of the mail, which is looked up once for all recipients. */
    final class Step {
        final Key key;

        /** The address that the key belongs to. */
        final Address of;

        /** The address of the mail that this is, or stands for. */
        final Address written;

        /** The first list whose filter says "maybe"; -1 if none was asked yet. */
        private int maybe = -1;

        private @Nullable Entry @Nullable [] found;
        private @Nullable IOException failure;

        Step(Key key, Address of, Address written) {
            this.key = key;
            this.of = of;
            this.written = written;
        }

        /** Returns whether it is a key of the address that is asked for. */
        boolean isAsked() {
            return written.equals(asked);
        }

        /** Returns whether it is the account that has forwarded the mail of somebody else. */
        boolean isForwarder() {
            return !key.isDomain() && !key.equals(of.key()) && of.isForwarded();
        }

        /** Returns the entry of each list for the key and all recipients, or fails as before. */
        @Nullable Entry[] found() throws IOException, RetiredException {
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
        private @Nullable Entry[] lookUp() throws IOException, RetiredException {
            @Nullable Entry[] all = new Entry[contents.length];
            for (int i = 0; i < contents.length; i++) {
                if (isAsked() || contents[i].hasPersonal()) {
                    if (i == maybe || (i > maybe && contents[i].mightContain(key))) {
                        all[i] = find(i, null);
                    } else if (explanation != null) {
                        explanation.found(i, key, null, null);
                    }
                }
            }
            return all;
        }

        /** Returns what a list has for the key and some recipients, or all if they are null. */
        @Nullable Entry find(int list, @Nullable Key to) throws IOException, RetiredException {
            Entry entry = contents[list].find(key, to);
            if (explanation != null) {
                explanation.found(list, key, to, entry);
            }
            return entry;
        }
    }
}
