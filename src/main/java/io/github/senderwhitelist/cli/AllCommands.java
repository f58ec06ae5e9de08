package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;

import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** All commands and their options, as picocli parses them. */
final class AllCommands extends Options {
    static final String VERBOSE = "--verbose";

    /** The names of the commands, in the order in which help shows them. */
    static final List<String> NAMES =
            List.of(
                    "build",
                    "check",
                    "info",
                    "verify",
                    "plan",
                    "export",
                    "diff",
                    "add",
                    "remove",
                    "rename",
                    "import",
                    "status",
                    "completion");

    /** What is no longer here, and what to do instead. */
    private static final Map<String, String> GONE =
            Map.of(
                    "compare", "run the benchmark Comparison, see comparing-filters.md",
                    "--demo", "run 'plan --addresses 10^9 --bits-per-address 8'",
                    "--server", "ask WebAdmin with curl, see webadmin.md, or give --database URL",
                    "--token-file", "ask WebAdmin with curl, see webadmin.md");

    private final Main main;
    private final Given<Boolean> verbose =
            option(
                    OptionSpec.builder(VERBOSE)
                            .type(boolean.class)
                            .initialValue(false)
                            .scopeType(ScopeType.INHERIT)
                            .description(
                                    "Print every report of an import, not ten, and the stack trace"
                                            + " of a failure."));

    AllCommands(Main main) {
        super(Main.NAME, "Works on the sender whitelists of Apache James.");
        this.main = main;
        exitCodes(
                "0:done",
                "1:a negative answer",
                "2:usage or failure",
                "130:ended by Ctrl-C",
                "141:the reader of standard output has gone");
        spec().usageMessage().synopsisSubcommandLabel("COMMAND");
    }

    /** Returns the command of a name. */
    static Subcommand command(String name) {
        return switch (name) {
            case "build" -> new BuildCommand();
            case "check" -> new CheckCommand();
            case "info" -> new InfoCommand();
            case "verify" -> new VerifyCommand();
            case "plan" -> new PlanCommand();
            case "export" -> new ExportCommand();
            case "diff" -> new DiffCommand();
            case "add" -> new AddCommand();
            case "remove" -> new RemoveCommand();
            case "rename" -> new RenameCommand();
            case "import" -> new ImportCommand();
            case "status" -> new StatusCommand();
            case "completion" -> new CompletionCommand();
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** Runs the command that the arguments name, and returns its exit code. */
    int execute(String... arguments) throws IOException {
        // Otherwise picocli would look for classes of values that no option has.
        System.setProperty("picocli.converters.excludes", ".*");
        Converter<Boolean> flag = new Converter<>(Values.flag());
        CommandLine line =
                line(arguments)
                        .setOut(main.answers())
                        .setErr(main.complaints())
                        .setExpandAtFiles(false)
                        .registerConverter(Boolean.class, flag)
                        .registerConverter(Boolean.TYPE, flag);
        try {
            requireCommandFirst(line, arguments);
            return run(line.parseArgs(arguments));
        } catch (ParameterException e) {
            return refuse(e);
        }
    }

    /** Refuses options of a command before the command, where they would be missed. */
    private void requireCommandFirst(CommandLine line, String... arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        String name = first.replaceFirst("=.*", "");
        boolean later = Arrays.stream(arguments).anyMatch(NAMES::contains);
        if (later
                && first.startsWith("-")
                && !line.getCommandSpec().optionsMap().containsKey(name)) {
            throw wrong("'" + Text.shown(first) + "': options stand behind the COMMAND");
        }
    }

    /**
     * Returns what parses the arguments: the command that they name alone, since to make them all
     * takes longer than most of them do; or all if they name none, or want help.
     */
    private CommandLine line(String... arguments) {
        CommandLine line = new CommandLine(spec());
        for (String argument : arguments) {
            if (NAMES.contains(argument)) {
                return line.addSubcommand(argument, command(argument).spec());
            }
            if (!argument.equals(VERBOSE)) {
                break;
            }
        }
        addTo(line);
        return line;
    }

    /** Adds all commands that are not there. */
    static void addTo(CommandLine line) {
        NAMES.stream()
                .filter(name -> !line.getSubcommands().containsKey(name))
                .forEach(name -> line.addSubcommand(name, command(name).spec()));
        line.addSubcommand(new CommandLine.HelpCommand());
    }

    /** Runs a command or prints help. */
    private int run(ParseResult parsed) throws IOException {
        if (!parsed.unmatched().isEmpty()) {
            // Beside --help picocli does not look at it.
            throw new CommandLine.UnmatchedArgumentException(
                    parsed.commandSpec().commandLine(), parsed.unmatched());
        }
        if (parsed.isVersionHelpRequested()) {
            spec().version(version());
        }
        Integer helped = CommandLine.executeHelpRequest(parsed);
        if (helped != null) {
            return helped;
        }
        main.setVerbose(verbose.value());
        if (parsed.hasSubcommand()
                && parsed.subcommand().commandSpec().userObject() instanceof Subcommand command) {
            int exit = command.call();
            main.setLeavesNothing(command.leavesNothing());
            return exit;
        }
        throw wrong("a COMMAND is needed");
    }

    private int refuse(ParameterException wrong) {
        String command = wrong.getCommandLine().getCommandSpec().qualifiedName();
        main.complain(wrong, message(wrong) + meant(wrong) + "; see '" + command + " --help" + "'");
        return Main.FAILURE;
    }

    /** Returns picocli's message in this program's words. */
    private static String message(ParameterException wrong) {
        boolean noCommand = wrong.getCommandLine().getParent() == null;
        return String.valueOf(wrong.getMessage())
                .replaceFirst("\\.$", "")
                .replaceFirst("^Error: ", "")
                .replaceFirst(
                        "^Unmatched argument(s?) (?:at|from) index \\d+: ",
                        noCommand ? "no such COMMAND: " : "argument$1 too many: ");
    }

    /**
     * Returns a question after a name that resembles a command or an option, or lacks its option.
     */
    private static String meant(ParameterException wrong) {
        if (!(wrong instanceof CommandLine.UnmatchedArgumentException unmatched)) {
            return "";
        }
        String first = unmatched.getUnmatched().getFirst();
        String instead = GONE.get(first.replaceFirst("=.*", ""));
        if (instead != null) {
            return "; it is gone: " + instead;
        }
        String option =
                wrong.getCommandLine().getCommandSpec().userObject() instanceof Subcommand command
                        ? command.optionOfArgument()
                        : null;
        List<String> similar;
        if (wrong.getCommandLine().getCommandSpec().optionsMap().containsKey("--" + first)) {
            similar = List.of("--" + first);
        } else if (option != null && !first.startsWith("-")) {
            similar = List.of(option + " " + Text.shown(first));
        } else {
            similar = unmatched.getSuggestions();
        }
        return similar.isEmpty() ? "" : "; did you mean '" + similar.getFirst() + "'?";
    }

    /** Returns the version, which the jar's manifest says. */
    private static String version() {
        String version = Main.class.getPackage().getImplementationVersion();
        return "james-sender-whitelist " + (version == null ? "(not packaged)" : version);
    }
}
