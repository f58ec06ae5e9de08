package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.living.ListName;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The types of values that only options have. */
final class Values {
    private Values() {}

    /** The optional value of an option that needs none. */
    static ValueType<Boolean> flag() {
        return new ValueType<>(
                ValueType.either("true", "false").parser(), "no value, true, or false");
    }

    /** Numbers of addresses. */
    static ValueType<Long> count() {
        ValueType<Long> whole = ValueType.whole(1, Long.MAX_VALUE);
        return new ValueType<>(
                text -> whole.parse(isGrouped(text) ? text.replace(",", "") : text),
                "a whole number from 1, such as 1000000, 1,000,000, 10^6, 1e6");
    }

    private static boolean isGrouped(String number) {
        return number.matches("[0-9]{1,3}(?:,[0-9]{3})+");
    }

    /** Seeds, which are whole numbers of 64 bits. */
    static ValueType<Long> seed() {
        return ValueType.whole(Long.MIN_VALUE, Long.MAX_VALUE);
    }

    /** Moments in UTC. A day alone stands for its noon. */
    static ValueType<Instant> moment() {
        return new ValueType<>(
                Values::parseMoment,
                "2027-01-31, 2027-01-31T18:30Z, or 2027-01-31T18:30:00Z, in UTC");
    }

    private static Optional<Instant> parseMoment(String text) {
        Matcher moment =
                Pattern.compile(
                                "([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T([0-9]{2}:[0-9]{2})(:[0-9]{2})?Z)?")
                        .matcher(text);
        if (!moment.matches()) {
            return Optional.empty();
        }
        String time = moment.group(2) == null ? "12:00" : moment.group(2);
        String seconds = moment.group(3) == null ? ":00" : moment.group(3);
        try {
            return Optional.of(Instant.parse(moment.group(1) + "T" + time + seconds + "Z"));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Addresses of users. */
    static ValueType<String> address() {
        return new ValueType<>(
                text ->
                        AddressSyntax.parse(text) instanceof WellFormed
                                ? Optional.of(text)
                                : Optional.empty(),
                "an address, local@domain");
    }

    /** The methods that have confirmed a sender. */
    static ValueType<Set<AuthRequirement>> methods() {
        return new ValueType<>(
                Values::parseMethods, "spf, dkim, or both with a comma between them");
    }

    private static Optional<Set<AuthRequirement>> parseMethods(String text) {
        Set<AuthRequirement> methods = EnumSet.noneOf(AuthRequirement.class);
        for (String word : text.split(",", -1)) {
            Optional<AuthRequirement> method = method().parse(word);
            if (method.isEmpty() || method.get() == AuthRequirement.ANY) {
                return Optional.empty();
            }
            methods.add(method.get());
        }
        return Optional.of(methods);
    }

    /** The method that must confirm imported senders. */
    static ValueType<AuthRequirement> method() {
        return new ValueType<>(
                text ->
                        AuthRequirement.VALUES
                                .parse(text)
                                .filter(method -> method != AuthRequirement.NONE),
                "spf, dkim, any");
    }

    /** Names. */
    static ValueType<String> name() {
        return new ValueType<>(
                text ->
                        text.isBlank() || !text.equals(Text.escaped(text))
                                ? Optional.empty()
                                : Optional.of(text),
                "text without control characters");
    }

    /** Names of living lists. */
    static ValueType<String> nameOfList() {
        return new ValueType<>(
                text -> Optional.of(text).filter(ListName::isAllowed), ListName.ALLOWED);
    }

    /** Names of files and folders. */
    static ValueType<Path> file() {
        return new ValueType<>(Values::parseFile, "the name of a file or folder");
    }

    private static Optional<Path> parseFile(String text) {
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    /** Texts that the command itself looks at. */
    static ValueType<String> any() {
        return ValueType.text("any text", "text");
    }
}
