package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.EntryWalk;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.PastChange;
import io.github.senderwhitelist.living.ListRecord.Position;
import io.github.senderwhitelist.living.ListRecord.Target;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The commands on the entries of lists, but for those that {@linkplain FillCommand add}. Export and
 * diff read them wherever they are, in the same order of their keys; the others are for living
 * lists.
 */
final class EntryCommands {
    private EntryCommands() {}

    /**
     * {@code export LIST}: prints the entries of a list as text that {@code import} and {@code
     * build} take.
     */
    @Command(
            description = "Writes the entries of a list as a text list.",
            footer = {
                "  whitelist export own > own.txt",
                "  whitelist export own --to sam@here.example",
                "  whitelist export whitelist.swl | grep partner"
            })
    static final class Export extends ListCommand {
        @Parameters(paramLabel = "LIST", description = "A file, or the name of a list.")
        private String list = "";

        @Option(names = "--to", description = "Only the entries for this address or @domain.")
        private @Nullable String to;

        @Override
        int call() throws IOException {
            Key recipient = to == null ? null : recipient(to);
            EntryWalk walk = open(list, false).walk(recipient);
            for (Entry entry = walk.next(); entry != null; entry = walk.next()) {
                entry.lines().forEach(out::println);
            }
            return Main.DONE;
        }

        /** Returns the recipients that {@code to=} would name, so only what an entry can have. */
        private Key recipient(String text) {
            if (ListLine.parse("any@example.com to=" + text) instanceof ListLine.Good(Entry entry)
                    && entry.to() != null) {
                return entry.to();
            }
            throw wrong("--to: '" + Text.shown(text) + "'; allowed: local@domain or @domain");
        }
    }

    /**
     * {@code diff A B}: prints the differences of two lists. Both are walked through side by side,
     * so lists of any size take little memory.
     */
    @Command(
            description = "Prints the entries removed (-) and added (+) between two lists.",
            exitCodeList = {"0:the same entries", "1:different", "2:failure"},
            footer = {
                "  whitelist diff yesterday.swl today.swl",
                "  whitelist diff own backup.txt"
            })
    static final class Diff extends ListCommand {
        @Parameters(index = "0", paramLabel = "A", description = "A list: a file, or a name.")
        private String before = "";

        @Parameters(index = "1", paramLabel = "B", description = "Another list.")
        private String after = "";

        private int exit = Main.DONE;

        @Override
        int call() throws IOException {
            EntryWalk left = open(before, false).walk(null);
            EntryWalk right = open(after, false).walk(null);
            Entry removed = left.next();
            Entry added = right.next();
            // The lesser of the two has no counterpart; of equal ones, single lines may differ.
            while (removed != null || added != null) {
                int order = removed == null ? 1 : -1;
                if (removed != null && added != null) {
                    order = Entry.ORDER.compare(removed, added);
                }
                print("-", order <= 0 ? removed : null, order == 0 ? added : null);
                print("+", order >= 0 ? added : null, order == 0 ? removed : null);
                removed = order <= 0 ? left.next() : removed;
                added = order >= 0 ? right.next() : added;
            }
            return exit;
        }

        /** Prints those lines of an entry that the other entry does not have. */
        private void print(String sign, @Nullable Entry entry, @Nullable Entry other) {
            List<String> lines = new ArrayList<>(entry == null ? List.of() : entry.lines());
            lines.removeAll(other == null ? List.of() : other.lines());
            for (String line : lines) {
                exit = Main.NEGATIVE;
                out.println(sign + line);
            }
        }
    }

    /**
     * {@code remove LIST ENTRY...}: removes entries from a living list. Those of another origin
     * stay, and are named.
     */
    @Command(
            description = "Removes entries from a living list, with all their lines.",
            exitCodeList = {"0:done", "1:one was not there", "2:failure"},
            footer = {
                "  whitelist remove own alice@example.com",
                "  whitelist remove own 'bob@example.org to=sam@here.example' --origin learned"
            })
    static final class Remove extends ListCommand {
        @Parameters(index = "0", paramLabel = "LIST", description = "A living list.")
        private String list = "";

        @Parameters(
                index = "1..*",
                arity = "1..*",
                paramLabel = "ENTRY",
                description = "SENDER or 'SENDER to=RECIPIENT'; '-': standard input.")
        private List<String> lines = List.of();

        @Option(names = "--origin", description = "Whose entries: admin (default), user, learned.")
        private String whose = Origin.ADMIN.label();

        @Override
        int call() throws IOException {
            Origin origin = value("--origin", whose, Origin.VALUES);
            DatabaseList.Name named = living(list);
            List<Entry> entries = InputLines.entries(lines);
            for (Entry entry : entries) {
                if (!entry.rules().equals(List.of(Rule.LISTS))) {
                    throw InputLines.refused(
                            entry.toString(),
                            "all lines are removed; allowed: SENDER or SENDER to=RECIPIENT");
                }
            }
            int exit = Main.DONE;
            ListRecord record = untilEnd(named.open(null)).record();
            out.table("%-60s %s", "entry", "result");
            for (Entry entry : entries) {
                boolean isRemoved = remove(record, origin, entry);
                out.row(entry, isRemoved ? "removed" : "not-there");
                exit = isRemoved ? exit : Main.NEGATIVE;
            }
            return exit;
        }

        /** Removes an origin's entry. If it has none, but another origin has, it says so. */
        private boolean remove(ListRecord record, Origin origin, Entry entry) throws IOException {
            Edit removal = Edit.remove(new Target(origin, entry.key(), entry.to()));
            if (record.write(List.of(removal), DatabaseList.WHO).contains(Effect.REMOVED)) {
                return true;
            }
            Entry there = record.find(entry.key(), entry.to());
            if (there != null && !there.rules().isEmpty()) {
                String other = there.rules().getFirst().origin().label();
                err.complain(
                        "'%s': there is one of origin %s; to remove that, add --origin %s"
                                .formatted(entry, other, other));
            }
            return false;
        }
    }

    /**
     * {@code rename OLD NEW}: gives a user's entries to the user's new address, in one list after
     * another. Run once more after a failure, it moves what is left.
     */
    @Command(
            description = "Gives a user's entries to the user's new address, in each living list.",
            exitCodeList = {"0:done", "1:there were none", "2:failure"},
            footer = "  whitelist rename sam@here.example samuel@here.example")
    static final class Rename extends ListCommand {
        @Parameters(index = "0", paramLabel = "OLD", description = "The user's old address.")
        private String oldUser = "";

        @Parameters(index = "1", paramLabel = "NEW", description = "The user's new address.")
        private String newUser = "";

        @Override
        int call() throws IOException {
            Key from = address("OLD", oldUser).key();
            Key to = address("NEW", newUser).key();
            if (from.equals(to)) {
                throw new IOException(
                        oldUser + " and " + newUser + " are the same user; nothing is changed");
            }
            int moved = 0;
            for (DatabaseList.Name each : allLiving()) {
                try (DatabaseList living = each.open(null)) {
                    // First: the usage of an entry goes with it.
                    living.database().usage(each.name()).rename(from, to);
                    int entries = move(living.record(), from, to);
                    moved += entries;
                    String which = entries == 1 ? "entry of %s is" : "entries of %s are";
                    say("%s: %,d " + which + " now of %s", each.name(), entries, from, to);
                    out.flush();
                }
            }
            return moved == 0 ? Main.NEGATIVE : Main.DONE;
        }

        /**
         * Moves all entries, also those that somebody adds for the old address meanwhile, and
         * returns how many. Both edits of an entry are written, or neither, and each changes what
         * it finds then: what others add for either is kept.
         */
        static int move(ListRecord record, Key from, Key to) throws IOException {
            Set<Target> moved = new HashSet<>();
            List<Entry> left;
            do {
                left = record.entriesFor(from, Integer.MAX_VALUE);
                for (Entry old : left.stream().flatMap(FillCommand::byOrigin).toList()) {
                    Target source = Target.of(old);
                    Target target = new Target(source.origin(), old.key(), to);
                    List<Rule> moves = old.rules();
                    Edit add =
                            new Edit(
                                    target,
                                    it -> Stream.concat(it.stream(), moves.stream()).toList());
                    // Newer ones stay, and are moved in the next round.
                    Edit remove =
                            new Edit(
                                    source,
                                    it -> it.stream().filter(r -> !moves.contains(r)).toList());
                    record.write(List.of(add, remove), DatabaseList.WHO);
                    moved.add(source);
                }
            } while (!left.isEmpty());
            return moved.size();
        }
    }

    /** {@code status [LIST]}. A server that shows the same position knows all changes. */
    @Command(
            description = "Reports of living lists how many entries they have, and their logs.",
            footer = {"  whitelist status", "  whitelist status own"})
    static final class Status extends ListCommand {
        @Parameters(arity = "0..1", paramLabel = "LIST", description = "Its name (default: all).")
        private @Nullable String list;

        @Override
        int call() throws IOException {
            out.table("%-24s %12s %-36s %s", "list", "entries", "log", "position");
            for (DatabaseList.Name each : list == null ? allLiving() : List.of(living(list))) {
                try (DatabaseList living = each.open(null)) {
                    Position last = living.record().last();
                    out.row(each.name(), living.record().count(), last.epoch(), last.seq());
                }
            }
            return Main.DONE;
        }
    }

    /** {@code history LIST [KEY]}. Entries that came in bulk have none. */
    @Command(
            description =
                    "Prints who changed a list, or a sender, in the last 90 days; newest first.",
            exitCodeList = {"0:done", "1:nobody", "2:failure"},
            footer = {"  whitelist history own", "  whitelist history own alice@example.com"})
    static final class History extends ListCommand {
        @Parameters(index = "0", paramLabel = "LIST", description = "A living list.")
        private String list = "";

        @Parameters(index = "1", arity = "0..1", paramLabel = "KEY", description = "The sender.")
        private @Nullable String key;

        @Override
        int call() throws IOException {
            Key sender = key == null ? null : sender(key);
            ListRecord record = openLiving(list).record();
            out.table("%-20s %-24s %-8s %s", "time", "who", "origin", "entry");
            List<PastChange> changes = record.history(sender, 1_000);
            for (PastChange change : changes) {
                String lines = String.join("; ", change.lines());
                out.row(
                        change.at().truncatedTo(ChronoUnit.SECONDS),
                        change.who(),
                        change.origin().label(),
                        lines.isEmpty() ? change.key() + ": removed" : lines);
            }
            return changes.isEmpty() ? Main.NEGATIVE : Main.DONE;
        }

        /** Returns the sender of an entry, whose conditions make no difference here. */
        private Key sender(String text) {
            if (ListLine.parse(text) instanceof ListLine.Good(Entry entry)) {
                return entry.key();
            }
            throw wrong("KEY '" + Text.shown(text) + "'; allowed: an address, @domain or @.domain");
        }
    }
}
