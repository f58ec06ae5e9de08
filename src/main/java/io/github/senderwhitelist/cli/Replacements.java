package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.list.LostConditions;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * What an import does to the entries that it finds: which denials it keeps or replaces, and which
 * conditions it takes away. All are counted, the first of them are named.
 */
final class Replacements {
    private static final int MAX_NAMED = 10;

    private final boolean replaceDenials;
    private final List<String> named = new ArrayList<>();
    private long denials;
    private long conditions;

    /**
     * Makes an account.
     *
     * @param replaceDenials whether an entry takes the place of one with a denial
     */
    Replacements(boolean replaceDenials) {
        this.replaceDenials = replaceDenials;
    }

    /** Returns whether an entry also takes the place of one with a denial. */
    boolean replacesDenials() {
        return replaceDenials;
    }

    /** Returns whether rules that are there stay, and an entry is not put. */
    boolean keeps(List<Rule> there, Entry now) {
        return !replaceDenials && !now.denied() && there.stream().anyMatch(Rule::denied);
    }

    /** Counts what becomes of an entry that was there. */
    void add(Entry there, Entry now) {
        boolean undenies = there.denied() && !now.denied();
        if (undenies) {
            denials++;
            name(
                    "'"
                            + there
                            + (replaceDenials
                                    ? "' was replaced by '" + now + "'"
                                    : "' stays, '"
                                            + now
                                            + "' was not put; to put it, add --replace-denials"));
        }
        if (!undenies || replaceDenials) {
            List<String> lost = LostConditions.of(there, now);
            conditions += lost.size();
            lost.forEach(this::name);
        }
    }

    private void name(String sentence) {
        if (named.size() < MAX_NAMED) {
            named.add(sentence);
        }
    }

    /** Returns how many denials were kept. */
    long kept() {
        return replaceDenials ? 0 : denials;
    }

    /** Prints the first in words. */
    void print(PrintWriter target) {
        named.forEach(target::println);
        long more = denials + conditions - named.size();
        if (more > 0) {
            target.println("and " + more + " more like these");
        }
    }

    /** Returns the counts that are not 0, each after a comma. */
    @Override
    public String toString() {
        String done = replaceDenials ? "replaced" : "kept";
        return (denials == 0 ? "" : ", " + Numbers.count(denials, "denial ", "denials ") + done)
                + (conditions == 0
                        ? ""
                        : ", " + Numbers.count(conditions, "condition", "conditions") + " lost");
    }
}
