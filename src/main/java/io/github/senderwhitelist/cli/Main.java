package io.github.senderwhitelist.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The program {@code java -jar james-sender-whitelist.jar}. */
@Command(
        name = "james-sender-whitelist",
        description = "Works on the sender whitelists of Apache James.",
        subcommands = {
            BuildCommand.class,
            CheckCommand.class,
            InfoCommand.class,
            VerifyCommand.class,
            PlanCommand.class,
            ExportCommand.class,
            DiffCommand.class,
            CompareCommand.class,
            CommandLine.HelpCommand.class
        },
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:a negative answer", "2:usage or failure"})
public final class Main implements Runnable {
    static final int DONE = 0;
    static final int NEGATIVE = 1;
    static final int FAILURE = 2;

    @Option(
            names = "--verbose",
            scope = ScopeType.INHERIT,
            description = "Print the stack trace of a failure.")
    private boolean verbose;

    @CommandLine.Spec private CommandLine.Model.@org.jspecify.annotations.Nullable CommandSpec spec;

    private Main() {}

    /** Runs a command and ends with its exit code. */
    public static void main(String... arguments) {
        System.exit(run(arguments));
    }

    /** Runs a command and returns its exit code. */
    static int run(String... arguments) {
        Main main = new Main();
        return new CommandLine(main)
                .setExecutionExceptionHandler(
                        (exception, line, parsed) -> {
                            line.getErr().println(message(exception));
                            if (main.verbose) {
                                exception.printStackTrace(line.getErr());
                            }
                            return FAILURE;
                        })
                .execute(arguments);
    }

    private static String message(Exception exception) {
        String message = exception.getMessage();
        return message == null ? exception.toString() : message;
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                java.util.Objects.requireNonNull(spec).commandLine(), "a COMMAND is needed");
    }

    /** The version in the jar's manifest. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {
                "james-sender-whitelist " + (version == null ? "(not packaged)" : version)
            };
        }
    }
}
