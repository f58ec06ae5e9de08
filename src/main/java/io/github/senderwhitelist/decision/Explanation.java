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
 * What a decision looked at, in its order, as lines for people: the decision itself tells it while
 * it is made.
 */
public final class Explanation {
    private final List<String> lines = new ArrayList<>();
    private boolean several;

    /** Nothing yet. */
    public Explanation() {}

    /** The decision begins, or begins again because a refresh came between. */
    void begin(SenderLines[] held) {
        lines.clear();
        several = held.length > 1;
        for (int i = 0; i < held.length; i++) {
            lines.add(list(i) + "generation: " + held[i].describe());
        }
    }

    void nobody(String why) {
        lines.add(why);
    }

    void unwrapped(Address written, Address sender) {
        lines.add(written + " stands for " + sender);
    }

    void filter(int list, Key key, boolean maybe) {
        lines.add(list(list) + key + ": filter " + (maybe ? "maybe" : "no"));
    }

    void found(int list, Key key, @Nullable Entry entry) {
        lines.add(list(list) + key + ": " + (entry == null ? "no entry" : "entry " + entry));
    }

    void rule(Key key, Rule rule, @Nullable String recipient, Reason outcome) {
        lines.add(
                rule.line(key)
                        + (recipient == null ? "" : ", for " + Text.shown(recipient))
                        + ": "
                        + outcome.label());
    }

    void verdicts(List<String> recipients, List<Verdict> verdicts) {
        for (int i = 0; i < verdicts.size(); i++) {
            verdict(recipients.isEmpty() ? null : recipients.get(i), verdicts.get(i));
        }
    }

    private void verdict(@Nullable String recipient, Verdict verdict) {
        lines.add(
                "verdict"
                        + (recipient == null ? "" : " for " + Text.shown(recipient))
                        + ": "
                        + (verdict instanceof Verdict.Listed ? "" : "not listed, ")
                        + verdict.reason().label()
                        + (verdict instanceof Verdict.Unavailable(var cause)
                                ? " (" + cause.getMessage() + ")"
                                : ""));
    }

    private String list(int i) {
        return several ? "list " + (i + 1) + ": " : "";
    }

    /** The lines. */
    public List<String> lines() {
        return List.copyOf(lines);
    }
}
