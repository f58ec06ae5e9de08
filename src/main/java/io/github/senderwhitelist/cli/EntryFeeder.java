package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/** Puts the entries of a list into a living one, some at a time. */
final class EntryFeeder {
    /** How many entries go together. More of them gain little. */
    private static final int AT_ONCE = 5_000;

    private final LivingPlace place;
    private final LongConsumer progress;
    private final List<Entry> waiting = new ArrayList<>();
    private long done;
    private long put;

    /**
     * Makes a feeder.
     *
     * @param progress is told how many entries are done
     */
    EntryFeeder(LivingPlace place, LongConsumer progress) {
        this.place = place;
        this.progress = progress;
    }

    /** Takes an entry, whose rules may be of several origins. */
    void add(Entry entry) throws IOException {
        for (Origin origin : Origin.values()) {
            List<Rule> rules =
                    entry.rules().stream().filter(rule -> rule.origin() == origin).toList();
            if (!rules.isEmpty()) {
                waiting.add(new Entry(entry.key(), entry.to(), rules));
            }
        }
        if (waiting.size() >= AT_ONCE) {
            flush();
        }
    }

    /** Puts the entries that wait. */
    void flush() throws IOException {
        try {
            put += place.putAll(waiting);
        } catch (IOException e) {
            throw new IOException(
                    e.getMessage()
                            + " (after "
                            + done
                            + " entries; run the command once more, what is there already stays)",
                    e);
        }
        done += waiting.size();
        waiting.clear();
        progress.accept(done);
    }

    /** Returns how many entries are new or have changed. */
    long put() {
        return put;
    }

    /** Returns how many entries were there already. */
    long unchanged() {
        return done - put;
    }
}
