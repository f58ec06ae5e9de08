package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.list.LostConditions;
import io.github.senderwhitelist.living.EntryPut;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Loaded;
import io.github.senderwhitelist.living.ListRecord.Other;
import io.github.senderwhitelist.snapshot.BuildProgress.Phase;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A command that adds entries to a living list, {@code add} or {@code import}. Each entry takes the
 * place of what its origin had for the same sender and recipients, but not of a denial, unless that
 * is wanted. What entries lose by it is complained of and counted: it may be what kept a forger
 * out.
 *
 * <p>Entries go in parts, each all or none of it. So a command that fails, or is stopped, is run
 * once more, and finds what is there already unchanged.
 */
abstract class FillCommand extends Subcommand {
    /** How many entries are written at once: one by one, and as a bulk. */
    private static final int PART = 1_000;

    private static final int BULK_PART = 10_000;

    @Parameters(index = "0", paramLabel = "LIST", description = "A living list.")
    private String list = "";

    @Option(names = "--create", description = "Make the list, which conf does not define.")
    private boolean create;

    @Mixin private Place place = new Place();

    private volatile boolean isOver;
    private volatile long done;
    private long changed;
    private long denials;
    private long conditions;

    /** Returns the list by its name, before anything is read. */
    final DatabaseList.Name named() throws IOException {
        return place.living(list);
    }

    /** Returns whether an entry takes the place of one with a denial. */
    abstract boolean replacesDenials();

    /** Takes what took the place of another entry. */
    abstract void replaced(EntryPut put);

    /** Adds all entries of a list that was built, and returns the counts in one line. */
    final String fill(DatabaseList.Name target, FileList entries) throws IOException {
        long all = entries.snapshot().header().entries();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> sayHowFar(all)));
        try (DatabaseList living = target.open(create || target.isDefined() ? err : null);
                Progress progress = new Progress()) {
            boolean isBulk = all > ListRecord.MAX_ROWS;
            OpenList.Walk walk = entries.walk(null);
            List<Entry> part = next(walk, isBulk);
            while (!part.isEmpty()) {
                write(living.record(), part, isBulk);
                long written = done + part.size();
                done = written;
                progress.report(Phase.WRITING, written, all);
                part = next(walk, isBulk);
            }
            if (isBulk) {
                living.record().endLoad();
            }
        } catch (IOException e) {
            if (done == 0) {
                throw e;
            }
            throw new IOException(
                    "%s (after %s entries, which stay; run the command once more)"
                            .formatted(e.getMessage(), done),
                    e);
        } finally {
            isOver = true;
        }
        String verb = replacesDenials() ? "replaced" : "kept";
        long unchanged = done - changed - (replacesDenials() ? 0 : denials);
        return "%s: %s, %s%s%s"
                .formatted(
                        list,
                        Numbers.count(changed, "added", "added"),
                        Numbers.count(unchanged, "unchanged", "unchanged"),
                        Numbers.andCount(denials, "denial " + verb, "denials " + verb),
                        Numbers.andCount(conditions, "condition lost", "conditions lost"));
    }

    /** Says at Ctrl-C how far the command came. */
    private void sayHowFar(long all) {
        if (!isOver) {
            err.println(
                    "stopped after %s of %s entries, which stay; run it again"
                            .formatted(done, all));
        }
    }

    /** Returns the next part of a list, which is empty after the last. */
    private static List<Entry> next(OpenList.Walk walk, boolean isBulk) throws IOException {
        int size = isBulk ? BULK_PART : PART;
        List<Entry> part = new ArrayList<>();
        Entry entry = walk.next();
        while (entry != null) {
            part.addAll(byOrigin(entry));
            entry = part.size() < size ? walk.next() : null;
        }
        return part;
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

    /** Writes a part. Very many entries go as a bulk, which has no history but is faster. */
    private void write(ListRecord record, List<Entry> part, boolean isBulk) throws IOException {
        if (isBulk) {
            Loaded loaded = record.load(part, replacesDenials());
            changed += loaded.changed();
            for (Other other : loaded.others()) {
                compare(other.before(), other.now());
            }
            return;
        }
        List<EntryPut> puts =
                part.stream().map(each -> new EntryPut(each, !replacesDenials())).toList();
        List<Effect> effects =
                record.write(puts.stream().map(EntryPut::edit).toList(), DatabaseList.WHO);
        for (int i = 0; i < puts.size(); i++) {
            changed += effects.get(i) == Effect.NONE ? 0 : 1;
            if (effects.get(i) == Effect.REPLACED) {
                replaced(puts.get(i));
            }
            compare(puts.get(i).before(), puts.get(i).entry());
        }
    }

    /** Complains of what an entry takes away from the one that was there. */
    private void compare(Entry there, Entry now) {
        boolean undenies = there.denied() && !now.denied();
        if (undenies) {
            denials++;
            String taken = "'%s' was replaced by '%s'";
            String kept = "'%s' stays, '%s' was not added; to add it, give --replace-denials";
            err.report((replacesDenials() ? taken : kept).formatted(there, now));
        }
        if (!undenies || replacesDenials()) {
            List<String> lost = LostConditions.of(there, now);
            conditions += lost.size();
            lost.forEach(err::report);
        }
    }
}
