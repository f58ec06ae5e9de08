package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.list.ListRefusedException;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The command line, {@code whitelist}: all commands by their names, and how one of them is run.
 * Only the command that the first argument names is made, and the process ends without Java's
 * orderly end unless a command needs that: people start {@code check} for each of many mails.
 */
@Command(
        name = Main.NAME,
        description = "Works on the sender whitelists of Apache James.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeList = {
            "0:done",
            "1:a negative answer",
            "2:usage or failure",
            "130:ended by Ctrl-C"
        },
        footer = {
            "  whitelist check conf/whitelist.txt alice@example.com",
            "  whitelist add own alice@example.com     (in James' folder)",
            "  whitelist COMMAND --help"
        })
public final class Main extends Subcommand {
    static final String NAME = "whitelist";

    // The exit codes.
    static final int DONE = 0;
    static final int NEGATIVE = 1;
    static final int FAILURE = 2;

    /** The names of the commands, in the order in which help shows them. */
    static final List<String> NAMES =
            List.of(
                    ("check lint build info verify export diff add remove import status history"
                                    + " usage rename plan completion")
                            .split(" "));

    /** Words of other programs for what a command does. */
    private static final Map<String, String> MEANT =
            Map.of(
                    "delete", "remove",
                    "show", "export",
                    "list", "export",
                    "search", "export",
                    "find", "check",
                    "log", "history");

    /** Whether something cleans up when the process ends, as the driver of a database does. */
    static volatile boolean mustEndOrderly;

    @Option(
            names = "--verbose",
            scope = ScopeType.INHERIT,
            order = 99,
            description = "Print every complaint, not ten, and where a failure happened.")
    private boolean verbose;

    private Main(Output answers) {
        out = answers;
        err = new Messages(System.err);
    }

    /** Runs a command and exits with its exit code. */
    public static void main(String... arguments) {
        Main main = new Main(Output.standard());
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> main.fail(failure));
        int exit = main.execute(arguments);
        if (mustEndOrderly) {
            System.exit(exit);
        }
        // An orderly end looks for a logger in all jars, which takes as long as a check.
        Runtime.getRuntime().halt(exit);
    }

    /** Returns what parses the arguments of the command of a name. */
    static CommandLine line(String named) {
        return new Main(new Output(OutputStream.nullOutputStream(), false)).parser(named);
    }

    /** Runs a command with another standard output, and returns its exit code. */
    static int run(OutputStream out, String... arguments) {
        return new Main(new Output(out, Output.isTerminal(1))).execute(arguments);
    }

    /** Makes a command. A map of all would load their classes, which takes longer than a check. */
    private static Subcommand command(String name) {
        return switch (name) {
            case "check" -> new CheckCommand();
            case "lint" -> new LintCommand();
            case "build" -> new SnapshotCommands.Build();
            case "info" -> new SnapshotCommands.Header();
            case "verify" -> new SnapshotCommands.Verify();
            case "export" -> new EntryCommands.Export();
            case "diff" -> new EntryCommands.Diff();
            case "add" -> new FillCommand.Add();
            case "remove" -> new EntryCommands.Remove();
            case "import" -> new FillCommand.Import();
            case "status" -> new EntryCommands.Status();
            case "history" -> new EntryCommands.History();
            case "usage" -> new UsageCommand();
            case "rename" -> new EntryCommands.Rename();
            case "plan" -> new SnapshotCommands.Plan();
            case "completion" -> new Completion();
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** Returns what parses arguments: those of the command of a name, or of all if it is none. */
    private CommandLine parser(String named) {
        // Otherwise picocli would look for classes of values that no option has.
        System.setProperty("picocli.converters.excludes", "(?!java.nio).*");
        String version = Main.class.getPackage().getImplementationVersion();
        String shown = "james-sender-whitelist " + (version == null ? "(not packaged)" : version);
        CommandLine line = new CommandLine(this);
        line.getCommandSpec().version(shown);
        for (String name : NAMES.contains(named) ? List.of(named) : NAMES) {
            CommandLine each = new CommandLine(command(name));
            each.getCommandSpec().version(shown);
            line.addSubcommand(name, each);
        }
        // The parser would take -V@example.com for -V, after which all seems to be done.
        return line.setExpandAtFiles(false).setPosixClusteredShortOptionsAllowed(false);
    }

    /** Runs a command whatever happens: each failure becomes a line and an exit code. */
    private int execute(String... arguments) {
        int exit;
        try {
            requireWhole(arguments);
            exit = parseAndCall(arguments);
            err.clear();
            out.flush();
        } catch (Throwable e) {
            exit = fail(e);
        }
        err.end();
        return exit;
    }

    /** Refuses arguments in which characters were lost: such an address would be another one. */
    private static void requireWhole(String... arguments) throws IOException {
        for (String argument : arguments) {
            if (argument.indexOf('\ufffd') >= 0) {
                throw new IOException(
                        "the argument '%s' has characters that do not fit the locale; set LC_ALL=C.UTF-8, or give addresses in UTF-8 on standard input ('-')"
                                .formatted(Text.shown(argument)));
            }
        }
    }

    /** Parses arguments, and runs the command or prints help. */
    private int parseAndCall(String... arguments) throws IOException {
        String first = arguments.length == 0 ? "" : arguments[0];
        CommandLine line = parser(first).setOut(out).setErr(err);
        try {
            // Picocli would complain of what follows such an option.
            String option = first.replaceFirst("=.*", "");
            if (first.startsWith("-") && !line.getCommandSpec().optionsMap().containsKey(option)) {
                throw new UnmatchedArgumentException(line, List.of(arguments));
            }
            ParseResult parsed = line.parseArgs(arguments);
            Integer helped = CommandLine.executeHelpRequest(parsed);
            if (helped != null) {
                return helped;
            }
            err.verbose = verbose;
            try (Subcommand command = parsed.asCommandLineList().getLast().getCommand()) {
                command.out = out;
                command.err = err;
                return command.call();
            }
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
        CommandSpec spec = wrong.getCommandLine().getCommandSpec();
        String first = unmatched.getUnmatched().getFirst();
        boolean isOption = first.startsWith("-");
        boolean isCommand = spec.userObject() instanceof Main;
        List<String> meant = new ArrayList<>(unmatched.getSuggestions());
        // A suggestion that begins with another letter resembles nothing.
        meant.removeIf(each -> !isOption && each.charAt(0) != first.charAt(0));
        if (spec.optionsMap().containsKey("--" + first)) {
            meant.addFirst("--" + first);
        } else if (isCommand && MEANT.containsKey(first)) {
            meant.addFirst(MEANT.get(first));
        }
        String hint = meant.isEmpty() ? "" : "; did you mean '" + meant.getFirst() + "'?";
        if (isOption && first.contains("@")) {
            hint = "; put -- before addresses that begin with -";
        }
        String what = isCommand ? "no such COMMAND: '" : "argument too many: '";
        if (isOption) {
            what = isCommand ? "no such option before the COMMAND: '" : "no such option: '";
        }
        return what + Text.shown(first) + "'" + hint;
    }

    /** Prints why the command failed, and returns the exit code. */
    private int fail(Throwable failure) {
        // Nobody wants to hear that head has read enough.
        if (failure instanceof Output.FailedException output && output.readerHasGone()) {
            return FAILURE;
        }
        String message;
        try {
            message = Messages.of(failure);
        } catch (LinkageError e) {
            // Java loads the parts of a program when they are needed first.
            message = "the file of this program was replaced or removed while it ran; run it again";
        }
        complain(failure, message);
        if (failure instanceof ListRefusedException refused) {
            refused.badLines().forEach(err::complain);
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

    /**
     * {@code completion}: prints a script by which a shell completes this command, as picocli does.
     * It is one for both shells, since zsh understands that of bash.
     */
    @Command(
            description = "Prints a script by which a shell completes commands, options and files.",
            footer = "  source <(whitelist completion bash)     (in ~/.bashrc or ~/.zshrc)")
    private static final class Completion extends Subcommand {
        /** Without these lines, the shell completes files where the script knows nothing better. */
        private static final String NO_FILES = "(?m)^ *type compopt .*\n";

        @Parameters(arity = "0..1", paramLabel = "SHELL", description = "bash (default) or zsh.")
        private String shell = "bash";

        @Override
        int call() {
            value("SHELL", shell, ValueType.oneOf(text -> text, List.of("bash", "zsh")));
            out.print(AutoComplete.bash(NAME, line("")).replaceAll(NO_FILES, ""));
            return DONE;
        }
    }
}
