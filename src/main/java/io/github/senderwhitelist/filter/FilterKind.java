package io.github.senderwhitelist.filter;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The kinds of filter. Labels are part of the configuration, codes of the snapshot format: neither
 * may change.
 */
public enum FilterKind {
    /** The textbook filter: k positions anywhere in m bits (Bloom 1970). */
    CLASSIC(1),
    /** All k positions of a key in one cache line of 512 bits (Putze et al. 2007). */
    BLOCKED(2),
    /** A static system of equations in one cache line (after Dillinger, Walzer 2021). */
    RIBBON(9);

    private final int code;

    FilterKind(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<FilterKind> of(int code) {
        return Arrays.stream(values()).filter(kind -> kind.code == code).findFirst();
    }
}
