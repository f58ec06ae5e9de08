package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.snapshot.BuildProgress;

import java.io.Closeable;
import java.util.Locale;

/**
 * The progress of a command on a terminal: one line on standard error, which goes when a step is
 * done.
 */
final class Progress implements BuildProgress, Closeable {
    private static final double SECONDS_BETWEEN = 0.5;
    private static final int WIDTH = 79;
    private static final int MINUTE = 60;

    private final boolean isTerminal = Output.isTerminal(2);
    private String step = "";
    private long start;
    private double lastDrawn;

    /** Takes how far a step is. Called often, by one thread. */
    @Override
    public void report(String name, long done, long total) {
        if (!name.equals(step)) {
            close();
            step = name;
            start = System.nanoTime();
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        if (isTerminal && seconds - lastDrawn >= SECONDS_BETWEEN) {
            lastDrawn = seconds;
            draw(line(step, done, total, seconds));
        }
    }

    /** Fills the line of the cursor, which stays there. */
    private static void draw(String text) {
        String line = text.substring(0, Math.min(text.length(), WIDTH));
        System.err.print('\r' + line + " ".repeat(WIDTH - line.length()) + '\r');
        System.err.flush();
    }

    @Override
    public void close() {
        if (lastDrawn > 0) {
            draw("");
            lastDrawn = 0;
        }
    }

    /** Returns a line, where the total is negative if it is not known. */
    static String line(String step, long done, long total, double seconds) {
        if (total <= 0) {
            return String.format(Locale.ROOT, "%s: %,d", step, done);
        }
        double share = Math.clamp((double) done / (double) total, 0, 1);
        long left = done == 0 ? 0 : Math.round(seconds / share - seconds);
        String rest = left < 2 * MINUTE ? left + " s left" : left / MINUTE + " min left";
        return String.format(
                Locale.ROOT, "%s: %.0f %%, %,d of %,d, %s", step, 100 * share, done, total, rest);
    }
}
