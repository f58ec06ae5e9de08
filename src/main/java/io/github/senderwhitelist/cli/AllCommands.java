package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The program: all commands by their names, and what is meant by a name that is none. */
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
final class AllCommands extends Subcommand {
    /** The names of the commands, in the order in which help shows them. */
    static final List<String> NAMES =
            List.of(
                    "check",
                    "lint",
                    "build",
                    "info",
                    "verify",
                    "export",
                    "diff",
                    "add",
                    "remove",
                    "import",
                    "status",
                    "history",
                    "rename",
                    "plan",
                    "completion");

    /** Words of other programs, or of before, for what a command or an option here does. */
    private static final Map<String, String> MEANT =
            Map.ofEntries(
                    Map.entry("delete", "remove"),
                    Map.entry("del", "remove"),
                    Map.entry("rm", "remove"),
                    Map.entry("put", "add"),
                    Map.entry("show", "export"),
                    Map.entry("list", "export"),
                    Map.entry("dump", "export"),
                    Map.entry("search", "export"),
                    Map.entry("find", "check"),
                    Map.entry("explain", "check --explain"),
                    Map.entry("validate", "lint"),
                    Map.entry("log", "history"),
                    Map.entry("version", "--version"));

    @Option(
            names = "--verbose",
            scope = ScopeType.INHERIT,
            order = 99,
            description = "Print every complaint, not ten, and where a failure happened.")
    private boolean verbose;

    /** Returns the command of a name. */
    static Subcommand command(String name) {
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

    /**
     * Returns what parses the arguments: the command that they name alone, since to make them all
     * takes longer than most of them do; or all if they name none.
     */
    static CommandLine line(String... arguments) {
        // Otherwise picocli would look for classes of values that no option has.
        System.setProperty("picocli.converters.excludes", ".*");
        List<String> named =
                Arrays.stream(arguments)
                        .dropWhile("--verbose"::equals)
                        .limit(1)
                        .filter(NAMES::contains)
                        .toList();
        CommandLine line = new CommandLine(new AllCommands());
        for (String name : named.isEmpty() ? NAMES : named) {
            line.addSubcommand(name, command(name));
        }
        String version = Main.class.getPackage().getImplementationVersion();
        String shown = "james-sender-whitelist " + (version == null ? "(not packaged)" : version);
        line.getCommandSpec().version(shown);
        for (CommandLine command : line.getSubcommands().values()) {
            command.getCommandSpec().version(shown);
        }
        Values.register(line);
        // The parser would take -V@example.com for -V, after which all seems to be done.
        return line.setExpandAtFiles(false).setPosixClusteredShortOptionsAllowed(false);
    }

    boolean isVerbose() {
        return verbose;
    }

    @Override
    int call() {
        throw wrong("a COMMAND is needed");
    }

    /** Refuses options of a command before the command, where they would be missed. */
    static void requireCommandFirst(CommandLine line, String... arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        boolean isKnown =
                line.getCommandSpec().optionsMap().containsKey(first.replaceFirst("=.*", ""));
        if (first.startsWith("-")
                && !isKnown
                && Arrays.stream(arguments).anyMatch(NAMES::contains)) {
            throw new ParameterException(
                    line, "'" + Text.shown(first) + "': options stand behind the COMMAND");
        }
    }

    /** Returns picocli's message in this program's words, with what was probably meant. */
    static String message(ParameterException wrong) {
        Object command = wrong.getCommandLine().getCommand();
        if (wrong instanceof UnmatchedArgumentException unmatched) {
            String first = unmatched.getUnmatched().getFirst();
            String meant = meant((Subcommand) command, unmatched, first);
            String question =
                    first.startsWith("-") && first.contains("@")
                            ? "; put -- before addresses that begin with -"
                            : meant.isEmpty() ? "" : "; did you mean '" + meant + "'?";
            String what =
                    first.startsWith("-")
                            ? "no such option: "
                            : command instanceof AllCommands
                                    ? "no such COMMAND: "
                                    : "argument too many: ";
            return what + "'" + Text.shown(first) + "'" + question;
        }
        return String.valueOf(wrong.getMessage())
                .replaceFirst("\\.$", "")
                .replaceFirst("^Error: ", "");
    }

    private static String meant(
            Subcommand command, UnmatchedArgumentException unmatched, String first) {
        if (command instanceof AllCommands && MEANT.containsKey(first)) {
            return MEANT.get(first);
        }
        if (unmatched.getCommandLine().getCommandSpec().optionsMap().containsKey("--" + first)) {
            return "--" + first;
        }
        String meant = first.startsWith("-") ? "" : command.meant(Text.shown(first));
        // A suggestion that begins with another letter resembles nothing.
        return !meant.isEmpty()
                ? meant
                : unmatched.getSuggestions().stream()
                        .filter(each -> first.startsWith("--") || each.charAt(0) == first.charAt(0))
                        .findFirst()
                        .orElse("");
    }
}
