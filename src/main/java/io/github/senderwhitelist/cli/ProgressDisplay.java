package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.snapshot.BuildProgress;

import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Locale;

/**
 * Shows the progress of a command on standard error: on a terminal as a bar, which goes when the
 * step is done, otherwise as a plain line now and then.
 */
final class ProgressDisplay implements BuildProgress, AutoCloseable {
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(30);

    /** What takes less time needs no bar. */
    private static final Duration BEFORE_BAR = Duration.ofSeconds(1);

    private static final int UPDATE_MILLIS = 500;

    private final boolean terminal;
    private @Nullable ProgressBar bar;
    private @Nullable Thread hook;
    private volatile Progress last = new Progress("", "", 0, 0, 0);
    private boolean ended;
    private final long start = System.nanoTime();
    private long stepStart;
    private long lastLine;

    /** Returns whether a bar can be shown. */
    static boolean onTerminal() {
        return Terminal.is(Terminal.ERROR);
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

    /** Takes how far a step is; see {@link Progress}. Called often, by one thread at a time. */
    synchronized void report(String step, String unit, long done, long total) {
        long now = System.nanoTime();
        if (!step.equals(last.step())) {
            close();
            stepStart = now;
            lastLine = now;
        }
        last = new Progress(step, unit, done, total, (now - stepStart) / 1e9);
        if (!terminal) {
            if (now - lastLine >= BETWEEN_LINES.toNanos()) {
                lastLine = now;
                System.err.println(last.line());
            }
        } else if (bar == null && !ended && now - start >= BEFORE_BAR.toNanos()) {
            if (hook == null) {
                // Ctrl-C shall leave no piece of a bar before what the shell writes next.
                hook = new Thread(this::end);
                Runtime.getRuntime().addShutdownHook(hook);
            }
            bar = newBar();
        }
    }

    private ProgressBar newBar() {
        return new ProgressBarBuilder()
                .setInitialMax(1)
                .setUpdateIntervalMillis(UPDATE_MILLIS)
                .continuousUpdate()
                .setRenderer((state, width) -> last.bar(width))
                .setConsumer(new LastLine())
                .build();
    }

    /**
     * The line of the terminal where the cursor is, which is empty again at the end. The library's
     * own takes the terminal over by JLine, after which Ctrl-C ends Java without its shutdown
     * hooks, and temporary files stay.
     */
    private static final class LastLine implements ProgressBarConsumer {
        private final int width = Terminal.width() - 1;

        @Override
        public int getMaxRenderedLength() {
            return width;
        }

        @Override
        public void accept(String text) {
            // The cursor goes back, so that what the terminal shows of Ctrl-C stays on this line.
            System.err.print('\r' + text + " ".repeat(width - text.length()) + '\r');
        }

        @Override
        public void clear() {
            accept("");
        }

        @Override
        public void close() {
            clear();
        }
    }

    private synchronized void end() {
        ended = true;
        close();
    }

    /** Takes the bar away. */
    @Override
    public synchronized void close() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }
}
