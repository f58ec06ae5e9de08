package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListRefusedException;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.Arrays;

/** The command line, {@code whitelist}. */
public final class Main {
    static final String NAME = "whitelist";
    static final int DONE = 0;
    static final int NEGATIVE = 1;
    static final int FAILURE = 2;

    /** The exit code that shells report for a program ended by a closed pipe (128 + SIGPIPE). */
    static final int READER_GONE = 141;

    private final PrintWriter answers;
    private final Complaints complaints;
    private boolean leavesNothing;

    private Main(OutputStream out, OutputStream err) {
        this.answers = Output.writer(out);
        this.complaints = new Complaints(err);
    }

    /** Runs a command and exits with its exit code. */
    public static void main(String... arguments) {
        Main main = new Main(Output.stream(FileDescriptor.out), Output.stream(FileDescriptor.err));
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> main.fail(failure));
        int exit = main.execute(arguments);
        if (main.leavesNothing) {
            // An orderly end looks for a logger in all jars, which takes as long as a check.
            Runtime.getRuntime().halt(exit);
        }
        System.exit(exit);
    }

    /** Runs a command and returns its exit code. */
    static int run(String... arguments) {
        return run(System.out, arguments);
    }

    /** Runs a command with another standard output, and returns its exit code. */
    static int run(OutputStream out, String... arguments) {
        return new Main(out, System.err).execute(arguments);
    }

    private int execute(String... arguments) {
        int exit;
        try {
            requireWhole(arguments);
            exit = parsed(withoutHelpCommand(arguments));
            answers.flush();
        } catch (Throwable e) {
            exit = fail(e);
        }
        complaints.end();
        return exit;
    }

    /**
     * Refuses arguments in which characters were lost. Such an address would be another one, and
     * probably not be listed.
     */
    private static void requireWhole(String... arguments) throws IOException {
        for (String argument : arguments) {
            if (argument.indexOf('\ufffd') >= 0) {
                throw new IOException(
                        ("the argument '%s' has characters that do not fit the locale, in which"
                                        + " Java reads arguments as %s; set LC_ALL=C.UTF-8, or give"
                                        + " addresses in UTF-8 on standard input ('-'). Nothing was"
                                        + " done")
                                .formatted(
                                        Text.shown(argument),
                                        System.getProperty("sun.jnu.encoding")));
            }
        }
    }

    /** Returns {@code COMMAND --help} for {@code help COMMAND}, as other programs have it. */
    private static String[] withoutHelpCommand(String... arguments) {
        if (arguments.length == 0 || !arguments[0].equals("help")) {
            return arguments;
        }
        String[] moved = Arrays.copyOfRange(arguments, 1, arguments.length + 1);
        moved[arguments.length - 1] = "--help";
        return moved;
    }

    /** Parses arguments, and runs the command or prints help. */
    private int parsed(String... arguments) throws IOException {
        CommandLine line = AllCommands.line(arguments).setOut(answers).setErr(complaints);
        try {
            AllCommands.requireCommandFirst(line, arguments);
            return run(line.parseArgs(arguments));
        } catch (ParameterException e) {
            String command = e.getCommandLine().getCommandSpec().qualifiedName();
            complain(e, AllCommands.message(e) + "; see '" + command + " --help'");
            return FAILURE;
        }
    }

    private int run(ParseResult parsed) throws IOException {
        if (!parsed.unmatched().isEmpty()) {
            // Beside --help picocli does not look at it.
            throw new CommandLine.UnmatchedArgumentException(
                    parsed.commandSpec().commandLine(), parsed.unmatched());
        }
        Integer helped = CommandLine.executeHelpRequest(parsed);
        if (helped != null) {
            return helped;
        }
        complaints.setVerbose(((AllCommands) parsed.commandSpec().userObject()).isVerbose());
        ParseResult named = parsed.hasSubcommand() ? parsed.subcommand() : parsed;
        Subcommand command = (Subcommand) named.commandSpec().userObject();
        command.write(answers, complaints);
        int exit = command.call();
        leavesNothing = command.leavesNothing();
        return exit;
    }

    /** Prints why the command failed, and returns the exit code. */
    private int fail(Throwable failure) {
        if (failure instanceof Output.FailedException output && output.readerHasGone()) {
            return READER_GONE;
        }
        if (failure instanceof ListRefusedException refused) {
            complain(failure, refused.reason());
            refused.badLines().forEach(complaints::report);
        } else {
            complain(failure, message(failure));
        }
        return FAILURE;
    }

    private static String message(Throwable failure) {
        try {
            return Failures.message(failure);
        } catch (LinkageError e) {
            // Java loads the parts of a program when they are needed first.
            return "the file of this program was replaced or removed while it ran ("
                    + e
                    + "); run it again";
        }
    }

    /** Prints a complaint, after all answers that are still in the buffer. */
    private void complain(Throwable failure, String message) {
        try {
            answers.flush();
        } catch (Output.FailedException e) {
            failure.addSuppressed(e);
        }
        complaints.fail(message, failure);
    }
}
