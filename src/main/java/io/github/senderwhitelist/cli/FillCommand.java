package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.EntryWalk;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.LostConditions;
import io.github.senderwhitelist.living.EntryPut;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Loaded;
import io.github.senderwhitelist.living.ListRecord.Other;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A command that adds entries to a living list, {@code add} or {@code import}. Each entry takes the
 * place of what its origin had for the same sender and recipients, but not of a denial, unless that
 * is wanted. What is lost by it, which may be what kept a forger out, is complained of and counted.
 * Entries go in parts, each all or none of it, so a command that was stopped can be run once more.
 */
abstract class FillCommand extends ListCommand {
    /** How many entries are written in one transaction; and where there are very many. */
    private static final int PART = 1_000;

    private static final int BULK_PART = 10_000;

    @Parameters(index = "0", paramLabel = "LIST", description = "A living list.")
    String list = "";

    @Option(names = "--create", description = "Make the list, which conf does not define.")
    private boolean create;

    /** Whether entries also replace denials; and whether to print what each takes the place of. */
    boolean replacesDenials;

    boolean printsReplaced;

    /** How many entries are in the list by now; and whether there is nothing to say at Ctrl-C. */
    private volatile long done;

    private volatile boolean isOver;

    /** How many entries are new or changed, and how many denials and conditions they met. */
    private long changed;

    private long denials;
    private long conditions;

    /**
     * {@code add LIST ENTRY...}: adds entries, which are lines of a text list. Whoever types them
     * means them, so they also replace denials.
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
            String text = entries.stream().map(it -> it + "\n").collect(Collectors.joining());
            byte[] bytes = text.getBytes(UTF_8);
            TextSource source =
                    new TextSource(
                            "the entries", bytes.length, () -> new ByteArrayInputStream(bytes));
            replacesDenials = true;
            printsReplaced = true;
            String counts = fill(target, FileList.build(List.of(source), err));
            entries.stream()
                    .map(LintCommand::doubt)
                    .filter(Objects::nonNull)
                    .forEach(err::complain);
            out.println(counts);
            return Main.DONE;
        }
    }

    /**
     * {@code import LIST FILE...}: adds the entries of files, which are all read before the first
     * one is added: a bad file leaves the list as it was.
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
            FileList built = FileList.build(foreign.converted(FileList.texts(files), this), err);
            BuildReport report = Objects.requireNonNull(built.report());
            String counts = fill(target, built);
            foreign.sumUp(this);
            err.skipped(report);
            String lines = count(report.lines(), "line", "lines");
            say("%s; %s; %s", counts, lines, secondsSince(start));
            return Main.DONE;
        }
    }

    /** Adds all entries of a list that was built, and returns the counts in one line. Closes it. */
    final String fill(DatabaseList.Name target, FileList entries) throws IOException {
        long all = entries.snapshot().header().entries();
        boolean isBulk = all > ListRecord.MAX_ROWS;
        int size = isBulk ? BULK_PART : PART;
        Runtime.getRuntime().addShutdownHook(new Thread(() -> sayHowFar(all)));
        try (entries;
                DatabaseList living = target.open(create || database == null ? err : null)) {
            EntryWalk walk = entries.walk(null);
            List<Entry> part = new ArrayList<>();
            Entry entry;
            do {
                entry = walk.next();
                if (entry != null) {
                    byOrigin(entry).forEach(part::add);
                }
                if (part.size() >= (entry == null ? 1 : size)) {
                    write(living.record(), part, isBulk);
                    long written = done + part.size();
                    done = written;
                    err.report("writing", written, all);
                    part.clear();
                }
            } while (entry != null);
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
                        count(changed, "added", "added"),
                        count(unchanged, "unchanged", "unchanged"),
                        andCount(denials, "denial " + verb, "denials " + verb),
                        andCount(conditions, "condition lost", "conditions lost"));
    }

    private void sayHowFar(long all) {
        if (!isOver) {
            err.println(
                    "stopped after %s of %s entries, which stay; run it again"
                            .formatted(done, all));
        }
    }

    /** Returns an entry of each origin that rules of an entry have. */
    static Stream<Entry> byOrigin(Entry entry) {
        return Stream.of(Origin.values())
                .map(entry::rulesOf)
                .filter(rules -> !rules.isEmpty())
                .map(rules -> new Entry(entry.key(), entry.to(), rules));
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
            EntryPut put = puts.get(i);
            if (printsReplaced && effects.get(i) == Effect.REPLACED) {
                String before = Text.escaped(put.before().toString());
                say("was: %s\tnow: %s", before, Text.escaped(put.entry().toString()));
            }
            compare(put.before(), put.entry());
        }
    }

    /** Complains of what an entry takes away from the one that was there. */
    private void compare(Entry there, Entry now) {
        if (there.denied() && !now.denied()) {
            denials++;
            String taken = "'%s' was replaced by '%s'";
            String kept = "'%s' stays, '%s' was not added; to add it, give --replace-denials";
            err.complain((replacesDenials ? taken : kept).formatted(there, now));
            if (!replacesDenials) {
                return;
            }
        }
        List<String> lost = LostConditions.of(there, now);
        conditions += lost.size();
        lost.forEach(err::complain);
    }
}
