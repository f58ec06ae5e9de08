package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.ValueType;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.Writer;

/** A command: the options and arguments that picocli parses into it, and what it does with them. */
@Command(
        mixinStandardHelpOptions = true,
        abbreviateSynopsis = true,
        sortOptions = false,
        usageHelpWidth = 100,
        parameterListHeading = "%n",
        optionListHeading = "%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:a negative answer", "2:usage or failure"},
        footerHeading = "%nExamples:%n")
abstract class Subcommand {
    @Spec private CommandSpec spec = CommandSpec.create();

    /** Standard output, for answers. */
    PrintWriter out = new PrintWriter(Writer.nullWriter());

    /** Standard error, for complaints. */
    Complaints err = new Complaints(OutputStream.nullOutputStream());

    /** Runs the command with the options that were parsed, and returns its exit code. */
    abstract int call() throws IOException;

    /** Returns the value of an option, or refuses it. */
    final <T> T value(String option, String text, ValueType<T> type) {
        return type.parse(text)
                .orElseThrow(
                        () ->
                                wrong(
                                        "Invalid value for option '%s': %s"
                                                .formatted(option, Values.allowed(text, type))));
    }

    /** Returns the exception that refuses arguments; throwing it ends the command. */
    final ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
