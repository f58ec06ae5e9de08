package io.github.senderwhitelist.cli;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The writer of JSON of commands: writes maps, collections, numbers, booleans and null. Other
 * values are written as text.
 */
final class Json {
    private Json() {}

    /** Returns the value as JSON, with a line for each member. */
    static String indented(@Nullable Object value) {
        return of(value, "\n");
    }

    private static String of(@Nullable Object value, String newLine) {
        String inner = newLine + "  ";
        return switch (value) {
            case null -> "null";
            case Double number when !Double.isFinite(number) -> "null";
            case Number number -> number.toString();
            case Boolean yes -> yes.toString();
            case Map<?, ?> map ->
                    map.entrySet().stream()
                            .map(
                                    member ->
                                            quoted(String.valueOf(member.getKey()))
                                                    + ": "
                                                    + of(member.getValue(), inner))
                            .collect(Collectors.joining("," + inner, "{" + inner, newLine + "}"));
            case Collection<?> all ->
                    all.stream()
                            .map(one -> of(one, inner))
                            .collect(Collectors.joining("," + inner, "[" + inner, newLine + "]"));
            default -> quoted(value.toString());
        };
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (Character.isISOControl(c)) {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    /** Returns the number rounded to six significant digits. */
    static double rounded(double value) {
        return Double.isFinite(value) && value != 0
                ? new BigDecimal(value).round(new MathContext(6)).doubleValue()
                : value;
    }
}
