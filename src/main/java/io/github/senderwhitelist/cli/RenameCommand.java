package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.cli.Place.Named;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** {@code rename OLD NEW [LIST...]}: gives a user's entries to the user's new address. */
@Command(
        name = "rename",
        description =
                "Gives the entries for a user to the user's new address, with what that has"
                        + " already, in one list after another. Exit code 1: there were none.",
        footer = {
            "  whitelist rename sam@here.example samuel@here.example",
            "  whitelist rename sam@here.example samuel@here.example own"
        })
final class RenameCommand extends Subcommand {
    /** How often entries are moved that were added while others were moved. */
    private static final int ROUNDS = 10;

    @Parameters(index = "0", paramLabel = "OLD", description = "The user's old address.")
    private @Nullable Address oldUser;

    @Parameters(index = "1", paramLabel = "NEW", description = "The user's new address.")
    private @Nullable Address newUser;

    @Parameters(
            index = "2..*",
            arity = "0..*",
            paramLabel = "LIST",
            description = "Names of living lists (default: all).")
    private List<String> lists = List.of();

    @Mixin private Change change = new Change();

    @Override
    int call() throws IOException {
        Key from = Objects.requireNonNull(oldUser).key();
        Key to = Objects.requireNonNull(newUser).key();
        if (from.equals(to)) {
            throw new IOException(
                    oldUser + " and " + newUser + " are the same user; nothing is changed");
        }
        List<Named.InDatabase> all = new ArrayList<>();
        for (String list : lists) {
            all.add(change.place().living(list));
        }
        int moved = 0;
        for (Named.InDatabase each : lists.isEmpty() ? change.place().allLiving() : all) {
            try (LivingPlace living = change.open(each)) {
                int entries = move(living, from, to);
                moved += entries;
                String which =
                        Numbers.count(
                                entries, "entry of " + from + " is", "entries of " + from + " are");
                out().println(each.list() + ": " + which + " now of " + to);
                out().flush();
            }
        }
        return moved == 0 ? Main.NEGATIVE : Main.DONE;
    }

    /**
     * Moves all entries, with those that somebody adds for the old address meanwhile.
     *
     * @return how many
     */
    static int move(LivingPlace place, Key from, Key to) throws IOException {
        Set<String> moved = new HashSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            List<Entry> old = new ArrayList<>();
            for (Entry entry : place.entriesFor(from)) {
                old.addAll(EntryWriter.byOrigin(entry));
            }
            if (old.isEmpty()) {
                return moved.size();
            }
            // First added, then removed: if it fails in between, nothing is lost.
            for (Entry each : old) {
                moved.add(each.key() + " " + each.rules().getFirst().origin());
                place.add(new Entry(each.key(), to, each.rules()));
            }
            for (Entry each : old) {
                place.removeKnown(each);
            }
        }
        throw new IOException(
                "the entries of " + from + " change all the time; run the command once more");
    }
}
