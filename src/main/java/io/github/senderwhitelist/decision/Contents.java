package io.github.senderwhitelist.decision;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The content of several lists at one moment, so that an entry that moves from one list to another
 * is never missing from both.
 */
final class Contents {
    private final SenderLines[] lists;
    private final boolean closed;

    private Contents(SenderLines[] lists, boolean closed) {
        this.lists = lists;
        this.closed = closed;
    }

    /** Returns what stands for lists that are closed: nothing can be looked up. */
    static Contents closed() {
        return new Contents(new SenderLines[0], true);
    }

    /** Reads lists in turn until none has changed for a whole round. */
    static Contents of(List<SenderList> lists) {
        SenderLines[] contents = new SenderLines[lists.size()];
        int same = 0;
        for (int i = 0; same < contents.length; i = (i + 1) % contents.length) {
            SenderLines now = lists.get(i).current();
            same = isSame(now, contents[i]) ? same + 1 : 1;
            contents[i] = now;
        }
        return new Contents(contents, false);
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

    boolean isClosed() {
        return closed;
    }

    /** Returns the number of lists. */
    int count() {
        return lists.length;
    }

    /** Returns the content of a list; lists are counted from 0. */
    SenderLines list(int i) {
        return lists[i];
    }

    /** Returns whether a list has lines that are users', or learned. */
    boolean hasPersonal() {
        for (SenderLines each : lists) {
            if (each.hasPersonal()) {
                return true;
            }
        }
        return false;
    }
}
