package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.cli.Place.Named;
import io.github.senderwhitelist.store.BlockStore;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * The entries of a list with rules, one after the other, in the order of their keys: of a file, or
 * of a database, from which they are read some at a time.
 */
final class EntryWalk implements Closeable {
    private static final int PAGE = 1_000;

    private final Closeable source;
    private final Next read;
    private final long count;
    private final @Nullable Key to;

    /** Returns the next entry, with or without rules, or null after the last. */
    @FunctionalInterface
    private interface Next {
        @Nullable Entry next() throws IOException;
    }

    private EntryWalk(Closeable source, Next read, long count, @Nullable Key to) {
        this.source = source;
        this.read = read;
        this.count = count;
        this.to = to;
    }

    /**
     * Opens a list.
     *
     * @param to the recipient for whom alone entries are wanted, or null
     */
    static EntryWalk of(Named named, @Nullable Key to, Complaints complaints) throws IOException {
        switch (named) {
            case Named.InDatabase list -> {
                LivingPlace place = LivingPlace.open(list);
                return new EntryWalk(place, pages(place, to), -1, to);
            }
            case Named.InFile(var file) -> {
                ListFiles.Opened list = ListFiles.open(file, false);
                list.complain(complaints);
                BlockStore.Walk walk = list.store().walk();
                long count = list.snapshot().header().entries();
                return new EntryWalk(list, walk::next, count, to);
            }
        }
    }

    private static Next pages(LivingPlace place, @Nullable Key to) {
        return new Next() {
            private List<Entry> page = List.of();
            private int at;
            private boolean isLast;

            @Override
            public @Nullable Entry next() throws IOException {
                if (at == page.size() && !isLast) {
                    Entry last = page.isEmpty() ? null : page.getLast();
                    page = to == null ? place.after(last, PAGE) : place.entriesFor(to);
                    isLast = to != null || page.isEmpty();
                    at = 0;
                }
                return at == page.size() ? null : page.get(at++);
            }
        };
    }

    /** Returns the next entry, or null after the last. */
    @Nullable Entry next() throws IOException {
        Entry entry = read.next();
        while (entry != null
                && (entry.rules().isEmpty() || (to != null && !to.equals(entry.to())))) {
            entry = read.next();
        }
        return entry;
    }

    /** Returns about how many entries there are, or a negative number if that is not known. */
    long count() {
        return count;
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
