package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The steps of one decision, as lines of text for people. {@link Whitelist} and {@link Weighing}
 * report each step while they take it, so an explanation cannot differ from the decision.
 */
final class Explanation {
    /** Of a decision that nobody wants explained; it stays empty. */
    static final Explanation NONE = new Explanation(false);

    final boolean isWanted;
    final List<String> lines = new ArrayList<>();
    private boolean severalLists;

    Explanation(boolean isWanted) {
        this.isWanted = isWanted;
    }

    /** Adds a line made of these parts. */
    void add(Object... parts) {
        if (isWanted) {
            lines.add(Stream.of(parts).map(String::valueOf).collect(Collectors.joining()));
        }
    }

    /** Begins the question for one of a mail's two addresses. */
    void asks(String which, Sender sender) {
        add(which, sender instanceof Sender.Known(var address) ? " " + address : "", ":");
    }

    /** Begins a question to these lists. */
    void begin(SenderLines[] lists) {
        for (int i = 0; isWanted && i < lists.length; i++) {
            severalLists = lists.length > 1;
            add(prefix(i), "asked: ", lists[i].describe());
        }
    }

    /** Reports the answer of a list, counted from 0; null is no entry. */
    void found(int list, Key key, @Nullable Key to, @Nullable Entry entry) {
        if (isWanted) {
            String lines =
                    entry == null ? "no entry" : entry.rules().isEmpty() ? "" : "entry " + entry;
            String kinds =
                    entry == null || entry.kinds().isEmpty() ? "" : "entries for some recipients";
            String and = lines.isEmpty() || kinds.isEmpty() ? "" : ", and ";
            add(prefix(list), key, to == null ? "" : " to=" + to, ": ", lines, and, kinds);
        }
    }

    /** Reports how a rule came out for a recipient; null is nobody in particular. */
    void rule(Entry entry, Rule rule, @Nullable String recipient, Reason outcome) {
        if (isWanted) {
            String of = recipient == null ? "" : "," + of(recipient);
            add(rule.line(entry.key(), entry.to()), of, ": ", outcome.label());
        }
    }

    /** Reports the verdicts: one for each recipient, or a single one without recipients. */
    void verdicts(List<String> recipients, List<Verdict> verdicts) {
        for (int i = 0; isWanted && i < verdicts.size(); i++) {
            Verdict verdict = verdicts.get(i);
            String why =
                    switch (verdict.reason()) {
                        case STRANGER ->
                                " (no entry for this address, its domain or a parent domain)";
                        case UNAVAILABLE ->
                                " (" + ((Unavailable) verdict).cause().getMessage() + ")";
                        default -> "";
                    };
            add(
                    "verdict",
                    recipients.isEmpty() ? "" : of(recipients.get(i)),
                    verdict instanceof Listed ? ": " : ": not listed, ",
                    verdict.reason().label(),
                    why);
        }
    }

    private static String of(String recipient) {
        return " for " + Text.shown(recipient);
    }

    private String prefix(int list) {
        return severalLists ? "list " + (list + 1) + ": " : "";
    }
}
