package io.github.senderwhitelist.importer;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Evaluates the conditions of {@code if} and {@code ifplugin} lines as SpamAssassin 4.0 with every
 * plugin does. So {@code plugin}, {@code can} and {@code has} are always true.
 */
final class SpamAssassinCondition {
    private static final double VERSION = 4.000001;
    private static final double PERL_VERSION = 5.036;

    /** The deepest nesting that is evaluated. Nobody writes deeper conditions. */
    private static final int MAX_DEPTH = 100;

    private static final Pattern TOKEN =
            Pattern.compile("\\s*([0-9]+(?:\\.[0-9]+)?|\\w[\\w:]*|&&|\\|\\||[<>=!]=|[<>!()])");

    private final List<String> tokens = new ArrayList<>();
    private final String text;
    private int at;
    private int depth;

    private SpamAssassinCondition(String text) {
        this.text = text;
    }

    /**
     * Returns whether a condition holds.
     *
     * @throws IllegalArgumentException with the reason, if the condition cannot be understood
     */
    static boolean holds(String text) {
        return new SpamAssassinCondition(text).evaluate();
    }

    private boolean evaluate() {
        Matcher matcher = TOKEN.matcher(text.strip());
        int end = 0;
        while (matcher.lookingAt()) {
            tokens.add(matcher.group(1));
            end = matcher.end();
            matcher.region(end, text.strip().length());
        }
        if (end < text.strip().length()) {
            throw unknown();
        }
        boolean value = or() != 0;
        if (at < tokens.size()) {
            throw unknown();
        }
        return value;
    }

    private IllegalArgumentException unknown() {
        return new IllegalArgumentException(
                "not a condition we know; the lines it governs are passed over");
    }

    private String next() {
        if (at == tokens.size()) {
            throw unknown();
        }
        return tokens.get(at++);
    }

    private boolean skip(String token) {
        boolean there = at < tokens.size() && tokens.get(at).equals(token);
        at += there ? 1 : 0;
        return there;
    }

    private double or() {
        double value = and();
        while (skip("||")) {
            double right = and();
            value = value != 0 || right != 0 ? 1 : 0;
        }
        return value;
    }

    private double and() {
        double value = comparison();
        while (skip("&&")) {
            double right = comparison();
            value = value != 0 && right != 0 ? 1 : 0;
        }
        return value;
    }

    private double comparison() {
        double left = operand();
        if (at == tokens.size()) {
            return left;
        }
        return switch (tokens.get(at)) {
            case "==", "!=", "<", ">", "<=", ">=" -> compare(left, next(), operand()) ? 1 : 0;
            default -> left;
        };
    }

    private static boolean compare(double left, String operator, double right) {
        return switch (operator) {
            case "==" -> left == right;
            case "!=" -> left != right;
            case "<" -> left < right;
            case ">" -> left > right;
            case "<=" -> left <= right;
            default -> left >= right;
        };
    }

    private double operand() {
        if (++depth > MAX_DEPTH) {
            throw unknown();
        }
        String token = next();
        double value = operand(token);
        depth--;
        return value;
    }

    private double operand(String token) {
        return switch (token) {
            case "!" -> operand() == 0 ? 1 : 0;
            case "(" -> parenthesis();
            case "plugin", "can", "has" -> question();
            case "version" -> VERSION;
            case "perl_version" -> PERL_VERSION;
            case "local_tests_only" -> 0;
            default -> number(token);
        };
    }

    private double parenthesis() {
        double value = or();
        if (!skip(")")) {
            throw unknown();
        }
        return value;
    }

    private double question() {
        if (!skip("(") || !next().matches("\\w[\\w:]*") || !skip(")")) {
            throw unknown();
        }
        return 1;
    }

    private double number(String token) {
        if (!Character.isDigit(token.charAt(0))) {
            throw unknown();
        }
        return Double.parseDouble(token);
    }
}
