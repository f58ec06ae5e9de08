package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.list.ListLine;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** {@code rename OLD NEW --list NAME}: gives a user's entries to the user's new address. */
@Command(
        name = "rename",
        description =
                "Gives the entries for a user to the user's new address, with what that has"
                        + " already. Exit code 1: there were none.",
        mixinStandardHelpOptions = true)
final class RenameCommand extends Subcommand {
    @Parameters(
            index = "0",
            paramLabel = "OLD",
            converter = Values.Recipient.class,
            description = "The user's old address.")
    private String oldUser = "";

    @Parameters(
            index = "1",
            paramLabel = "NEW",
            converter = Values.Recipient.class,
            description = "The user's new address.")
    private String newUser = "";

    @Mixin private final ChangeOptions living = new ChangeOptions();

    /** What an origin has for a sender. */
    private record Target(Key sender, Origin origin) {}

    @Override
    public Integer call() throws IOException {
        Key from = key(oldUser);
        Key to = key(newUser);
        if (from.equals(to)) {
            throw new IOException(
                    oldUser + " and " + newUser + " are the same user; nothing is changed");
        }
        try (LivingPlace place = living.open()) {
            Map<Target, List<Rule>> old = rules(place, from);
            Map<Target, List<Rule>> all = rules(place, to);
            // First put, then removed: if it fails in between, nothing is lost.
            for (Map.Entry<Target, List<Rule>> each : old.entrySet()) {
                List<Rule> both = new ArrayList<>(all.getOrDefault(each.getKey(), List.of()));
                both.addAll(each.getValue());
                add(place, each.getKey().sender, to, both);
            }
            for (Target target : old.keySet()) {
                place.remove(target.origin, target.sender, from);
            }
            out().printf(Locale.ROOT, "%d entries of %s are now of %s%n", old.size(), from, to);
            return old.isEmpty() ? Main.NEGATIVE : Main.DONE;
        }
    }

    /** Puts rules, and once more with those of the same origin that somebody has put meanwhile. */
    static void add(LivingPlace place, Key sender, Key to, List<Rule> rules) throws IOException {
        Set<Rule> all = new LinkedHashSet<>(rules);
        boolean isNew = true;
        while (isNew) {
            LivingPlace.Put put = place.put(new Entry(sender, to, List.copyOf(all)));
            isNew = false;
            for (String line : put.before()) {
                isNew |= all.addAll(entry(line).rules());
            }
        }
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
