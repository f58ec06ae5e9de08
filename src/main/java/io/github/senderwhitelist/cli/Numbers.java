package io.github.senderwhitelist.cli;

import java.util.Locale;

/** Formats of numbers, for people: the same in every locale, since tests and scripts read them. */
final class Numbers {
    private Numbers() {}

    /** Returns a number of bytes with a unit, in powers of 1000, such as {@code 1.00 GB}. */
    static String bytes(long bytes) {
        String[] units = {"B", "kB", "MB", "GB", "TB"};
        double value = (double) bytes;
        int unit = 0;
        while (value >= 999.5 && unit < units.length - 1) {
            value /= 1000;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.2f %s", value, units[unit]);
    }

    /** Returns a number with what it counts, such as {@code 1 entry} or {@code 12,400 entries}. */
    static String count(long number, String one, String many) {
        return String.format(Locale.ROOT, "%,d %s", number, number == 1 ? one : many);
    }

    /** Returns the same after a comma, or nothing for 0. */
    static String andCount(long number, String one, String many) {
        return number == 0 ? "" : ", " + count(number, one, many);
    }

    /** Returns a rate as a percentage with four significant digits. */
    static String percent(double rate) {
        return String.format(Locale.ROOT, "%.4g %%", 100 * rate);
    }

    /** Returns how long it is since a time of {@link System#nanoTime}, such as {@code 0.3 s}. */
    static String secondsSince(long start) {
        return String.format(Locale.ROOT, "%.1f s", (System.nanoTime() - start) / 1e9);
    }
}
