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
public final class TextListPatch {
    /** How many entries are added in one transaction, so that it ends in time on a slow disk. */
    private static final int AT_ONCE = 500;

    private static final int MAX_COMPLAINTS = 20;

    private final Map<Target, List<Rule>> entries = new LinkedHashMap<>();
    private final List<String> complaints = new ArrayList<>();
    private int put;
    private int unchanged;
    private int kept;
    private int bad;

    /**
     * The outcome.
     *
     * @param put how many entries are new or have changed
     * @param kept how many denials stayed, so that the entries were not added
     * @param bad how many lines were not understood
     * @param complaints about the first bad lines, and the first denials that stayed
     */
    public record Outcome(int put, int unchanged, int kept, int bad, List<String> complaints) {}

    public TextListPatch(String text) {
        int number = 0;
        for (String line : text.split("\n", -1)) {
            number++;
            switch (ListLine.parse(line)) {
                case ListLine.Good(Entry entry) ->
                        entries.computeIfAbsent(Target.of(entry), any -> new ArrayList<>())
                                .addAll(entry.rules());
                case ListLine.Bad(String reason) -> refuse("line " + number + ": " + reason);
                case ListLine.Blank() -> {}
            }
        }
    }

    /** Adds the entries in the order of their first lines, also in place of denials if so told. */
    public Outcome add(LivingList list, boolean replaceDenials, String who) throws IOException {
        List<EntryPut> puts = new ArrayList<>();
        entries.forEach(
                (target, rules) -> {
                    if (RulesCodec.fit(rules)) {
                        List<Rule> ordered = RulesCodec.ordered(rules);
                        Entry entry = new Entry(target.sender(), target.to(), ordered);
                        puts.add(new EntryPut(entry, !replaceDenials));
                    } else {
                        refuse(
                                "more lines for '%s' than an entry can hold; allowed: %s bytes of conditions and notes"
                                        .formatted(target.sender(), RulesCodec.MAX_BYTES));
                    }
                });
        for (int from = 0; from < puts.size(); from += AT_ONCE) {
            List<EntryPut> part = puts.subList(from, Math.min(puts.size(), from + AT_ONCE));
            List<Effect> effects = list.write(part.stream().map(EntryPut::edit).toList(), who);
            for (int i = 0; i < part.size(); i++) {
                count(part.get(i), effects.get(i));
            }
        }
        return new Outcome(put, unchanged, kept, bad, complaints);
    }

    private void count(EntryPut done, Effect effect) {
        if (done.isKept()) {
            kept++;
            complain(
                    "'%s' stays, '%s' was not added; to add it, send ?replaceDenials=true"
                            .formatted(done.before(), done.entry()));
        } else if (effect == Effect.NONE) {
            unchanged++;
        } else {
            put++;
        }
    }

    private void refuse(String complaint) {
        bad++;
        complain(complaint);
    }

    private void complain(String complaint) {
        if (complaints.size() < MAX_COMPLAINTS) {
            complaints.add(complaint);
        }
    }
}
