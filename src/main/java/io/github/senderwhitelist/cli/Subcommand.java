package io.github.senderwhitelist.cli;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.Objects;
import java.util.concurrent.Callable;

/** What all commands have in common: where they write, and how they refuse arguments. */
abstract class Subcommand implements Callable<Integer> {
    @Spec private @Nullable CommandSpec spec;

    /** Returns the writer for answers, which is standard output. */
    final PrintWriter out() {
        return line().getOut();
    }

    /** Returns the writer for warnings and reports, which is standard error. */
    final PrintWriter err() {
        return line().getErr();
    }

    /** Returns the exception that refuses arguments; throwing it ends the command. */
    final ParameterException wrong(String message) {
        return new ParameterException(line(), message);
    }

    private CommandLine line() {
        return Objects.requireNonNull(spec).commandLine();
    }
}
