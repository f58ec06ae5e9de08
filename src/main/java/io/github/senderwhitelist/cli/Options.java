package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.ValueType;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Help.Ansi.Style;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Options and arguments of a command, with where it writes, and how it refuses them. */
abstract class Options {
    private final CommandSpec spec;

    /** Begins the options of a command. */
    Options(String name, String description) {
        spec = CommandSpec.wrapWithoutInspection(this).name(name);
        spec.usageMessage().description(description);
        spec.addOption(
                OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .type(boolean.class)
                        .description("Show this help message and exit.")
                        .build());
        spec.addOption(
                OptionSpec.builder("-V", "--version")
                        .versionHelp(true)
                        .type(boolean.class)
                        .description("Print version information and exit.")
                        .build());
    }

    /** Goes on with the options of a command. */
    Options(Options command) {
        spec = command.spec;
    }

    /** Returns the options as picocli parses them. */
    final CommandSpec spec() {
        return spec;
    }

    /** Sets what help says about exit codes, each as {@code code:meaning}. */
    final void exitCodes(String... codes) {
        spec.usageMessage()
                .exitCodeListHeading("%nExit codes:%n")
                .exitCodeList(UsageMessageSpec.keyValuesMap(codes));
    }

    /** Adds an option. */
    final <T> Given<T> option(OptionSpec.Builder option) {
        OptionSpec built = option.build();
        spec.addOption(built);
        return new Given<>(built);
    }

    /** Adds an option with a value. */
    final <T> Given<T> option(String name, String label, ValueType<T> type, String description) {
        return option(builder(name, label, type, description));
    }

    /** Adds an option with a value that has a default. */
    final <T> Given<T> option(
            String name, String label, ValueType<T> type, String byDefault, String description) {
        return option(builder(name, label, type, description).defaultValue(byDefault));
    }

    /** Adds the option that says where to write. */
    final <T> Given<T> output(
            boolean required, String label, ValueType<T> type, String description) {
        return option(
                builder("-o", label, type, description).names("-o", "--output").required(required));
    }

    /** Adds an option that needs no value. */
    final Given<Boolean> flag(String name, String description) {
        return option(
                OptionSpec.builder(name)
                        .type(boolean.class)
                        .initialValue(false)
                        .description(description));
    }

    /** Adds options of which one is allowed. */
    final void either(OptionSpec one, OptionSpec other) {
        spec.addArgGroup(ArgGroupSpec.builder().addArg(one).addArg(other).build());
    }

    /** Returns an option with a value. */
    static OptionSpec.Builder builder(
            String name, String label, ValueType<?> type, String description) {
        // Without a type, it would be an option that needs no value.
        return OptionSpec.builder(name)
                .type(String.class)
                .paramLabel(label)
                .converters(new Converter<>(type))
                .completionCandidates(words(type))
                .description(description);
    }

    /** Returns the words that a value is one of, or null if it is anything else. */
    private static @Nullable List<String> words(ValueType<?> type) {
        List<String> words = List.of(type.allowed().split(", ", -1));
        boolean all =
                words.stream()
                        .allMatch(word -> word.indexOf(' ') < 0 && type.parse(word).isPresent());
        return all ? words : null;
    }

    /** Adds the argument at an index from 0. */
    final <T> Given<T> argument(int index, String label, ValueType<T> type, String description) {
        return argument(index, "1", label, type, description);
    }

    /** Adds the only argument, which may be left out. */
    final <T> Given<T> optionalArgument(String label, ValueType<T> type, String description) {
        return argument(0, "0..1", label, type, description);
    }

    private <T> Given<T> argument(
            int index, String arity, String label, ValueType<T> type, String description) {
        return argument(
                PositionalParamSpec.builder()
                        .index(String.valueOf(index))
                        .arity(arity)
                        .required(arity.startsWith("1"))
                        .paramLabel(label)
                        .converters(new Converter<>(type))
                        .completionCandidates(words(type))
                        .description(description));
    }

    /** Adds all arguments from an index on, of which one is needed at least. */
    final Given<List<String>> arguments(int from, String label, String description) {
        return arguments(from, "1..*", label, description);
    }

    /** Adds all arguments from an index on. */
    final Given<List<String>> argumentsIfAny(int from, String label, String description) {
        return arguments(from, "0..*", label, description);
    }

    private Given<List<String>> arguments(
            int from, String arity, String label, String description) {
        return argument(
                PositionalParamSpec.builder()
                        .index(from + "..*")
                        .arity(arity)
                        .required(arity.startsWith("1"))
                        .type(List.class)
                        .auxiliaryTypes(String.class)
                        .paramLabel(label)
                        .description(description));
    }

    private <T> Given<T> argument(PositionalParamSpec.Builder argument) {
        PositionalParamSpec built = argument.build();
        spec.addPositional(built);
        return new Given<>(built);
    }

    /** Returns whether the command line has an option, which may have a default. */
    final boolean isGiven(String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    /** Returns the writer for answers, which is standard output. */
    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /** Returns the writer for warnings and reports, which is standard error. */
    final PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** Returns whether everything is to be said. */
    final boolean isVerbose() {
        OptionSpec verbose = spec.findOption(AllCommands.VERBOSE);
        return verbose != null && Boolean.TRUE.equals(verbose.getValue());
    }

    /** Prints values below each other, each after its name. */
    final void print(Map<String, ? extends @Nullable Object> values) {
        int longest = values.keySet().stream().mapToInt(String::length).max().orElse(0);
        values.forEach(
                (name, value) ->
                        out().println(
                                        name
                                                + " ".repeat(longest - name.length() + 2)
                                                + (value == null ? "none" : value)));
    }

    /** Prints the line above a table. */
    final void printHeading(String heading) {
        out().println(Terminal.styled(Terminal.OUTPUT, Style.bold, heading));
    }

    /** Returns the exception that refuses arguments; throwing it ends the command. */
    final ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Converts values strictly, with a message that says what is allowed. */
    record Converter<T>(ValueType<T> type) implements ITypeConverter<T> {
        @Override
        public T convert(String text) {
            Optional<T> value = type.parse(text);
            if (value.isPresent()) {
                return value.get();
            }
            throw new TypeConversionException(
                    "'" + Text.shown(text) + "'; allowed: " + type.allowed());
        }
    }
}
