package io.github.senderwhitelist.cli;

import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** The manual page of this command, of what {@code --help} shows. Source: man(7). */
final class ManualPage {
    private final StringBuilder page = new StringBuilder();

    private ManualPage() {}

    /** Returns the page. */
    static String of(CommandLine all) {
        ManualPage page = new ManualPage();
        CommandSpec main = all.getCommandSpec();
        page.macro("TH " + Main.NAME.toUpperCase(Locale.ROOT) + " 1");
        page.macro("SH NAME").text(Main.NAME + " - works on the sender whitelists of Apache James");
        page.macro("SH SYNOPSIS").synopsis(all);
        page.macro("SH DESCRIPTION").text(about(main));
        page.text(
                "The manual of the project says what lists hold, and shows each command at work.");
        page.macro("SH OPTIONS").arguments(main);
        page.macro("SH COMMANDS");
        for (String name : AllCommands.NAMES) {
            CommandLine command = Objects.requireNonNull(all.getSubcommands().get(name));
            page.macro("SS " + name).synopsis(command);
            page.macro("PP").text(about(command.getCommandSpec()));
            page.arguments(command.getCommandSpec());
            page.codes(command.getCommandSpec());
        }
        page.macro("SH EXIT STATUS").codes(main);
        return page.page.toString();
    }

    private static String about(CommandSpec spec) {
        return String.join(" ", spec.usageMessage().description());
    }

    private void synopsis(CommandLine command) {
        macro("nf").text(command.getHelp().synopsis(0).stripTrailing()).macro("fi");
    }

    private void arguments(CommandSpec spec) {
        spec.positionalParameters().forEach(a -> described(a.paramLabel(), a));
        for (OptionSpec option : spec.options()) {
            if (spec.parent() != null && spec.parent().findOption(option.longestName()) != null) {
                // The page has the options of all commands above.
                continue;
            }
            String value = option.arity().max() == 0 ? "" : "=" + option.paramLabel();
            described(String.join(", ", option.names()) + value, option);
        }
    }

    private void described(String name, ArgSpec argument) {
        String byDefault = String.valueOf(argument.defaultValue());
        macro("TP").text(name);
        text(String.join(" ", argument.description()).replace("${DEFAULT-VALUE}", byDefault));
    }

    private void codes(CommandSpec spec) {
        Map<String, String> codes = spec.usageMessage().exitCodeList();
        codes.forEach((code, meaning) -> macro("TP").text(code).text(meaning));
    }

    private ManualPage macro(String macro) {
        page.append('.').append(macro).append('\n');
        return this;
    }

    /** Adds text whose characters mean nothing to the formatter. */
    private ManualPage text(String text) {
        text.lines()
                .forEach(
                        line ->
                                page.append("\\&")
                                        .append(line.replace("\\", "\\e").replace("-", "\\-"))
                                        .append('\n'));
        return this;
    }
}
