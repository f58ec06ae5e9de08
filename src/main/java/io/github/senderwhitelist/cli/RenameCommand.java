package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Target;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * {@code rename OLD NEW}: gives a user's entries to the user's new address, in one list after
 * another. If it fails, it is run once more, and moves what is left.
 */
@Command(
        description = "Gives a user's entries to the user's new address, in each living list.",
        exitCodeList = {"0:done", "1:there were none", "2:failure"},
        footer = "  whitelist rename sam@here.example samuel@here.example")
final class RenameCommand extends Subcommand {
    @Parameters(index = "0", paramLabel = "OLD", description = "The user's old address.")
    private String oldUser = "";

    @Parameters(index = "1", paramLabel = "NEW", description = "The user's new address.")
    private String newUser = "";

    @Mixin private Place place = new Place();

    @Override
    int call() throws IOException {
        Key from = address("OLD", oldUser).key();
        Key to = address("NEW", newUser).key();
        if (from.equals(to)) {
            throw new IOException(
                    oldUser + " and " + newUser + " are the same user; nothing is changed");
        }
        int moved = 0;
        for (DatabaseList.Name each : place.allLiving()) {
            try (DatabaseList living = each.open(null)) {
                int entries = move(living.record(), from, to);
                moved += entries;
                String of = " of " + from;
                String which =
                        Numbers.count(entries, "entry" + of + " is", "entries" + of + " are");
                out.println(each.name() + ": " + which + " now of " + to);
                out.flush();
            }
        }
        return moved == 0 ? Main.NEGATIVE : Main.DONE;
    }

    /**
     * Moves all entries, with those that somebody adds for the old address meanwhile. What others
     * add for either is kept: both edits of an entry are written, or neither, and each changes what
     * it finds then.
     *
     * @return how many
     */
    static int move(ListRecord record, Key from, Key to) throws IOException {
        Set<String> moved = new HashSet<>();
        List<Entry> left = record.entriesFor(from, Integer.MAX_VALUE);
        while (!left.isEmpty()) {
            for (Entry entry : left) {
                for (Entry old : FillCommand.byOrigin(entry)) {
                    moved.add(old.key() + " " + old.rules().getFirst().origin());
                    Edit add =
                            new Edit(
                                    Target.of(new Entry(old.key(), to, old.rules())),
                                    it ->
                                            Stream.concat(it.stream(), old.rules().stream())
                                                    .toList());
                    Edit remove =
                            new Edit(
                                    Target.of(old),
                                    it ->
                                            it.stream()
                                                    .filter(r -> !old.rules().contains(r))
                                                    .toList());
                    record.write(List.of(add, remove), DatabaseList.WHO);
                }
            }
            left = record.entriesFor(from, Integer.MAX_VALUE);
        }
        return moved.size();
    }
}
