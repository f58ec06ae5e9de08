package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.Verdict;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;

/** The output of checks: a line of four columns for each sender. */
final class Checker {
    /** The columns of a terminal that verdict and reason take. */
    private static final String ALIGNED = "  %-11s  %-15s  ";

    private static final int WIDEST = 60;

    private final ListCheck check;
    private final boolean explain;
    private final PrintWriter out;
    private final PrintWriter err;
    private int exit = Main.DONE;

    /**
     * Creates a checker.
     *
     * @param explain whether to print below each answer how it came about
     */
    Checker(ListCheck check, boolean explain, PrintWriter out, PrintWriter err) {
        this.check = check;
        this.explain = explain;
        this.out = out;
        this.err = err;
    }

    /**
     * Checks addresses and returns the exit code.
     *
     * @param addresses the addresses; {@code -} stands for the lines of standard input
     */
    int check(List<String> addresses) throws IOException {
        String format = format(addresses);
        for (String address : addresses) {
            if (address.equals("-")) {
                InputLines lines = new InputLines(out);
                for (String line = lines.next(); line != null; line = lines.next()) {
                    check(line, format);
                }
            } else {
                check(address, format);
            }
        }
        return exit;
    }

    /** Returns the format of a line: with aligned columns on a terminal, otherwise with tabs. */
    private static String format(List<String> addresses) {
        if (!Terminal.is(Terminal.OUTPUT)) {
            return "%s\t%s\t%s\t%s%n";
        }
        int width = addresses.stream().mapToInt(String::length).max().orElse(1);
        return "%-" + Math.min(width, WIDEST) + "s" + ALIGNED + "%s%n";
    }

    private void check(String written, String format) throws IOException {
        String text = HiddenCharacters.strip(written);
        ListCheck.Answer answer = check.answer(text);
        if (!answer.note().isEmpty()) {
            err.println(answer.note());
        }
        out.printf(
                format,
                Text.escaped(text),
                answer.verdict(),
                answer.reason(),
                Text.escaped(answer.entry()));
        exit =
                Math.max(
                        exit,
                        switch (answer.verdict()) {
                            case Verdict.LISTED -> Main.DONE;
                            case Verdict.NOT_LISTED -> Main.NEGATIVE;
                            default -> Main.FAILURE;
                        });
        if (explain) {
            answer.steps().forEach(line -> out.println("    " + Text.escaped(line)));
        }
    }
}
