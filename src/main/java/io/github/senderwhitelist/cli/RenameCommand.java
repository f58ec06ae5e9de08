package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.list.ListLine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** {@code rename OLD NEW --list NAME}: gives a user's entries to the user's new address. */
final class RenameCommand extends Subcommand {
    private final Given<String> oldUser =
            argument(0, "OLD", Values.address(), "The user's old address.");

    private final Given<String> newUser =
            argument(1, "NEW", Values.address(), "The user's new address.");

    private final ChangeOptions living = new ChangeOptions(this);

    /** How often entries are moved that were put while others were moved. */
    private static final int ROUNDS = 10;

    /** What an origin has for a sender. */
    private record Target(Key sender, Origin origin) {}

    RenameCommand() {
        super(
                "rename",
                "Gives the entries for a user to the user's new address, with what that has"
                        + " already. Exit code 1: there were none.");
    }

    @Override
    int call() throws IOException {
        Key from = key(oldUser.value());
        Key to = key(newUser.value());
        if (from.equals(to)) {
            throw new IOException(
                    oldUser.value()
                            + " and "
                            + newUser.value()
                            + " are the same user; nothing is changed");
        }
        try (LivingPlace place = living.open()) {
            int entries = move(place, from, to);
            String moved =
                    Numbers.count(
                            entries, "entry of " + from + " is", "entries of " + from + " are");
            out().println(moved + " now of " + to);
            return entries == 0 ? Main.NEGATIVE : Main.DONE;
        }
    }

    /**
     * Moves all entries, with those that somebody puts for the old address meanwhile.
     *
     * @return how many
     */
    static int move(LivingPlace place, Key from, Key to) throws IOException {
        Set<Target> moved = new HashSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            Map<Target, List<Rule>> old = rules(place, from);
            if (old.isEmpty()) {
                return moved.size();
            }
            moved.addAll(old.keySet());
            // First added, then removed: if it fails in between, nothing is lost.
            for (Map.Entry<Target, List<Rule>> each : old.entrySet()) {
                place.add(new Entry(each.getKey().sender, to, each.getValue()));
            }
            for (Map.Entry<Target, List<Rule>> each : old.entrySet()) {
                place.removeKnown(new Entry(each.getKey().sender, from, each.getValue()));
            }
        }
        throw new IOException(
                "the entries of " + from + " change all the time; run the command once more");
    }

    private static Entry entry(String line) throws IOException {
        if (ListLine.parse(line) instanceof ListLine.Good(Entry entry)) {
            return entry;
        }
        throw new IOException("a line that this command cannot read: " + line);
    }

    private static Key key(String user) {
        if (AddressSyntax.parse(user) instanceof WellFormed(Address address)) {
            return address.key();
        }
        throw new IllegalStateException(user);
    }

    /** Returns what there is for a user, by sender and origin. */
    private static Map<Target, List<Rule>> rules(LivingPlace place, Key user) throws IOException {
        Map<Target, List<Rule>> rules = new LinkedHashMap<>();
        for (String line : place.linesFor(user)) {
            Entry entry = entry(line);
            for (Rule rule : entry.rules()) {
                rules.computeIfAbsent(
                                new Target(entry.key(), rule.origin()), any -> new ArrayList<>())
                        .add(rule);
            }
        }
        return rules;
    }
}
