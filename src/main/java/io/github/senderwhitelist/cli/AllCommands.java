package io.github.senderwhitelist.cli;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/** All commands and their options, as picocli parses them. */
@Command(
        name = Main.NAME,
        description = "Works on the sender whitelists of Apache James.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = AllCommands.Version.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:a negative answer",
            "2:usage or failure",
            "141:the reader of standard output has gone"
        })
final class AllCommands implements Runnable {
    private static final String VERBOSE = "--verbose";

    /** The commands by their names, in the order in which help shows them. */
    static final Map<String, Supplier<Subcommand>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("build", BuildCommand::new);
        COMMANDS.put("check", CheckCommand::new);
        COMMANDS.put("info", InfoCommand::new);
        COMMANDS.put("verify", VerifyCommand::new);
        COMMANDS.put("plan", PlanCommand::new);
        COMMANDS.put("export", ExportCommand::new);
        COMMANDS.put("diff", DiffCommand::new);
        COMMANDS.put("add", AddCommand::new);
        COMMANDS.put("remove", RemoveCommand::new);
        COMMANDS.put("rename", RenameCommand::new);
        COMMANDS.put("import", ImportCommand::new);
        COMMANDS.put("status", StatusCommand::new);
        COMMANDS.put("compare", CompareCommand::new);
    }

    private final Main main;

    @CommandLine.Spec private CommandLine.Model.@Nullable CommandSpec spec;

    AllCommands(Main main) {
        this.main = main;
    }

    @Option(
            names = VERBOSE,
            scope = ScopeType.INHERIT,
            description = "Print the stack trace of a failure.")
    void setVerbose(boolean verbose) {
        main.setVerbose(verbose);
    }

    /** Runs the command that the arguments name, and returns its exit code. */
    int execute(String... arguments) {
        return line(arguments)
                .setOut(main.answers())
                .setErr(main.complaints())
                .setExpandAtFiles(false)
                .registerConverter(Boolean.class, new Values.Flag())
                .registerConverter(Boolean.TYPE, new Values.Flag())
                .setExecutionStrategy(this::run)
                .setParameterExceptionHandler((e, given) -> refuse(e))
                .setExecutionExceptionHandler((e, line, parsed) -> main.fail(e))
                .execute(arguments);
    }

    /**
     * Returns what parses the arguments: the command that they name alone, since to make them all
     * takes longer than most of them do; or all if they name none, or want help.
     */
    private CommandLine line(String... arguments) {
        String named =
                Arrays.stream(arguments)
                        .filter(each -> !each.equals(VERBOSE))
                        .findFirst()
                        .orElse("");
        CommandLine line = new CommandLine(this);
        COMMANDS.forEach(
                (name, command) -> {
                    if (name.equals(named) || !COMMANDS.containsKey(named)) {
                        line.addSubcommand(name, command.get());
                    }
                });
        return COMMANDS.containsKey(named)
                ? line
                : line.addSubcommand(new CommandLine.HelpCommand());
    }

    /**
     * Runs a command or prints help. Picocli would print failures of the latter with their stack
     * trace.
     */
    private int run(ParseResult parsed) {
        if (!parsed.unmatched().isEmpty()) {
            // Beside --help picocli does not look at it.
            return refuse(
                    new ParameterException(
                            parsed.commandSpec().commandLine(),
                            "Unmatched argument '" + parsed.unmatched().getFirst() + "'"));
        }
        try {
            return new CommandLine.RunLast().execute(parsed);
        } catch (Output.FailedException e) {
            return main.fail(e);
        }
    }

    private int refuse(ParameterException wrong) {
        String command = wrong.getCommandLine().getCommandSpec().qualifiedName();
        main.complain(
                wrong,
                String.valueOf(wrong.getMessage()).replaceFirst("\\.$", "")
                        + "; see '"
                        + (command.replaceFirst(Main.NAME, "") + " --help").strip()
                        + "'");
        return Main.FAILURE;
    }

    @Override
    public void run() {
        throw new ParameterException(
                Objects.requireNonNull(spec).commandLine(), "a COMMAND is needed");
    }

    /** Reads the version from the jar's manifest. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {Main.NAME + " " + (version == null ? "(not packaged)" : version)};
        }
    }
}
