package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.EntryPut;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Target;
import io.github.senderwhitelist.living.LivingList;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The addition of a text list's entries to a living list. Lines about the same sender and
 * recipients become one entry for each origin, as they would in a text list. It takes the place of
 * the origin's entry, unless only that one denies.
 */
final class TextListPatch {
    /** How many entries are added in one transaction, so that it ends in time on a slow disk. */
    private static final int AT_ONCE = 500;

    /** How many complaints, and how many lost conditions, are reported. */
    private static final int MAX_TOLD = 20;

    private final LivingList list;
    private final boolean replaceDenials;
    private final String who;
    private final List<Complaint> complaints = new ArrayList<>();
    private final List<String> lost = new ArrayList<>();
    private int put;
    private int unchanged;
    private int kept;
    private int bad;

    /** Why a line was not taken. */
    record Complaint(int line, String reason) {}

    /**
     * The outcome.
     *
     * @param put how many entries are new or have changed
     * @param kept how many denials stayed, so that the entries were not added
     * @param bad how many lines were not understood
     * @param complaints the first bad lines, and the first of those for which a denial stayed
     * @param lost the first denials and conditions that were taken away, in words
     */
    record Outcome(
            int put,
            int unchanged,
            int kept,
            int bad,
            List<Complaint> complaints,
            List<String> lost) {}

    /** The rules of an entry, and the number of its first line. */
    private record Rules(int line, List<Rule> rules) {}

    /** The put of an entry, and the number of its first line. */
    private record Put(int line, EntryPut put) {}

    /**
     * Makes the addition of a list.
     *
     * @param replaceDenials whether an entry also takes the place of one that denies
     * @param who the caller, for the history
     */
    TextListPatch(LivingList list, boolean replaceDenials, String who) {
        this.list = list;
        this.replaceDenials = replaceDenials;
        this.who = who;
    }

    /**
     * Adds the entries of a text in the order of their first lines.
     *
     * @throws IOException if the database fails; the message says how far it got
     */
    Outcome add(String text) throws IOException {
        List<Put> puts = parse(text);
        for (int from = 0; from < puts.size(); from += AT_ONCE) {
            List<Put> part = puts.subList(from, Math.min(puts.size(), from + AT_ONCE));
            try {
                add(part);
            } catch (IOException e) {
                throw new IOException(
                        "at the entries from line %s on, after %s entries; send all once more: %s"
                                .formatted(part.getFirst().line, from, e.getMessage()),
                        e);
            }
        }
        return new Outcome(put, unchanged, kept, bad, complaints, lost);
    }

    private List<Put> parse(String text) {
        Map<Target, Rules> entries = new LinkedHashMap<>();
        int number = 0;
        for (String line : text.split("\n", -1)) {
            int first = ++number;
            switch (ListLine.parse(line)) {
                case ListLine.Good(Entry entry) ->
                        entries.computeIfAbsent(
                                        Target.of(entry),
                                        any -> new Rules(first, new ArrayList<>()))
                                .rules
                                .add(entry.rules().getFirst());
                case ListLine.Bad(String reason) -> complainOfBad(number, reason);
                case ListLine.Blank() -> {}
            }
        }
        List<Put> puts = new ArrayList<>();
        entries.forEach(
                (target, rules) -> {
                    if (!RulesCodec.fit(rules.rules)) {
                        complainOfBad(rules.line, EntryBody.tooMany(target.sender()));
                    } else {
                        List<Rule> ordered = RulesCodec.ordered(rules.rules);
                        Entry entry = new Entry(target.sender(), target.to(), ordered);
                        puts.add(new Put(rules.line, new EntryPut(entry, !replaceDenials)));
                    }
                });
        return puts;
    }

    private void complainOfBad(int line, String reason) {
        bad++;
        complain(line, reason);
    }

    private void complain(int line, String reason) {
        if (complaints.size() < MAX_TOLD) {
            complaints.add(new Complaint(line, reason));
        }
    }

    private void add(List<Put> part) throws IOException {
        List<Effect> effects = list.write(part.stream().map(each -> each.put.edit()).toList(), who);
        for (int i = 0; i < part.size(); i++) {
            EntryPut done = part.get(i).put;
            if (done.isKept()) {
                kept++;
                complain(
                        part.get(i).line,
                        "'%s' stays, '%s' was not added; to add it, send ?replaceDenials=true"
                                .formatted(done.before(), done.entry()));
            } else if (effects.get(i) == Effect.NONE) {
                unchanged++;
            } else {
                put++;
                done.lost().stream().limit(MAX_TOLD - lost.size()).forEach(lost::add);
            }
        }
    }
}
