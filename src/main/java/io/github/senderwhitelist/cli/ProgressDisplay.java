package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.snapshot.BuildProgress;

import java.time.Duration;
import java.util.Locale;

/**
 * The progress of a command on standard error: on a terminal as one line, which goes when the step
 * is done, otherwise as a plain line now and then.
 */
final class ProgressDisplay implements BuildProgress, AutoCloseable {
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(30);

    /** What takes less time needs no line. */
    private static final Duration BEFORE_LINE = Duration.ofSeconds(1);

    /** A line that is no longer fits into any terminal. */
    private static final int WIDTH = 79;

    private static final int BETWEEN_COUNTS = 1 << 12;
    private static final Duration BETWEEN_DRAWINGS = Duration.ofMillis(500);

    private final boolean terminal;

    private boolean isHooked;
    private boolean isDrawn;
    private Progress last = new Progress("", "", 0, 0, 0);
    private boolean ended;
    private final long start = System.nanoTime();
    private long stepStart;
    private long lastShown;

    /** Returns whether standard error is a terminal, on which a line can be drawn again. */
    static boolean onTerminal() {
        return Terminal.is(Terminal.ERROR);
    }

    /** Returns a display for a command that writes much: no line goes between what it writes. */
    static ProgressDisplay besideOutput() {
        ProgressDisplay display = new ProgressDisplay(onTerminal());
        display.ended = Terminal.is(Terminal.OUTPUT);
        return display;
    }

    ProgressDisplay(boolean terminal) {
        this.terminal = terminal;
    }

    @Override
    public void report(Phase phase, long done, long total) {
        report(
                phase.name().toLowerCase(Locale.ROOT),
                phase == Phase.READING ? Progress.BYTES : "entries",
                done,
                total);
    }

    /** Takes how many entries a step has passed. Called for each, of which it looks at a few. */
    void count(String step, long done, long total) {
        if (done % BETWEEN_COUNTS == 0) {
            report(step, "entries", done, total);
        }
    }

    /** Takes how far a step is; see {@link Progress}. Called often, by one thread at a time. */
    synchronized void report(String step, String unit, long done, long total) {
        long now = System.nanoTime();
        if (!step.equals(last.step())) {
            close();
            stepStart = now;
            lastShown = now;
        }
        last = new Progress(step, unit, done, total, (now - stepStart) / 1e9);
        Duration between = terminal ? BETWEEN_DRAWINGS : BETWEEN_LINES;
        if (now - lastShown < between.toNanos()) {
            return;
        }
        lastShown = now;
        if (!terminal) {
            System.err.println(last.line());
        } else if (!ended && now - start >= BEFORE_LINE.toNanos()) {
            draw(last.line());
        }
    }

    private void draw(String line) {
        if (!isHooked) {
            isHooked = true;
            // Ctrl-C shall leave no piece of a line before what the shell writes next.
            Runtime.getRuntime().addShutdownHook(new Thread(this::end));
        }
        isDrawn = true;
        print(line.substring(0, Math.min(line.length(), WIDTH)));
    }

    /**
     * Fills the line of the cursor, which stays there: so does what Ctrl-C makes a terminal show.
     */
    private void print(String text) {
        System.err.print('\r' + text + " ".repeat(WIDTH - text.length()) + '\r');
        System.err.flush();
    }

    private synchronized void end() {
        ended = true;
        close();
    }

    /** Takes the line away. */
    @Override
    public synchronized void close() {
        if (isDrawn) {
            print("");
            isDrawn = false;
        }
    }
}
