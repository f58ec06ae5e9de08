package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.list.LostConditions;
import io.github.senderwhitelist.living.EntryPut;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Loaded;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A writer of entries into a living list, in parts. Each takes the place of what its origin had for
 * the same sender and recipients, but not of a denial, unless that is wanted. What entries lose is
 * complained of and counted.
 */
final class EntryWriter implements Closeable {
    /** How many entries are written at once: one by one, and as a bulk. */
    private static final int PART = 1_000;

    private static final int BULK_PART = 10_000;

    private final ListRecord record;
    private final boolean isBulk;
    private final boolean replaceDenials;
    private final Consumer<String> complaints;
    private final Consumer<EntryPut> replaced;
    private final List<Entry> waiting = new ArrayList<>();
    private volatile long done;
    private boolean hasLoaded;
    private long changed;
    private long denials;
    private long conditions;

    /**
     * Makes a writer.
     *
     * @param expected about how many entries there will be; very many are a bulk
     * @param replaceDenials whether an entry takes the place of one with a denial
     * @param replaced takes what took the place of another entry, unless it is a bulk
     */
    EntryWriter(
            ListRecord record,
            long expected,
            boolean replaceDenials,
            Consumer<String> complaints,
            Consumer<EntryPut> replaced) {
        this.record = record;
        this.isBulk = expected > ListRecord.MAX_ROWS;
        this.replaceDenials = replaceDenials;
        this.complaints = complaints;
        this.replaced = replaced;
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
        if (waiting.size() >= (isBulk ? BULK_PART : PART)) {
            flush();
        }
    }

    /** Writes the entries that wait. */
    void flush() throws IOException {
        try {
            if (isBulk) {
                Loaded loaded = record.load(waiting, replaceDenials);
                hasLoaded = true;
                changed += loaded.changed();
                loaded.others().forEach(other -> compare(other.before(), other.now()));
            } else if (!waiting.isEmpty()) {
                List<EntryPut> puts =
                        waiting.stream().map(each -> new EntryPut(each, !replaceDenials)).toList();
                List<Effect> effects =
                        record.write(puts.stream().map(EntryPut::edit).toList(), DatabaseList.WHO);
                for (int i = 0; i < puts.size(); i++) {
                    changed += effects.get(i) == Effect.NONE ? 0 : 1;
                    if (effects.get(i) == Effect.REPLACED) {
                        replaced.accept(puts.get(i));
                    }
                    compare(puts.get(i).before(), puts.get(i).entry());
                }
            }
        } catch (IOException e) {
            throw new IOException(
                    "%s (after %s entries; run the command once more, what is there already stays)"
                            .formatted(e.getMessage(), done),
                    e);
        }
        long all = done + waiting.size();
        done = all;
        waiting.clear();
    }

    private void compare(Entry there, Entry now) {
        boolean undenies = there.denied() && !now.denied();
        if (undenies) {
            denials++;
            String taken = "'%s' was replaced by '%s'";
            String kept = "'%s' stays, '%s' was not added; to add it, give --replace-denials";
            complaints.accept((replaceDenials ? taken : kept).formatted(there, now));
        }
        if (!undenies || replaceDenials) {
            List<String> lost = LostConditions.of(there, now);
            conditions += lost.size();
            lost.forEach(complaints);
        }
    }

    /** Returns how many entries are in the database, whether they are new or not. */
    long done() {
        return done;
    }

    /** Returns the counts in one line. */
    @Override
    public String toString() {
        long kept = replaceDenials ? 0 : denials;
        String verb = replaceDenials ? "replaced" : "kept";
        return Numbers.count(changed, "added", "added")
                + ", "
                + Numbers.count(done - changed - kept, "unchanged", "unchanged")
                + Numbers.countIfAny(", ", denials, "denial " + verb, "denials " + verb)
                + Numbers.countIfAny(", ", conditions, "condition lost", "conditions lost");
    }

    /** Ends a bulk, which servers read then; what is not flushed is not written. */
    @Override
    public void close() throws IOException {
        if (hasLoaded) {
            record.endLoad();
        }
    }
}
