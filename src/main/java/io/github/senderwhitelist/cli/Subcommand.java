package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.ValueType;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A command: the options and arguments that picocli parses into its fields, and what it does with
 * them. It ends by returning an exit code, or by throwing what {@link Main} prints as one line. To
 * picocli, values are texts and paths; the command parses them by the types of configurations.
 */
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
abstract class Subcommand implements Closeable {
    @Spec private CommandSpec spec = CommandSpec.create();

    /** Standard output, for answers. */
    Output out = new Output(OutputStream.nullOutputStream(), false);

    /** Standard error, for complaints. */
    Messages err = new Messages(OutputStream.nullOutputStream());

    /** What the command has opened. */
    private final List<Closeable> opened = new ArrayList<>();

    /** Runs the command with the options that were parsed, and returns its exit code. */
    abstract int call() throws IOException;

    /** Keeps something open until the command ends. */
    final <T extends Closeable> T untilEnd(T each) {
        opened.add(each);
        return each;
    }

    @Override
    public final void close() throws IOException {
        for (Closeable each : opened) {
            each.close();
        }
    }

    @SuppressWarnings("AnnotateFormatMethod") // which is an annotation of a library
    final void say(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }

    /** Returns the value of an option or argument, or refuses it. */
    final <T> T value(String option, String text, ValueType<T> type) {
        Optional<T> value = type.parse(text);
        if (value.isEmpty()) {
            throw wrong(option + ": '" + Text.shown(text) + "'; allowed: " + type.allowed());
        }
        return value.get();
    }

    /** Returns the address that is the value of an option or argument, or refuses it. */
    final Address address(String option, String text) {
        if (AddressSyntax.parse(text) instanceof Address address) {
            return address;
        }
        throw wrong(option + ": '" + Text.shown(text) + "'; allowed: an address, local@domain");
    }

    /** Returns the exception that refuses arguments. */
    final ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    // Numbers are the same in every locale, since tests and scripts read them.

    /** Returns a number of bytes with a unit, in powers of 1000, such as {@code 1.00 GB}. */
    static String bytes(long bytes) {
        String[] units = {"B", "kB", "MB", "GB", "TB"};
        double value = (double) bytes;
        int unit = 0;
        while (value >= 999.5 && unit < units.length - 1) {
            value /= 1000;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.2f %s", value, units[unit]);
    }

    /** Returns a number with what it counts, such as {@code 1 entry} or {@code 12,400 entries}. */
    static String count(long number, String one, String many) {
        return String.format(Locale.ROOT, "%,d %s", number, number == 1 ? one : many);
    }

    /** Returns the same after a comma, or nothing for 0. */
    static String andCount(long number, String one, String many) {
        return number == 0 ? "" : ", " + count(number, one, many);
    }

    /** Returns a rate as a percentage with four significant digits. */
    static String percent(double rate) {
        return String.format(Locale.ROOT, "%.4g %%", 100 * rate);
    }

    /** Returns how long it is since a time of {@link System#nanoTime}, such as {@code 0.3 s}. */
    static String secondsSince(long start) {
        return String.format(Locale.ROOT, "%.1f s", (System.nanoTime() - start) / 1e9);
    }
}
