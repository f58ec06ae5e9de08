package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.EntryWalk;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.list.LostConditions;
import io.github.senderwhitelist.living.EntryPut;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Loaded;
import io.github.senderwhitelist.living.ListRecord.Other;
import io.github.senderwhitelist.snapshot.BuildProgress.Phase;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.TextSource;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A command that adds entries to a living list, {@code add} or {@code import}. Each entry takes the
 * place of what its origin had for the same sender and recipients, but not of a denial, unless that
 * is wanted. What entries lose by it is complained of and counted: it may be what kept a forger
 * out.
 *
 * <p>Entries go in parts, each all or none of it. So a command that fails, or is stopped, is run
 * once more, and finds what is there already unchanged.
 */
abstract class FillCommand extends ListCommand {
    /** How many entries are written in one transaction. */
    private static final int PART = 1_000;

    /** The same where there are very many, which have no history. */
    private static final int BULK_PART = 10_000;

    @Parameters(index = "0", paramLabel = "LIST", description = "A living list.")
    String list = "";

    @Option(names = "--create", description = "Make the list, which conf does not define.")
    private boolean create;

    /** Whether an entry takes the place of one with a denial. */
    boolean replacesDenials;

    /** Whether there is nothing more to say at Ctrl-C. */
    private volatile boolean isOver;

    /** How many entries are in the list, changed or as they were. */
    private volatile long done;

    /** How many of them are new or have changed. */
    private long changed;

    /** How many denials stayed, or were replaced. */
    private long denials;

    /** How many conditions entries have lost. */
    private long conditions;

    /**
     * {@code add LIST ENTRY...}: adds entries to a living list. They become entries as the lines of
     * a text list do. Whoever types them means them, so they also replace denials.
     */
    @Command(
            description = "Adds entries to a living list, in place of what was there.",
            footer = {
                "  whitelist add own alice@example.com @example.org",
                "  whitelist add own 'bob@example.org until=2030-12-31 auth=dkim note=ticket 4711'",
                "  whitelist add own --conf /opt/james/conf - < lines.txt"
            })
    static final class Add extends FillCommand {
        @Parameters(
                index = "1..*",
                arity = "1..*",
                paramLabel = "ENTRY",
                description = "Lines of a list, each one argument; '-': standard input.")
        private List<String> lines = List.of();

        @Override
        int call() throws IOException {
            DatabaseList.Name target = living(list);
            List<Entry> entries = InputLines.entries(lines);
            if (entries.isEmpty()) {
                throw new IOException(
                        "no entry, but empty lines and comments; nothing was changed");
            }
            StringBuilder text = new StringBuilder();
            entries.forEach(entry -> text.append(entry).append('\n'));
            byte[] bytes = text.toString().getBytes(UTF_8);
            TextSource source =
                    new TextSource(
                            "the entries", bytes.length, () -> new ByteArrayInputStream(bytes));
            replacesDenials = true;
            try (FileList built = FileList.build(List.of(source))) {
                String counts = fill(target, built);
                entries.stream()
                        .map(LintCommand::doubt)
                        .filter(Objects::nonNull)
                        .forEach(err::report);
                out.println(counts);
            }
            return Main.DONE;
        }

        @Override
        void replaced(EntryPut put) {
            out.println("was: " + put.before() + "\tnow: " + put.entry());
        }
    }

    /**
     * {@code import LIST FILE...}: adds the entries of files to a living list. All files are read
     * before the first entry is added, so that a bad file leaves the list as it was.
     */
    @Command(
            description =
                    "Adds all entries of files to a living list, in place of what was there, unless"
                            + " that has a '!'. Other entries stay.",
            footer = {
                "  whitelist import own whitelist.txt",
                "  whitelist import own --from postfix /etc/postfix/sender_access",
                "  whitelist import own --from vcard --for sam@here.example contacts.vcf"
            })
    static final class Import extends FillCommand {
        @Parameters(
                index = "1..*",
                arity = "1..*",
                paramLabel = "FILE",
                description = "Text lists, plain or gzip; '-': standard input.")
        private List<String> files = List.of();

        @Mixin private ForeignOptions foreign = new ForeignOptions();

        @Option(names = "--replace-denials", description = "Also replace entries with '!'.")
        private boolean wanted;

        @Override
        int call() throws IOException {
            long start = System.nanoTime();
            DatabaseList.Name target = living(list);
            replacesDenials = wanted;
            try (FileList built = FileList.build(foreign.converted(FileList.texts(files), this))) {
                String counts = fill(target, built);
                foreign.sumUp(this);
                BuildReport report = Objects.requireNonNull(built.report());
                err.skipped(report);
                String lines = Numbers.count(report.lines(), "line", "lines");
                out.println(counts + "; " + lines + "; " + Numbers.secondsSince(start));
            }
            return Main.DONE;
        }

        /** Of a file's entries only what they take away is reported. */
        @Override
        void replaced(EntryPut put) {}
    }

    /** Takes what took the place of another entry. */
    abstract void replaced(EntryPut put);

    /** Adds all entries of a list that was built, and returns the counts in one line. */
    final String fill(DatabaseList.Name target, FileList entries) throws IOException {
        long all = entries.snapshot().header().entries();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> sayHowFar(all)));
        try (DatabaseList living = target.open(create || target.isDefined() ? err : null);
                Progress progress = new Progress()) {
            boolean isBulk = all > ListRecord.MAX_ROWS;
            EntryWalk walk = entries.walk(null);
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
        String verb = replacesDenials ? "replaced" : "kept";
        long unchanged = done - changed - (replacesDenials ? 0 : denials);
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
    private static List<Entry> next(EntryWalk walk, boolean isBulk) throws IOException {
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
            Loaded loaded = record.load(part, replacesDenials);
            changed += loaded.changed();
            for (Other other : loaded.others()) {
                compare(other.before(), other.now());
            }
            return;
        }
        List<EntryPut> puts =
                part.stream().map(each -> new EntryPut(each, !replacesDenials)).toList();
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
            err.report((replacesDenials ? taken : kept).formatted(there, now));
        }
        if (!undenies || replacesDenials) {
            List<String> lost = LostConditions.of(there, now);
            conditions += lost.size();
            lost.forEach(err::report);
        }
    }
}
