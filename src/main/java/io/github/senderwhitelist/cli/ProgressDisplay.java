package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.snapshot.BuildProgress;

import java.time.Duration;
import java.util.Locale;

/**
 * The progress of a command on standard error: on a terminal as a bar, which goes when the step is
 * done, otherwise as a plain line now and then.
 */
final class ProgressDisplay implements BuildProgress, AutoCloseable {
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(30);

    /** What takes less time needs no bar. */
    private static final Duration BEFORE_BAR = Duration.ofSeconds(1);

    private static final int BETWEEN_COUNTS = 1 << 12;
    private static final Duration BETWEEN_BARS = Duration.ofMillis(500);

    private final boolean terminal;

    /** The width of the terminal; 0 before the first bar. */
    private int width;

    private boolean isDrawn;
    private Progress last = new Progress("", "", 0, 0, 0);
    private boolean ended;
    private final long start = System.nanoTime();
    private long stepStart;
    private long lastShown;

    /** Returns whether a bar can be shown. */
    static boolean onTerminal() {
        return Terminal.is(Terminal.ERROR);
    }

    /** Returns a display for a command that writes much: no bar goes between what it writes. */
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
        Duration between = terminal ? BETWEEN_BARS : BETWEEN_LINES;
        if (now - lastShown < between.toNanos()) {
            return;
        }
        lastShown = now;
        if (!terminal) {
            System.err.println(last.line());
        } else if (!ended && now - start >= BEFORE_BAR.toNanos()) {
            draw(last);
        }
    }

    private void draw(Progress progress) {
        if (width == 0) {
            width = Terminal.width() - 1;
            // Ctrl-C shall leave no piece of a bar before what the shell writes next.
            Runtime.getRuntime().addShutdownHook(new Thread(this::end));
        }
        isDrawn = true;
        print(progress.bar(width));
    }

    /**
     * Fills the line of the cursor, which stays there: so does what Ctrl-C makes a terminal show.
     */
    private void print(String text) {
        System.err.print('\r' + text + " ".repeat(width - text.length()) + '\r');
        System.err.flush();
    }

    private synchronized void end() {
        ended = true;
        close();
    }

    /** Takes the bar away. */
    @Override
    public synchronized void close() {
        if (isDrawn) {
            print("");
            isDrawn = false;
        }
    }
}
