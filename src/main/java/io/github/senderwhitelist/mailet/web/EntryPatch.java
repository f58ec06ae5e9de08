package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.LivingList;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A request to put the entries of a text list into a living list. Lines about the same sender and
 * recipients become one entry for each origin, as they would in a text list.
 */
final class EntryPatch {
    /**
     * How many entries are put in one transaction. Few enough that it ends in time on a slow disk.
     */
    private static final int AT_ONCE = 500;

    /** How many bad lines are reported. */
    private static final int COMPLAINTS = 20;

    private final Map<Target, List<Rule>> entries = new LinkedHashMap<>();

    /** The number of the first line of each entry. */
    private final Map<Target, Integer> numbers = new LinkedHashMap<>();

    private final List<Map<String, @Nullable Object>> complaints = new ArrayList<>();
    private int bad;
    private int put;
    private int unchanged;

    /** What an entry of an origin is about. */
    private record Target(Key sender, @Nullable Key to, Origin origin) {}

    /** Parses the lines of a text list. */
    EntryPatch(String text) {
        int number = 0;
        for (String line : text.split("\n", -1)) {
            number++;
            switch (ListLine.parse(line)) {
                case ListLine.Good(Entry entry) -> take(number, entry);
                case ListLine.Bad(String reason) -> complain(number, reason);
                case ListLine.Blank() -> {}
            }
        }
    }

    private void take(int number, Entry entry) {
        Rule rule = entry.rules().getFirst();
        Target target = new Target(entry.key(), entry.to(), rule.origin());
        numbers.putIfAbsent(target, number);
        entries.computeIfAbsent(target, any -> new ArrayList<>()).add(rule);
    }

    private void complain(int number, @Nullable String reason) {
        bad++;
        if (complaints.size() < COMPLAINTS) {
            complaints.add(WebLines.ordered("line", number, "reason", String.valueOf(reason)));
        }
    }

    /**
     * Puts the entries, in the order of their first lines.
     *
     * @return the answer, with the number of entries put
     * @throws IOException if the database fails; the message says how far it got
     */
    WebAnswer putInto(LivingList list, String who) throws IOException {
        List<Entry> part = new ArrayList<>();
        int first = 0;
        for (Map.Entry<Target, List<Rule>> each : entries.entrySet()) {
            Target target = each.getKey();
            int number = numbers.getOrDefault(target, 0);
            if (part.isEmpty()) {
                first = number;
            }
            try {
                part.add(EntryBody.joined(target.sender(), target.to(), each.getValue()));
            } catch (WebException e) {
                complain(number, e.details());
            }
            if (part.size() == AT_ONCE) {
                put(part, first, list, who);
                part.clear();
            }
        }
        put(part, first, list, who);
        return WebAnswer.of(
                WebLines.ordered(
                        "put", put, "unchanged", unchanged, "bad", bad, "complaints", complaints));
    }

    private void put(List<Entry> part, int first, LivingList list, String who) throws IOException {
        if (part.isEmpty()) {
            return;
        }
        try {
            list.putAll(List.copyOf(part), who).forEach(this::count);
        } catch (IOException e) {
            throw new IOException(
                    "at the entries from line "
                            + first
                            + " on, after "
                            + (put + unchanged)
                            + " entries; send all once more: "
                            + e.getMessage(),
                    e);
        }
    }

    private void count(Effect effect) {
        if (effect == Effect.NONE) {
            unchanged++;
        } else {
            put++;
        }
    }
}
