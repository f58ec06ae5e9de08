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

    private PrintWriter out = new PrintWriter(Writer.nullWriter());
    private Complaints err = new Complaints(OutputStream.nullOutputStream());

    /** Runs the command with the options that were parsed, and returns its exit code. */
    abstract int call() throws IOException;

    /** Returns what is meant by an argument that is too many, or an empty string. */
    String meant(String argument) {
        return "";
    }

    /**
     * Returns whether nothing is left to be done when the command has run, neither by what it used
     * nor by Java. So the process can end at once.
     */
    boolean leavesNothing() {
        return false;
    }

    /** Says where the command writes. */
    final void write(PrintWriter answers, Complaints complaints) {
        out = answers;
        err = complaints;
    }

    /** Returns the writer for answers, which is standard output. */
    final PrintWriter out() {
        return out;
    }

    /** Returns the writer for complaints, which is standard error. */
    final Complaints err() {
        return err;
    }

    /** Returns the value of an option, or refuses it. */
    final <T> T value(String option, String text, ValueType<T> type) {
        return type.parse(text)
                .orElseThrow(
                        () ->
                                wrong(
                                        "Invalid value for option '"
                                                + option
                                                + "': "
                                                + Values.allowed(text, type)));
    }

    /** Returns the exception that refuses arguments; throwing it ends the command. */
    final ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
