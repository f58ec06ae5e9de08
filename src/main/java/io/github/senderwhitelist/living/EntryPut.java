package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Target;

import java.util.List;

/** An entry that takes the place of its origin's, and what it took the place of. */
public final class EntryPut {
    private final Entry entry;
    private final boolean keepsDenials;

    /** The rules that were there; the transaction may read them several times. */
    private volatile List<Rule> before = List.of();

    /**
     * Makes a put.
     *
     * @param keepsDenials whether what is there stays if it denies and the entry does not
     */
    public EntryPut(Entry entry, boolean keepsDenials) {
        this.entry = entry;
        this.keepsDenials = keepsDenials;
    }

    /** Returns the edit that does it. */
    public Edit edit() {
        return new Edit(
                Target.of(entry),
                rules -> {
                    before = rules;
                    return isKept() ? rules : entry.rules();
                });
    }

    /** Returns the entry. */
    public Entry entry() {
        return entry;
    }

    /** Returns what was there, once it is done; without rules if that was nothing. */
    public Entry before() {
        return new Entry(entry.key(), entry.to(), before);
    }

    /** Returns whether what was there has stayed. */
    public boolean isKept() {
        return keepsDenials && before.stream().anyMatch(Rule::denied) && !entry.denied();
    }
}
