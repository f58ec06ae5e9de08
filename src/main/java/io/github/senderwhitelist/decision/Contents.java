package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.Sender.Nobody;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/**
 * The content of several lists at one moment, so that an entry that moves from one list to another
 * is never missing from both, and the order of the keys in which they are searched.
 *
 * <p>First come the address that is asked for and the address without its tag. Then come those of
 * the other addresses of the mail, for users' and learned lines only, and last the domain and the
 * parent domains of the first address, from the nearest up. If something is taken off an address
 * (see {@link Unwrapping}), the address as written comes first, and then the keys of the address it
 * stands for.
 */
public final class Contents {
    private static final List<Verdict> STRANGER = List.of(NotListed.STRANGER);

    private final SenderLines[] lists;
    private final Policy policy;
    private final boolean closed;

    private Contents(SenderLines[] lists, Policy policy, boolean closed) {
        this.lists = lists;
        this.policy = policy;
        this.closed = closed;
    }

    /**
     * Returns what stands for lists that are closed: all questions are answered by "unavailable".
     */
    static Contents closed(Policy policy) {
        return new Contents(new SenderLines[0], policy, true);
    }

    /** Reads lists in turn until none has changed for a whole round. */
    static Contents of(List<SenderList> lists, Policy policy) {
        SenderLines[] contents = new SenderLines[lists.size()];
        int same = 0;
        for (int i = 0; same < contents.length; i = (i + 1) % contents.length) {
            SenderLines now = lists.get(i).current();
            same = isSame(now, contents[i]) ? same + 1 : 1;
            contents[i] = now;
        }
        return new Contents(contents, policy, false);
    }

    /** Returns whether this is the content that the lists have now. */
    boolean areThoseOf(List<SenderList> all) {
        for (int i = 0; i < lists.length; i++) {
            if (!isSame(all.get(i).current(), lists[i])) {
                return false;
            }
        }
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // replaced content never comes back
    private static boolean isSame(SenderLines now, @Nullable SenderLines before) {
        return now == before;
    }

    /** Returns the number of lists. */
    int count() {
        return lists.length;
    }

    /** Returns the content of a list; lists are counted from 0. */
    SenderLines list(int i) {
        return lists[i];
    }

    Policy policy() {
        return policy;
    }

    /** Returns whether a list has lines that are users', or learned. */
    public boolean hasPersonal() {
        for (SenderLines each : lists) {
            if (each.hasPersonal()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether a filter says "maybe" to a key of an address. If none does, no list has lines
     * about it. Nothing is looked up.
     */
    public boolean mayHave(Address written) {
        Address sender = policy.unwrapping().unwrap(written, policy.clock()::instant);
        List<Key> keys = new ArrayList<>(sender.keys(policy.subaddressing()));
        keys.add(written.key());
        return closed
                || keys.stream()
                        .anyMatch(key -> Stream.of(lists).anyMatch(list -> list.mayHave(key)));
    }

    /**
     * Returns a verdict for each recipient, in their order, or a single one without recipients.
     *
     * @param explanation receives the steps of the decision; null for none
     * @throws RetiredException when this content was replaced and is closed
     */
    public List<Verdict> check(Question question, @Nullable Explanation explanation)
            throws RetiredException {
        List<Verdict> verdicts = verdicts(question, explanation);
        if (explanation != null) {
            explanation.verdicts(question.recipients(), verdicts);
        }
        return verdicts;
    }

    private List<Verdict> verdicts(Question question, @Nullable Explanation explanation)
            throws RetiredException {
        if (question.sender() instanceof Nobody(Reason reason, String why)) {
            if (explanation != null) {
                explanation.nobody(why);
            }
            return same(question, new NotListed(reason, null));
        }
        if (closed) {
            return same(question, new Unavailable(new IOException("the list is closed")));
        }
        if (explanation != null) {
            explanation.begin(this);
        }
        Decision decision = decision(question, explanation);
        if (decision != null) {
            return decision.verdicts();
        }
        return question.verdicts() == 1 ? STRANGER : same(question, NotListed.STRANGER);
    }

    private static List<Verdict> same(Question question, Verdict verdict) {
        return Collections.nCopies(question.verdicts(), verdict);
    }

    /** Returns the decision on a question, or null if all filters say "no". */
    @Nullable Decision decision(Question question, @Nullable Explanation explanation) {
        Walk walk = walk(question, explanation);
        return walk == null ? null : new Decision(this, walk, question, explanation);
    }

    /**
     * Returns the keys of a question, or null if all filters say "no". Without unwrapping, none is
     * made until a filter says "maybe", so that strangers, who are most senders, cost no
     * allocation.
     */
    private @Nullable Walk walk(Question question, @Nullable Explanation explanation) {
        Walk walk =
                explanation == null && policy.unwrapping().isNone()
                        ? null
                        : new Walk(this, question.asked(), explanation);
        Address asked = question.asked();
        Address sender = walk == null ? asked : walk.sender();
        if (explanation != null && !sender.equals(asked)) {
            explanation.unwrapped(asked, sender);
        }
        walk = withAddress(walk, question, asked, sender);
        for (Address other : question.identities().all()) {
            if (!other.equals(asked) && hasPersonal()) {
                Address person = walk == null ? other : walk.unwrapped(other);
                walk = withAddress(walk, question, other, person);
            }
        }
        byte[] bytes = sender.key().bytes();
        for (int at = sender.firstDomain(); walk == null && at >= 0; at = sender.nextDomain(at)) {
            int maybe = firstMaybe(bytes, at);
            if (maybe < lists.length) {
                walk = new Walk(this, question.asked(), null);
                walk.add(sender.domainKey(at), sender, asked, maybe);
            }
        }
        return walk;
    }

    /** Adds the keys of an address as written, and of the one that it stands for. */
    private @Nullable Walk withAddress(
            @Nullable Walk before, Question question, Address written, Address address) {
        Walk walk = before;
        if (!address.equals(written)) {
            walk = withKey(walk, question, written, written, written.key());
        }
        walk = withKey(walk, question, written, address, address.key());
        Key untagged = address.keyWithoutTag(policy.subaddressing());
        return untagged == null ? walk : withKey(walk, question, written, address, untagged);
    }

    private @Nullable Walk withKey(
            @Nullable Walk before, Question question, Address written, Address of, Key key) {
        int maybe =
                before == null ? firstMaybe(key, written.equals(question.asked())) : Walk.NOT_ASKED;
        if (maybe == lists.length) {
            return null;
        }
        Walk walk = before == null ? new Walk(this, question.asked(), null) : before;
        walk.add(key, of, written, maybe);
        return walk;
    }

    /**
     * Returns the first list whose filter says "maybe" to the key of an address, or their number.
     *
     * @param all whether lists are asked that have no lines of users, and no learned ones
     */
    private int firstMaybe(Key key, boolean all) {
        int i = 0;
        while (i < lists.length
                && !((all || lists[i].hasPersonal()) && lists[i].mightContainAddress(key))) {
            i++;
        }
        return i;
    }

    /** Returns the first list whose filter says "maybe" to a domain, or their number. */
    private int firstMaybe(byte[] bytes, int start) {
        int i = 0;
        while (i < lists.length && !lists[i].mightContainDomain(bytes, start)) {
            i++;
        }
        return i;
    }
}
