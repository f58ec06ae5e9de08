package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;

/** The command line, {@code java -jar james-sender-whitelist.jar}. */
@Command(
        name = Main.NAME,
        description = "Works on the sender whitelists of Apache James.",
        subcommands = {
            BuildCommand.class,
            CheckCommand.class,
            InfoCommand.class,
            VerifyCommand.class,
            PlanCommand.class,
            ExportCommand.class,
            DiffCommand.class,
            AddCommand.class,
            RemoveCommand.class,
            RenameCommand.class,
            ImportCommand.class,
            StatusCommand.class,
            CompareCommand.class,
            CommandLine.HelpCommand.class
        },
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:a negative answer",
            "2:usage or failure",
            "141:the reader of standard output has gone"
        })
public final class Main implements Runnable {
    static final String NAME = "james-sender-whitelist";
    static final int DONE = 0;
    static final int NEGATIVE = 1;
    static final int FAILURE = 2;

    /** The exit code that shells report for a program ended by a closed pipe (128 + SIGPIPE). */
    static final int READER_GONE = 141;

    @Option(
            names = "--verbose",
            scope = ScopeType.INHERIT,
            description = "Print the stack trace of a failure.")
    private boolean verbose;

    @CommandLine.Spec private CommandLine.Model.@Nullable CommandSpec spec;

    private final PrintWriter answers;
    private final Complaints complaints;

    private Main(OutputStream out, OutputStream err) {
        this.answers = Output.writer(out);
        this.complaints = new Complaints(err);
    }

    /** Runs a command and exits with its exit code. */
    public static void main(String... arguments) {
        Main main = new Main(Output.stream(FileDescriptor.out), Output.stream(FileDescriptor.err));
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> main.fail(failure));
        int exit = FAILURE;
        try {
            exit = main.execute(arguments);
        } finally {
            System.exit(exit);
        }
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
            int exit =
                    new CommandLine(this)
                            .setOut(answers)
                            .setErr(complaints)
                            .setExpandAtFiles(false)
                            .registerConverter(Boolean.class, new Values.Flag())
                            .registerConverter(Boolean.TYPE, new Values.Flag())
                            .setExecutionStrategy(this::run)
                            .setParameterExceptionHandler((e, given) -> refuse(e))
                            .setExecutionExceptionHandler((e, line, parsed) -> fail(e))
                            .execute(arguments);
            answers.flush();
            return exit;
        } catch (Throwable e) {
            return fail(e);
        }
    }

    /**
     * Runs a command or prints help. Picocli would print failures of the latter with their stack
     * trace.
     */
    private int run(ParseResult parsed) {
        try {
            return new CommandLine.RunLast().execute(parsed);
        } catch (Output.FailedException e) {
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

    private int refuse(ParameterException wrong) {
        String command = wrong.getCommandLine().getCommandSpec().qualifiedName();
        complain(
                wrong,
                String.valueOf(wrong.getMessage()).replaceFirst("\\.$", "")
                        + "; see '"
                        + (command.replaceFirst(NAME, "") + " --help").strip()
                        + "'");
        return FAILURE;
    }

    private int fail(Throwable failure) {
        if (failure instanceof Output.FailedException output && output.readerHasGone()) {
            return READER_GONE;
        }
        complain(failure, Failures.message(failure));
        if (verbose) {
            complaints.trace(failure);
        }
        return FAILURE;
    }

    /** Prints a complaint, after all answers that are still in the buffer. */
    private void complain(Throwable failure, String message) {
        try {
            answers.flush();
        } catch (Output.FailedException e) {
            failure.addSuppressed(e);
        }
        complaints.println(message);
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                java.util.Objects.requireNonNull(spec).commandLine(), "a COMMAND is needed");
    }

    /** Reads the version from the jar's manifest. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {NAME + " " + (version == null ? "(not packaged)" : version)};
        }
    }
}
