package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListRefusedException;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;

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
    private volatile boolean verbose;
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
        main.complaints.flush();
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
        try {
            requireWhole(arguments);
            requireNoAddressForOptions(arguments);
            int exit = new AllCommands(this).execute(arguments);
            answers.flush();
            return exit;
        } catch (Throwable e) {
            return fail(e);
        }
    }

    /**
     * Refuses arguments in which characters were lost. Such an address would be another one, and
     * probably not be listed.
     */
    private static void requireWhole(String... arguments) throws IOException {
        for (String argument : arguments) {
            if (argument.indexOf('\ufffd') >= 0) {
                throw new IOException(
                        "the argument '"
                                + Text.shown(argument)
                                + "' has characters that do not fit the locale, in which Java reads"
                                + " arguments as "
                                + System.getProperty("sun.jnu.encoding")
                                + "; set LC_ALL=C.UTF-8, or give addresses in UTF-8 on standard"
                                + " input ('-'). Nothing was done");
            }
        }
    }

    /**
     * Refuses addresses that begin as an option does. The parser would take {@code -V@example.com}
     * for {@code -V}, after which all seems to be done.
     */
    private static void requireNoAddressForOptions(String... arguments) throws IOException {
        for (String argument : arguments) {
            if (argument.equals("--")) {
                return;
            }
            if (isAddressLikeOption(argument)) {
                throw new IOException(
                        "'"
                                + Text.shown(argument)
                                + "': no option; put -- before addresses that begin with -."
                                + " Nothing was done");
            }
        }
    }

    private static boolean isAddressLikeOption(String argument) {
        if (argument.length() < 3 || argument.charAt(0) != '-') {
            return false;
        }
        return switch (argument.charAt(1)) {
            case 'h', 'V' -> true;
            case '-', 'o' -> false;
            default -> argument.indexOf('@') > 0;
        };
    }

    PrintWriter answers() {
        return answers;
    }

    PrintWriter complaints() {
        return complaints;
    }

    /** Sets whether failures are printed with their stack traces. */
    void setVerbose(boolean verbose) {
        this.verbose = verbose;
    }

    /** Sets whether the process can end at once; see {@link Subcommand#leavesNothing}. */
    void setLeavesNothing(boolean leavesNothing) {
        this.leavesNothing = leavesNothing;
    }

    /** Prints why the command failed, and returns the exit code. */
    int fail(Throwable failure) {
        if (failure instanceof Output.FailedException output && output.readerHasGone()) {
            return READER_GONE;
        }
        if (failure instanceof ListRefusedException refused) {
            complain(failure, refused.reason());
            refused.badLines().forEach(complaints::println);
        } else {
            complain(failure, message(failure));
        }
        if (verbose) {
            complaints.trace(failure);
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
    void complain(Throwable failure, String message) {
        try {
            answers.flush();
        } catch (Output.FailedException e) {
            failure.addSuppressed(e);
        }
        complaints.fail(message);
    }
}
