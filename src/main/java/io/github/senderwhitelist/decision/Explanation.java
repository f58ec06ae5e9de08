package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * The steps of one decision, as lines of text for people. The {@link Search} and the {@link
 * Weighing} report each step while they take it, so an explanation cannot differ from the decision.
 */
final class Explanation {
    private final List<String> lines = new ArrayList<>();
    private boolean severalLists;

    /** Adds a line. */
    void add(String line) {
        lines.add(line);
    }

    /** Begins a question to these lists. */
    void begin(SenderLines[] lists) {
        severalLists = lists.length > 1;
        for (int i = 0; i < lists.length; i++) {
            lines.add(prefix(i) + "asked: " + lists[i].describe());
        }
    }

    /** Begins the question for one of a mail's two addresses. */
    void asks(String which, Sender sender) {
        lines.add(which + (sender instanceof Sender.Known(var address) ? " " + address : "") + ":");
    }

    /**
     * Reports the answer of a list, counted from 0.
     *
     * @param entry what was found; null is no entry
     */
    void found(int list, Key key, @Nullable Key to, @Nullable Entry entry) {
        String forAll =
                entry == null ? "no entry" : entry.rules().isEmpty() ? "" : "entry " + entry;
        String forSome = entry == null || entry.kinds().isEmpty() ? "" : Decision.FOR_SOME;
        lines.add(
                prefix(list)
                        + key
                        + (to == null ? "" : " to=" + to)
                        + ": "
                        + forAll
                        + (forAll.isEmpty() || forSome.isEmpty() ? "" : ", and ")
                        + forSome);
    }

    /** Reports how a rule came out for a recipient; null is nobody in particular. */
    void rule(Entry entry, Rule rule, @Nullable String recipient, Reason outcome) {
        String line = rule.line(entry.key(), entry.to());
        lines.add(line + (recipient == null ? "" : ",") + of(recipient) + ": " + outcome.label());
    }

    /** Reports the verdicts: one for each recipient, or a single one without recipients. */
    void verdicts(List<String> recipients, List<Verdict> verdicts) {
        for (int i = 0; i < verdicts.size(); i++) {
            Verdict verdict = verdicts.get(i);
            lines.add(
                    "verdict"
                            + of(recipients.isEmpty() ? null : recipients.get(i))
                            + (verdict instanceof Verdict.Listed ? ": " : ": not listed, ")
                            + verdict.reason().label()
                            + (verdict.reason() == Reason.STRANGER
                                    ? " (no entry for this address, its domain or a parent domain)"
                                    : "")
                            + (verdict instanceof Verdict.Unavailable(var cause)
                                    ? " (" + cause.getMessage() + ")"
                                    : ""));
        }
    }

    private static String of(@Nullable String recipient) {
        return recipient == null ? "" : " for " + Text.shown(recipient);
    }

    private String prefix(int list) {
        return severalLists ? "list " + (list + 1) + ": " : "";
    }

    /** Returns the lines in the order of the steps. */
    List<String> lines() {
        return List.copyOf(lines);
    }
}
