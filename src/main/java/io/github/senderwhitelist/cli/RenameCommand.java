package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Target;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** {@code rename OLD NEW}: gives a user's entries to the user's new address. */
@Command(
        name = "rename",
        description =
                "Gives the entries for a user to the user's new address, with what that has"
                        + " already, in one list after another. Exit code 1: there were none.",
        footer = "  whitelist rename sam@here.example samuel@here.example")
final class RenameCommand extends Subcommand {
    /** How often entries are moved that were added while others were moved. */
    private static final int ROUNDS = 10;

    @Parameters(index = "0", paramLabel = "OLD", description = "The user's old address.")
    private @Nullable Address oldUser;

    @Parameters(index = "1", paramLabel = "NEW", description = "The user's new address.")
    private @Nullable Address newUser;

    @Mixin private Place place = new Place();

    @Override
    int call() throws IOException {
        Key from = Objects.requireNonNull(oldUser).key();
        Key to = Objects.requireNonNull(newUser).key();
        if (from.equals(to)) {
            throw new IOException(
                    oldUser + " and " + newUser + " are the same user; nothing is changed");
        }
        int moved = 0;
        for (Place.InDatabase each : place.allLiving(List.of())) {
            try (DatabaseList living = DatabaseList.open(each)) {
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
     * add for either is kept.
     *
     * @return how many
     */
    static int move(ListRecord record, Key from, Key to) throws IOException {
        Set<String> moved = new HashSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            List<Entry> old = record.entriesFor(from, Integer.MAX_VALUE);
            if (old.isEmpty()) {
                return moved.size();
            }
            for (Entry entry : old) {
                for (Entry each : EntryWriter.byOrigin(entry)) {
                    moved.add(each.key() + " " + each.rules().getFirst().origin());
                    record.write(edits(each, to), DatabaseList.WHO);
                }
            }
        }
        throw new IOException(
                "the entries of " + from + " change all the time; run the command once more");
    }

    /** Returns what gives an entry to another recipient; both edits are written, or neither. */
    private static List<Edit> edits(Entry old, Key to) {
        return List.of(
                new Edit(
                        Target.of(new Entry(old.key(), to, old.rules())),
                        there -> Stream.concat(there.stream(), old.rules().stream()).toList()),
                new Edit(
                        Target.of(old),
                        there -> there.stream().filter(it -> !old.rules().contains(it)).toList()));
    }
}
