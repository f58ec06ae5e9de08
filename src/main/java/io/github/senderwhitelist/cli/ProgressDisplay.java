package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.snapshot.BuildProgress;

import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

import org.jspecify.annotations.Nullable;

import java.io.Console;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Shows the progress of a build on standard error: as a bar on a terminal, otherwise as a plain
 * line every few seconds.
 */
final class ProgressDisplay implements BuildProgress, AutoCloseable {
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(5);
    private static final int UPDATE_MILLIS = 500;

    /** The devices of Linux that are terminals. */
    private static final Pattern TERMINAL =
            Pattern.compile("/dev/(?:pts/[0-9]+|tty.*|console|hvc[0-9]+|pty.*)");

    private final boolean terminal;
    private @Nullable ProgressBar bar;
    private @Nullable Phase phase;
    private long phaseStart;
    private long lastLine = System.nanoTime();

    /**
     * Returns whether standard error is a terminal. Where the system does not say, a terminal for
     * input and output counts as one.
     */
    static boolean onTerminal() {
        return onTerminal(2);
    }

    /**
     * Returns whether an output is a terminal.
     *
     * @param descriptor as for {@link Output#target}
     */
    static boolean onTerminal(int descriptor) {
        String target = Output.target(descriptor);
        return target.isEmpty() ? hasConsole() : TERMINAL.matcher(target).matches();
    }

    /** Since Java 22, there is a console without a terminal, too. */
    @SuppressWarnings("SystemConsoleNull") // on Java 21 it can be null
    private static boolean hasConsole() {
        Console console = System.console();
        if (console == null || !JavaVersion.isAfter21()) {
            return console != null;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    ProgressDisplay(boolean terminal) {
        this.terminal = terminal;
    }

    @Override
    public void report(Phase now, long done, long total) {
        if (phase != now) {
            close();
            phase = now;
            phaseStart = System.nanoTime();
            lastLine = phaseStart;
            bar = terminal ? newBar(now, total) : null;
        }
        if (bar != null) {
            bar.stepTo(done);
        } else {
            line(now, done, total);
        }
    }

    private static ProgressBar newBar(Phase phase, long total) {
        boolean bytes = phase == Phase.READING;
        return new ProgressBarBuilder()
                .setTaskName(phase.name().toLowerCase(Locale.ROOT))
                .setInitialMax(total)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(UPDATE_MILLIS)
                .setUnit(bytes ? " MB" : " M entries", 1_000_000)
                .showSpeed()
                .build();
    }

    private void line(Phase now, long done, long total) {
        long time = System.nanoTime();
        if (time - lastLine < BETWEEN_LINES.toNanos()) {
            return;
        }
        lastLine = time;
        double seconds = (time - phaseStart) / 1e9;
        double rate = done / Math.max(seconds, 1e-9);
        String unit = now == Phase.READING ? "MB" : "M entries";
        String of = total < 0 ? "" : String.format(Locale.ROOT, " of %.1f", total / 1e6);
        String left =
                total < 0 || done == 0
                        ? ""
                        : String.format(Locale.ROOT, ", %.0f s left", (total - done) / rate);
        System.err.printf(
                Locale.ROOT,
                "%s: %.1f%s %s, %.1f %s/s%s%n",
                now.name().toLowerCase(Locale.ROOT),
                done / 1e6,
                of,
                unit,
                rate / 1e6,
                unit,
                left);
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }
}
