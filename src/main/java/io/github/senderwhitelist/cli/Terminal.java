package io.github.senderwhitelist.cli;

import picocli.CommandLine.Help.Ansi.Style;

import java.io.Console;
import java.util.Map;
import java.util.regex.Pattern;

/** The terminal that a command writes to, if it does. */
final class Terminal {
    static final int OUTPUT = 1;
    static final int ERROR = 2;

    /** The devices of Linux that are terminals. */
    private static final Pattern TERMINAL =
            Pattern.compile("/dev/(?:pts/[0-9]+|tty.*|console|hvc[0-9]+|pty.*)");

    private Terminal() {}

    /**
     * Returns whether standard output or error is a terminal. Where the system does not say, a
     * terminal for input and output counts as one.
     */
    static boolean is(int descriptor) {
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

    /** Returns a text in a style if it is for a terminal that has styles, else the text alone. */
    static String styled(int descriptor, Style style, String text) {
        return is(descriptor) && hasStyles(System.getenv())
                ? style.on() + text + Style.reset.on()
                : text;
    }

    /** Returns whether an environment allows styles; see no-color.org. */
    static boolean hasStyles(Map<String, String> environment) {
        return environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !environment.getOrDefault("TERM", "dumb").equals("dumb");
    }
}
