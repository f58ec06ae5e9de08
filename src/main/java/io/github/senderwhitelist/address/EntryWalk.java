package io.github.senderwhitelist.address;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** One entry of a list after the other, in the order of {@link Entry#ORDER}. */
@FunctionalInterface
public interface EntryWalk {
    /** Returns the next entry, or null after the last. */
    @Nullable Entry next() throws IOException;

    /** Returns the next entries, less than that only at the end. */
    default List<Entry> next(int max) throws IOException {
        List<Entry> found = new ArrayList<>();
        Entry next;
        while (found.size() < max && (next = next()) != null) {
            found.add(next);
        }
        return found;
    }

    /** Reads a list some entries at a time. */
    @FunctionalInterface
    interface Pages {
        /** Returns some entries, less than that only at the end; null begins with the first. */
        List<Entry> after(@Nullable Entry last, int max) throws IOException;
    }

    /** Returns a walk through all pages, each of which has so many entries. */
    static EntryWalk of(Pages pages, int size) throws IOException {
        Queue<Entry> page = new ArrayDeque<>(pages.after(null, size));
        return () -> {
            Entry next = page.poll();
            if (next != null && page.isEmpty()) {
                page.addAll(pages.after(next, size));
            }
            return next;
        };
    }
}
