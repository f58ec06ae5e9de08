package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.importer.ForeignFormat;

import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/** The types of the values of options. */
final class Values {
    /**
     * What has confirmed a sender, as {@link io.github.senderwhitelist.decision.Evidence} has it.
     */
    static final ValueType<String> CONFIRMED =
            new ValueType<>(
                    text -> Optional.of(text).filter(it -> it.matches(Values.METHODS)),
                    "spf, dkim, dkim:DOMAIN, or several with commas between");

    /** Which domains are the server's own is not known here, so there is no login. */
    private static final String METHODS = "(?:spf|dkim(?::[^,]+)?)(?:,(?:spf|dkim(?::[^,]+)?))*";

    private Values() {}

    /** Sets what parses the types of which there is but one kind of values. */
    static void register(CommandLine line) {
        register(line, Path.class, new ValueType<>(Values::file, "the name of a file or folder"));
        register(line, Address.class, new ValueType<>(Values::address, "an address, local@domain"));
        register(line, Origin.class, Origin.VALUES);
        register(line, Subaddressing.class, Subaddressing.VALUES);
        register(line, AuthRequirement.class, AuthRequirement.VALUES);
        register(line, FilterKind.class, ValueType.oneOf(FilterKind.class, FilterKind::label));
        register(
                line,
                ForeignFormat.class,
                ValueType.oneOf(ForeignFormat.class, ForeignFormat::toString));
    }

    private static <T> void register(CommandLine line, Class<T> type, ValueType<T> values) {
        line.registerConverter(type, new Converter<>(values));
    }

    /** Parses strictly. No lambda, since Java does not archive those of picocli's interfaces. */
    private record Converter<T>(ValueType<T> type) implements ITypeConverter<T> {
        @Override
        public T convert(String text) {
            Optional<T> value = type.parse(text);
            if (value.isEmpty()) {
                throw new TypeConversionException(allowed(text, type));
            }
            return value.get();
        }
    }

    /** Returns the end of a message that refuses a value. */
    static String allowed(String text, ValueType<?> values) {
        return "'" + Text.shown(text) + "'; allowed: " + values.allowed();
    }

    private static Optional<Path> file(String text) {
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private static Optional<Address> address(String text) {
        return AddressSyntax.parse(text) instanceof WellFormed(Address address)
                ? Optional.of(address)
                : Optional.empty();
    }
}
