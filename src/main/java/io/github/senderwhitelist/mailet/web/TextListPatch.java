package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.list.LostConditions;
import io.github.senderwhitelist.living.ListRecord.Edit;
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
    private record Numbered(int line, List<Rule> rules) {}

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
        List<Map.Entry<Target, Numbered>> entries = List.copyOf(parse(text).entrySet());
        for (int from = 0; from < entries.size(); from += AT_ONCE) {
            var part = entries.subList(from, Math.min(entries.size(), from + AT_ONCE));
            try {
                add(part);
            } catch (IOException e) {
                throw new IOException(
                        "at the entries from line "
                                + part.getFirst().getValue().line
                                + " on, after "
                                + (put + unchanged)
                                + " entries; send all once more: "
                                + e.getMessage(),
                        e);
            }
        }
        return new Outcome(put, unchanged, kept, bad, complaints, lost);
    }

    private Map<Target, Numbered> parse(String text) {
        Map<Target, Numbered> entries = new LinkedHashMap<>();
        int number = 0;
        for (String line : text.split("\n", -1)) {
            int first = ++number;
            switch (ListLine.parse(line)) {
                case ListLine.Good(Entry entry) ->
                        entries.computeIfAbsent(
                                        Target.of(entry),
                                        any -> new Numbered(first, new ArrayList<>()))
                                .rules
                                .add(entry.rules().getFirst());
                case ListLine.Bad(String reason) -> complainOfBad(number, reason);
                case ListLine.Blank() -> {}
            }
        }
        return entries;
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

    private void add(List<Map.Entry<Target, Numbered>> part) throws IOException {
        List<Pair> pairs = part.stream().map(Map.Entry::getKey).map(TextListPatch::pair).toList();
        List<Entry> there = list.record().findAll(pairs);
        List<Edit> taken = new ArrayList<>();
        for (int i = 0; i < part.size(); i++) {
            Target target = part.get(i).getKey();
            Numbered given = part.get(i).getValue();
            List<Rule> joined = RulesCodec.joined(given.rules);
            if (joined == null) {
                complainOfBad(given.line, EntryBody.tooMany(target.sender()));
                continue;
            }
            Entry now = new Entry(target.sender(), target.to(), joined);
            if (isTaken(given.line, now, target.origin(), there.get(i))) {
                // Somebody may deny the sender meanwhile.
                taken.add(
                        new Edit(target, before -> mayReplace(before, now) ? now.rules() : before));
            }
        }
        if (!taken.isEmpty()) {
            List<Effect> effects = list.write(taken, who);
            int same = (int) effects.stream().filter(Effect.NONE::equals).count();
            unchanged += same;
            put += effects.size() - same;
        }
    }

    private boolean mayReplace(List<Rule> before, Entry now) {
        return replaceDenials || now.denied() || before.stream().noneMatch(Rule::denied);
    }

    private static Pair pair(Target target) {
        return new Pair(target.sender(), target.to());
    }

    /**
     * Returns whether an entry may take the place of what is there, and notes what that changes.
     */
    private boolean isTaken(int line, Entry now, Origin origin, Entry there) {
        Entry before = new Entry(now.key(), now.to(), there.rulesOf(origin));
        if (!before.denied() || now.denied()) {
            LostConditions.of(before, now).forEach(this::lose);
        } else if (replaceDenials) {
            lose("'" + before + "' was replaced by '" + now + "'");
        } else {
            complain(
                    line,
                    "'"
                            + before
                            + "' stays, '"
                            + now
                            + "' was not added; to add it, send ?replaceDenials=true");
            kept++;
            return false;
        }
        return true;
    }

    private void lose(String what) {
        if (lost.size() < MAX_TOLD) {
            lost.add(what);
        }
    }
}
