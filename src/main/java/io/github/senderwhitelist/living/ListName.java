package io.github.senderwhitelist.living;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The names that a list may be given. */
public final class ListName {
    private static final Pattern FORM = Pattern.compile("[a-z0-9][a-z0-9-]{0,63}");

    /** Names that no list may have, because commands and pages use them. */
    private static final Set<String> RESERVED = Set.of("ui", "explain", "for", "recent");

    /** What is allowed, for messages. */
    public static final String ALLOWED =
            "lower case letters, digits and hyphens, at most 64, none of "
                    + String.join(", ", new TreeSet<>(RESERVED));

    private ListName() {}

    /**
     * Returns whether a text has the form of a name: 1 to 64 lower case letters, digits, hyphens.
     */
    public static boolean hasForm(String text) {
        return FORM.matcher(text).matches();
    }

    /** Returns whether a list may have this name. */
    public static boolean isAllowed(String text) {
        return hasForm(text) && !RESERVED.contains(text);
    }
}
