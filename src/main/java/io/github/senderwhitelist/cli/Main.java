package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListRefusedException;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The command line, {@code whitelist}: all commands by their names, and how one of them is run. */
@Command(
        name = Main.NAME,
        description = "Works on the sender whitelists of Apache James.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeList = {
            "0:done",
            "1:a negative answer",
            "2:usage or failure",
            "130:ended by Ctrl-C",
            "141:the reader of standard output has gone"
        },
        footer = {
            "  whitelist check conf/whitelist.txt alice@example.com",
            "  whitelist add own alice@example.com     (in James' folder)",
            "  whitelist COMMAND --help"
        })
public final class Main extends Subcommand {
    static final String NAME = "whitelist";
    static final int DONE = 0;
    static final int NEGATIVE = 1;
    static final int FAILURE = 2;

    /** The exit code that shells report for a program ended by a closed pipe (128 + SIGPIPE). */
    static final int READER_GONE = 141;

    /** The names of the commands, in the order in which help shows them. */
    static final List<String> NAMES =
            List.of(
                    ("check lint build info verify export diff add remove import status history"
                                    + " rename plan completion")
                            .split(" "));

    /** Words of other programs for what a command does. */
    private static final Map<String, String> MEANT =
            Map.of(
                    "delete", "remove",
                    "rm", "remove",
                    "put", "add",
                    "show", "export",
                    "list", "export",
                    "search", "export",
                    "find", "check",
                    "explain", "check --explain",
                    "validate", "lint",
                    "log", "history");

    @Option(
            names = "--verbose",
            scope = ScopeType.INHERIT,
            order = 99,
            description = "Print every complaint, not ten, and where a failure happened.")
    private boolean verbose;

    private boolean leavesNothing;

    private Main(OutputStream answers, OutputStream complaints) {
        out = Output.writer(answers);
        err = new Complaints(complaints);
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

    private static Subcommand command(String name) {
        return switch (name) {
            case "check" -> new CheckCommand();
            case "lint" -> new LintCommand();
            case "build" -> new BuildCommand();
            case "info" -> new InfoCommand();
            case "verify" -> new VerifyCommand();
            case "export" -> new ExportCommand();
            case "diff" -> new DiffCommand();
            case "add" -> new AddCommand();
            case "remove" -> new RemoveCommand();
            case "import" -> new ImportCommand();
            case "status" -> new StatusCommand();
            case "history" -> new HistoryCommand();
            case "rename" -> new RenameCommand();
            case "plan" -> new PlanCommand();
            case "completion" -> new CompletionCommand();
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** Returns what parses arguments, as {@link #line(Main, String...)} does, and runs nothing. */
    static CommandLine line(String... arguments) {
        OutputStream nothing = OutputStream.nullOutputStream();
        return line(new Main(nothing, nothing), arguments);
    }

    /**
     * Returns what parses the arguments: the command that they name alone, since to make them all
     * takes longer than most of them do; or all if they name none.
     */
    private static CommandLine line(Main main, String... arguments) {
        // Otherwise picocli would look for classes of values that no option has.
        System.setProperty("picocli.converters.excludes", ".*");
        int first = arguments.length > 1 && arguments[0].equals("--verbose") ? 1 : 0;
        String named = first < arguments.length ? arguments[first] : "";
        CommandLine line = new CommandLine(main);
        for (String name : NAMES.contains(named) ? List.of(named) : NAMES) {
            line.addSubcommand(name, command(name));
        }
        String version = Main.class.getPackage().getImplementationVersion();
        String shown = "james-sender-whitelist " + (version == null ? "(not packaged)" : version);
        line.getCommandSpec().version(shown);
        line.getSubcommands().values().forEach(each -> each.getCommandSpec().version(shown));
        Values.register(line);
        // The parser would take -V@example.com for -V, after which all seems to be done.
        return line.setExpandAtFiles(false).setPosixClusteredShortOptionsAllowed(false);
    }

    private int execute(String... arguments) {
        int exit;
        try {
            requireWhole(arguments);
            exit = parsed(withoutHelpCommand(arguments));
            out.flush();
        } catch (Throwable e) {
            exit = fail(e);
        }
        err.end();
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
        CommandLine line = line(this, arguments).setOut(out).setErr(err);
        try {
            String first = arguments.length == 0 ? "" : arguments[0].replaceFirst("=.*", "");
            if (first.startsWith("-") && !line.getCommandSpec().optionsMap().containsKey(first)) {
                throw new UnmatchedArgumentException(line, List.of(arguments));
            }
            ParseResult parsed = line.parseArgs(arguments);
            if (!parsed.unmatched().isEmpty()) {
                // Beside --help picocli does not look at it.
                throw new UnmatchedArgumentException(line, parsed.unmatched());
            }
            Integer helped = CommandLine.executeHelpRequest(parsed);
            if (helped != null) {
                return helped;
            }
            err.setVerbose(verbose);
            ParseResult named = parsed.hasSubcommand() ? parsed.subcommand() : parsed;
            Subcommand command = (Subcommand) named.commandSpec().userObject();
            command.out = out;
            command.err = err;
            int exit = command.call();
            leavesNothing = !DatabaseUrl.wasOpened();
            return exit;
        } catch (ParameterException e) {
            String command = e.getCommandLine().getCommandSpec().qualifiedName();
            complain(e, message(e) + "; see '" + command + " --help'");
            return FAILURE;
        }
    }

    @Override
    int call() {
        throw wrong("a COMMAND is needed");
    }

    /** Returns picocli's message in this program's words, with what was probably meant. */
    private static String message(ParameterException wrong) {
        if (!(wrong instanceof UnmatchedArgumentException unmatched)) {
            return String.valueOf(wrong.getMessage()).replaceAll("\\.$|^Error: ", "");
        }
        String first = unmatched.getUnmatched().getFirst();
        boolean isOption = first.startsWith("-");
        boolean isCommand = wrong.getCommandLine().getCommand() instanceof Main;
        String meant = MEANT.getOrDefault(isCommand ? first : "", "");
        if (wrong.getCommandLine().getCommandSpec().optionsMap().containsKey("--" + first)) {
            meant = "--" + first;
        } else if (meant.isEmpty()) {
            // A suggestion that begins with another letter resembles nothing.
            meant =
                    unmatched.getSuggestions().stream()
                            .filter(each -> isOption || each.charAt(0) == first.charAt(0))
                            .findFirst()
                            .orElse("");
        }
        return (isOption ? "no such option" : isCommand ? "no such COMMAND" : "argument too many")
                + (isOption && isCommand ? " before the COMMAND: '" : ": '")
                + Text.shown(first)
                + (isOption && first.contains("@")
                        ? "'; put -- before addresses that begin with -"
                        : meant.isEmpty() ? "'" : "'; did you mean '" + meant + "'?");
    }

    /** Prints why the command failed, and returns the exit code. */
    private int fail(Throwable failure) {
        if (failure instanceof Output.FailedException output && output.readerHasGone()) {
            return READER_GONE;
        }
        String message;
        try {
            message = Complaints.message(failure);
        } catch (LinkageError e) {
            // Java loads the parts of a program when they are needed first.
            message = "the file of this program was replaced or removed while it ran; run it again";
        }
        complain(failure, message);
        if (failure instanceof ListRefusedException refused) {
            refused.badLines().forEach(err::report);
        }
        return FAILURE;
    }

    /** Prints a complaint, after all answers that are still in the buffer. */
    private void complain(Throwable failure, String message) {
        try {
            out.flush();
        } catch (Output.FailedException e) {
            failure.addSuppressed(e);
        }
        err.fail(message, failure);
    }
}
