package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.living.Changes.Changed;
import io.github.senderwhitelist.store.BlockStore;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Iterator;

/** A cursor over the entries of a base with its changes laid over them. For one thread. */
final class CurrentEntries {
    private final BlockStore.Walk base;
    private final Iterator<Changed> changes;
    private @Nullable Entry nextOfBase;
    private @Nullable Changed nextChange;

    /**
     * Takes both in the order of {@link Entry#ORDER}.
     *
     * @param base a walk at its beginning
     */
    CurrentEntries(BlockStore.Walk base, Iterator<Changed> changes) throws IOException {
        this.base = base;
        this.changes = changes;
        this.nextOfBase = base.next();
        this.nextChange = changes.hasNext() ? changes.next() : null;
    }

    /** Returns the next entry that has rules, or null after the last one. */
    @Nullable Entry next() throws IOException {
        while (nextOfBase != null || nextChange != null) {
            Entry next = advance();
            if (next != null && !next.rules().isEmpty()) {
                return next;
            }
        }
        return null;
    }

    private @Nullable Entry advance() throws IOException {
        Entry entry = nextOfBase;
        Changed change = nextChange;
        int order =
                entry == null
                        ? 1
                        : change == null ? -1 : Entry.ORDER.compare(entry, change.where());
        if (order <= 0) {
            nextOfBase = base.next();
        }
        if (order >= 0) {
            nextChange = changes.hasNext() ? changes.next() : null;
        }
        return change == null || order < 0 ? entry : change.over(order == 0 ? entry : null);
    }
}
