package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
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

    /** Reports what address the written one stands for. */
    void unwrapped(Address written, Address sender) {
        lines.add(written + " stands for " + sender);
    }

    /** Reports that the administrator's lines are compared with another address of the mail. */
    void identity(Address other) {
        lines.add("a user's or learned entry lists the sender; is " + other + " denied?");
    }

    /** Reports that a filter, which is certain then, has no entry; lists are counted from 0. */
    void absent(int list, Key key) {
        lines.add(prefix(list) + key + ": no entry");
    }

    /**
     * Reports the answer of a list to a lookup.
     *
     * @param entry what was found; null is no entry
     * @param source where it comes from, if there are several places
     */
    void found(
            int list, Key key, @Nullable Key to, @Nullable Entry entry, @Nullable String source) {
        List<String> found = new ArrayList<>();
        if (entry == null) {
            found.add("no entry");
        } else if (!entry.rules().isEmpty()) {
            found.add("entry " + entry);
        }
        if (entry != null && !entry.kinds().isEmpty()) {
            found.add(Decision.FOR_SOME);
        }
        lines.add(
                prefix(list)
                        + key
                        + (to == null ? "" : " to=" + to)
                        + ": "
                        + String.join(", and ", found)
                        + (source == null ? "" : " (" + source + ")"));
    }

    /** Reports that an account has only forwarded the mail, so it is not listed for it. */
    void forwarder(Key key) {
        lines.add(key + ": has only forwarded the mail, so no entry but a denial counts");
    }

    /** Reports how a rule came out for a recipient; null is nobody in particular. */
    void rule(Entry entry, Rule rule, @Nullable String recipient, Reason outcome) {
        lines.add(
                rule.line(entry.key(), entry.to())
                        + (recipient == null ? "" : ", for " + Text.shown(recipient))
                        + ": "
                        + outcome.label());
    }

    /** Reports the verdicts: one for each recipient, or a single one without recipients. */
    void verdicts(List<String> recipients, List<Verdict> verdicts) {
        for (int i = 0; i < verdicts.size(); i++) {
            lines.add(verdict(recipients.isEmpty() ? null : recipients.get(i), verdicts.get(i)));
        }
    }

    private static String verdict(@Nullable String recipient, Verdict verdict) {
        return "verdict"
                + (recipient == null ? "" : " for " + Text.shown(recipient))
                + ": "
                + (verdict instanceof Verdict.Listed ? "" : "not listed, ")
                + verdict.reason().label()
                + (verdict.reason() == Reason.STRANGER
                        ? " (no entry for this address, its domain or a parent domain)"
                        : "")
                + (verdict instanceof Verdict.Unavailable(var cause)
                        ? " (" + cause.getMessage() + ")"
                        : "");
    }

    private String prefix(int list) {
        return severalLists ? "list " + (list + 1) + ": " : "";
    }

    /** Returns the lines in the order of the steps. */
    List<String> lines() {
        return List.copyOf(lines);
    }
}
