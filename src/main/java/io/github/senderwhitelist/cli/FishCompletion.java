package io.github.senderwhitelist.cli;

import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.util.Objects;

/**
 * A script by which the shell fish completes this command; picocli makes scripts for bash and zsh
 * alone. Source: complete(1) of fish 3.
 */
final class FishCompletion {
    private final StringBuilder lines = new StringBuilder();

    private FishCompletion() {}

    /** Returns the script. */
    static String of(CommandLine all) {
        FishCompletion script = new FishCompletion();
        script.options("__fish_use_subcommand", all.getCommandSpec());
        for (String name : AllCommands.NAMES) {
            CommandSpec spec =
                    Objects.requireNonNull(all.getSubcommands().get(name)).getCommandSpec();
            script.line("__fish_use_subcommand", " -f -a " + name, about(spec));
            String after = "__fish_seen_subcommand_from " + name;
            script.options(after, spec);
            for (ArgSpec argument : spec.positionalParameters()) {
                if (argument.completionCandidates() != null) {
                    script.line(after, " -f" + words(argument), "");
                }
            }
        }
        return script.lines.toString();
    }

    private void options(String when, CommandSpec spec) {
        for (OptionSpec option : spec.options()) {
            StringBuilder flags = new StringBuilder();
            for (String name : option.names()) {
                flags.append(name.startsWith("--") ? " -l " : " -s ")
                        .append(name.replaceFirst("^--?", ""));
            }
            if (option.arity().max() > 0) {
                flags.append(option.completionCandidates() != null ? " -x" + words(option) : " -r");
            }
            line(when, flags.toString(), String.join(" ", option.description()));
        }
    }

    private void line(String when, String flags, String description) {
        lines.append("complete -c ").append(Main.NAME).append(" -n ").append(quoted(when));
        lines.append(flags);
        if (!description.isEmpty()) {
            // What is shown beside a word on the same line: the first sentence.
            lines.append(" -d ")
                    .append(quoted(description.replaceFirst("([.;] | \\().*|\\.$", "")));
        }
        lines.append('\n');
    }

    private static String about(CommandSpec spec) {
        return String.join(" ", spec.usageMessage().description());
    }

    private static String words(ArgSpec argument) {
        return " -a " + quoted(String.join(" ", argument.completionCandidates()));
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
