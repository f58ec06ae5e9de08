package io.github.senderwhitelist.tools;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The model of a sender whose entry one thread changes on several servers while others ask these.
 * It knows the moments between which each change was made, in nanoseconds as {@link
 * System#nanoTime()} tells them.
 *
 * @param address the sender
 * @param changes all changes in their order; the first tells what held before
 */
public record RacedSender(String address, List<Change> changes) {
    /** A change, and the moments between which it was made. */
    public static final class Change {
        private final Object where;
        private final boolean listed;
        private final long began = System.nanoTime();
        private volatile long ended = Long.MAX_VALUE;

        private Change(Object where, boolean listed) {
            this.where = where;
            this.listed = listed;
        }

        /** Returns whether the sender is listed after it. */
        public boolean listed() {
            return listed;
        }

        /** Takes note that the server has acknowledged the change. */
        public void end() {
            ended = System.nanoTime();
        }
    }

    /** Makes a sender without changes. */
    public static RacedSender of(String address) {
        return new RacedSender(address, new CopyOnWriteArrayList<>());
    }

    /** Takes note that a change is to be made now. */
    public Change begin(Object where, boolean listed) {
        Change change = new Change(where, listed);
        changes.add(change);
        return change;
    }

    /** Returns whether the sender is listed after the last change. */
    public boolean isListed() {
        return changes.getLast().listed;
    }

    /**
     * Returns the verdicts that are right for a check between two moments.
     *
     * @param here the server that is asked, which knows its own changes at once
     * @param looked the server has seen all changes of others that had ended by then
     */
    public Set<String> right(Object here, long looked, long began, long ended) {
        Set<String> right = new HashSet<>();
        for (Change change : changes) {
            if (change.began > ended) {
                break;
            }
            if (change.ended < (change.where.equals(here) ? began : looked)) {
                right.clear();
            }
            right.add(change.listed ? "listed" : "not-listed");
        }
        return right;
    }
}
