package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.Authentication;
import io.github.senderwhitelist.decision.Explanation;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Question;
import io.github.senderwhitelist.decision.Reason;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.Sender.Nobody;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.decision.Whitelist;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;

/**
 * Asks a list about senders, and prints what it says about each. The code that decides is the one
 * that decides about mails.
 */
final class Checker {
    private static final String NOT_UTF_8 =
            "not UTF-8, or changed on its way here (if it is Latin-1: iconv -f LATIN1 -t UTF-8)";

    private final Policy policy;
    private final Authentication authentication;
    private final List<String> recipients;
    private final boolean explain;
    private final PrintWriter out;
    private final PrintWriter err;
    private int exit = Main.DONE;

    /**
     * Creates a checker.
     *
     * @param recipient whom the mail is for, or null for nobody in particular
     * @param explain whether to print below each answer how it came about
     */
    Checker(
            Policy policy,
            Authentication authentication,
            @Nullable String recipient,
            boolean explain,
            PrintWriter out,
            PrintWriter err) {
        this.policy = policy;
        this.authentication = authentication;
        this.recipients = recipient == null ? List.of() : List.of(recipient);
        this.explain = explain;
        this.out = out;
        this.err = err;
    }

    /**
     * Checks addresses and returns the exit code.
     *
     * @param list a file, or {@code -} for a text list on standard input
     * @param addresses the addresses; {@code -} stands for the lines of standard input
     */
    int check(String list, List<String> addresses) throws IOException {
        try (OpenedList opened = OpenedList.open(list, explain || addresses.contains("-"))) {
            opened.warnings().forEach(err::println);
            Whitelist whitelist = new Whitelist(List.of(opened::generation), policy);
            for (String address : addresses) {
                if (address.equals("-")) {
                    checkInput(whitelist);
                } else {
                    check(whitelist, address);
                }
            }
        }
        return exit;
    }

    private void checkInput(Whitelist whitelist) throws IOException {
        InputLines lines = new InputLines(out);
        for (String line = lines.next(); line != null; line = lines.next()) {
            check(whitelist, line);
        }
    }

    private void check(Whitelist whitelist, String text) {
        if (text.indexOf('\ufffd') >= 0) {
            answer(text, new Unavailable(new IOException(NOT_UTF_8)));
            return;
        }
        Sender sender = Sender.parse(text);
        if (sender instanceof Nobody(Reason reason, String why) && reason == Reason.MALFORMED) {
            err.println(why);
        }
        Explanation explanation = explain ? new Explanation() : null;
        Question question = new Question(sender, recipients, authentication);
        answer(text, whitelist.check(question, explanation).getFirst());
        if (explanation != null) {
            explanation.lines().forEach(line -> out.println("    " + Text.escaped(line)));
        }
    }

    private void answer(String text, Verdict verdict) {
        String asked = Text.escaped(text);
        if (verdict instanceof Listed(var entry)) {
            out.println(asked + "\tlisted\t" + Text.escaped(entry.toString()));
        } else if (verdict instanceof NotListed(var reason, var entry, var denied)) {
            String denial = entry == null ? "" : Text.escaped(entry.toString());
            out.println(asked + "\tnot-listed\t" + denial);
            exit = Math.max(exit, Main.NEGATIVE);
        } else if (verdict instanceof Unavailable(var cause)) {
            out.println(asked + "\tunavailable\t");
            err.println(Text.shown(text) + ": could not tell: " + cause.getMessage());
            exit = Main.FAILURE;
        } else {
            throw new IllegalStateException(((Failed) verdict).cause());
        }
    }
}
