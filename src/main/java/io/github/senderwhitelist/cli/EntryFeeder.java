package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** A writer of many entries into a living list, in batches. */
final class EntryFeeder {
    private final LivingPlace place;
    private final Replacements replacements;
    private final LongConsumer progress;
    private final List<Entry> waiting = new ArrayList<>();
    private final AtomicLong done = new AtomicLong();
    private long put;

    /**
     * Makes a feeder.
     *
     * @param replacements what is done to entries that are there
     * @param progress receives the number of entries that are done
     */
    EntryFeeder(LivingPlace place, Replacements replacements, LongConsumer progress) {
        this.place = place;
        this.replacements = replacements;
        this.progress = progress;
    }

    /** Returns an entry of each origin that rules of an entry have. */
    static List<Entry> byOrigin(Entry entry) {
        List<Entry> entries = new ArrayList<>();
        for (Origin origin : Origin.values()) {
            List<Rule> rules = entry.rulesOf(origin);
            if (!rules.isEmpty()) {
                entries.add(new Entry(entry.key(), entry.to(), rules));
            }
        }
        return entries;
    }

    /** Takes an entry, whose rules may be of several origins. */
    void add(Entry entry) throws IOException {
        waiting.addAll(byOrigin(entry));
        if (waiting.size() >= place.part()) {
            flush();
        }
    }

    /** Puts the entries that wait. */
    void flush() throws IOException {
        try {
            put += place.putAll(waiting, replacements);
        } catch (IOException e) {
            throw new IOException(e.getMessage() + afterFailure(done.get()), e);
        }
        done.addAndGet(waiting.size());
        waiting.clear();
        progress.accept(done.get());
    }

    /** Returns the end of the message of a failure, after so many entries. */
    static String afterFailure(long done) {
        return " (after "
                + done
                + " entries; run the command once more, what is there already stays)";
    }

    /** Returns how many entries are in the database, whether they are new or not. */
    long done() {
        return done.get();
    }

    /** Returns how many entries are new or have changed. */
    long put() {
        return put;
    }

    /** Returns how many entries were there already. */
    long unchanged() {
        return done.get() - put - replacements.kept();
    }
}
