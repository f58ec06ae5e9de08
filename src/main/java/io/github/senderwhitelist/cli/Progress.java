package io.github.senderwhitelist.cli;

import java.util.Locale;

/**
 * How far a step of a command is.
 *
 * @param step what is done, such as {@code reading}
 * @param unit what is counted, such as {@code entries}, or {@link #BYTES}
 * @param total the whole of the step, or a negative number if it is not known
 * @param seconds how long the step has taken so far
 */
record Progress(String step, String unit, long done, long total, double seconds) {
    static final String BYTES = "bytes";

    /** From this number on, millions are counted. */
    private static final long MILLIONS = 10_000_000;

    /** Before this, what is done is no measure of the speed. */
    private static final double TOO_EARLY = 0.1;

    private static final int MINUTE = 60;

    /** Times up to this number of units are said in that unit. */
    private static final int MOST = 100;

    private boolean isKnown() {
        return total > 0;
    }

    /**
     * Returns a line such as {@code writing: 4 %, 12,400 of 300,000 entries, 31,000/s, 9 s left}.
     */
    String line() {
        return step + ": " + (isKnown() ? percent() + ", " : "") + amounts();
    }

    private String percent() {
        return String.format(
                Locale.ROOT,
                "%3d %%",
                (int) (100 * Math.clamp((double) done / (double) total, 0, 1)));
    }

    private String amounts() {
        boolean bytes = unit.equals(BYTES);
        boolean millions = !bytes && Math.max(done, total) >= MILLIONS;
        String of = isKnown() ? " of " + number(total, millions) : "";
        String amounts =
                number(done, millions) + of + (bytes ? "" : (millions ? " million " : " ") + unit);
        if (seconds < TOO_EARLY || done == 0) {
            return amounts;
        }
        double rate = done / seconds;
        double tens = Math.pow(10, Math.max(0, Math.floor(Math.log10(rate)) - 2));
        long rounded = (long) (Math.round(rate / tens) * tens);
        boolean fast = rounded >= MILLIONS / 10;
        return amounts
                + ", "
                + number(rounded, fast && !bytes)
                + (fast && !bytes ? " million/s" : "/s")
                + (isKnown() && done < total ? ", " + time((total - done) / rate) + " left" : "");
    }

    private String number(long number, boolean millions) {
        if (unit.equals(BYTES)) {
            return Numbers.bytes(number);
        }
        return millions
                ? String.format(Locale.ROOT, "%,.1f", number / 1e6)
                : String.format(Locale.ROOT, "%,d", number);
    }

    private static String time(double seconds) {
        long minutes = Math.round(seconds / MINUTE);
        if (seconds < MOST) {
            return Math.round(seconds) + " s";
        }
        return minutes < MOST ? minutes + " min" : Math.round(minutes / (double) MINUTE) + " h";
    }
}
