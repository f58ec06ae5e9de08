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
 * The keys of one mail, from the most specific to the widest. Each is looked up when the first
 * recipient gets to it, and only then. For use by one thread.
 */
final class Walk {
    /** Stands for a list where no filter was asked yet. */
    static final int NOT_ASKED = -1;

    private final Contents contents;
    private final Address asked;
    private final Address sender;
    private final @Nullable Explanation explanation;
    private @Nullable Step first;
    private @Nullable Step last;
    private @Nullable Instant now;

    /** An entry for all recipients, and the number of the list in which it is. */
    record Found(int list, Entry entry) {}

    /**
     * Makes a walk without keys.
     *
     * @param asked the address that is asked for
     */
    Walk(Contents contents, Address asked, @Nullable Explanation explanation) {
        this.contents = contents;
        this.asked = asked;
        this.explanation = explanation;
        this.sender = unwrapped(asked);
    }

    /**
     * Adds a key. Those of the domains of the sender follow by themselves.
     *
     * @param of the address that the key belongs to
     * @param written the address of the mail that this is, or stands for
     * @param maybe the first list whose filter said "maybe", or {@link #NOT_ASKED}
     */
    void add(Key key, Address of, Address written, int maybe) {
        Step step = new Step(key, of, written, maybe);
        if (last == null) {
            first = step;
        } else {
            last.next = step;
        }
        last = step;
    }

    /** Returns the address that the one asked for stands for. */
    Address sender() {
        return sender;
    }

    /** Returns the address that one of the mail stands for. */
    Address unwrapped(Address written) {
        return contents.policy().unwrapping().unwrap(written, this::now);
    }

    /** Returns the time of the decision. All conditions of one decision see the same time. */
    Instant now() {
        if (now == null) {
            now = contents.policy().clock().instant();
        }
        return now;
    }

    /** Returns the first key, or null if there is none. */
    @Nullable Step first() {
        return first;
    }

    /** A key of the mail, which is looked up once for all recipients. */
    final class Step {
        private final Key key;
        private final Address of;
        private final Address written;
        private final int maybe;
        private @Nullable Step next;
        private @Nullable List<Found> found;
        private @Nullable IOException failure;

        Step(Key key, Address of, Address written, int maybe) {
            this.key = key;
            this.of = of;
            this.written = written;
            this.maybe = maybe;
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

        /** Returns the next key, which may be that of a domain, or null after the last. */
        @Nullable Step next() {
            if (next == null) {
                int domain =
                        key.isDomain()
                                ? sender.nextDomain(key.domainStart())
                                : sender.firstDomain();
                next =
                        domain < 0
                                ? null
                                : new Step(sender.domainKey(domain), sender, asked, NOT_ASKED);
            }
            return next;
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
            for (int i = 0; i < contents.count(); i++) {
                if (isAsked() || contents.list(i).hasPersonal()) {
                    boolean mayHave =
                            i == maybe || (i > maybe && contents.list(i).mightContain(key));
                    if (explanation != null) {
                        explanation.filter(i, key, mayHave);
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
            SenderLines lines = contents.list(list);
            Entry entry = lines.find(key, to);
            if (explanation != null) {
                explanation.found(list, key, to, entry, lines.source(key, to));
            }
            return entry;
        }
    }
}
