package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.snapshot.BuildProgress;

import java.util.Locale;

/**
 * The progress of a command, as one line on standard error: on a terminal a line that is drawn
 * again and goes when a step is done, otherwise a plain line now and then.
 */
final class Progress implements BuildProgress, AutoCloseable {
    private static final double SECONDS_BETWEEN_DRAWINGS = 0.5;
    private static final double SECONDS_BETWEEN_LINES = 30;

    /** A line that is no longer fits into any terminal. */
    private static final int WIDTH = 79;

    private static final int MINUTE = 60;

    private final boolean draws = Output.isTerminal(2);
    private String step = "";
    private long stepStart;
    private double lastShown;
    private boolean isDrawn;

    @Override
    public void report(Phase phase, long done, long total) {
        report(phase.name().toLowerCase(Locale.ROOT), done, total);
    }

    /** Takes how far a step is. Called often, by one thread. */
    void report(String name, long done, long total) {
        if (!name.equals(step)) {
            close();
            step = name;
            stepStart = System.nanoTime();
            lastShown = 0;
        }
        double seconds = (System.nanoTime() - stepStart) / 1e9;
        double between = draws ? SECONDS_BETWEEN_DRAWINGS : SECONDS_BETWEEN_LINES;
        if (seconds - lastShown < between) {
            return;
        }
        lastShown = seconds;
        String line = line(step, done, total, seconds);
        if (draws) {
            isDrawn = true;
            draw(line.substring(0, Math.min(line.length(), WIDTH)));
        } else {
            System.err.println(line);
        }
    }

    /**
     * Fills the line of the cursor, which stays there: so does what Ctrl-C makes a terminal show.
     */
    private static void draw(String text) {
        System.err.print('\r' + text + " ".repeat(WIDTH - text.length()) + '\r');
        System.err.flush();
    }

    /** Takes the line away. */
    @Override
    public void close() {
        if (isDrawn) {
            draw("");
            isDrawn = false;
        }
    }

    /**
     * Returns a line such as {@code writing: 4 %, 12,400 of 300,000, 9 s left}.
     *
     * @param total the whole of the step, or a negative number if it is not known
     */
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
