package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.decision.Unwrapping;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.importer.ForeignFormat;
import io.github.senderwhitelist.living.ListName;
import io.github.senderwhitelist.snapshot.BuildOptions;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Converts the values of options. Each converter is strict, and its message says what is allowed.
 */
abstract class Values<T> implements ITypeConverter<T> {
    private final ValueType<T> type;

    private Values(ValueType<T> type) {
        this.type = type;
    }

    private Values(Function<String, Optional<T>> parser, String allowed) {
        this(new ValueType<>(parser, allowed));
    }

    @Override
    public T convert(String text) {
        return type.parse(text)
                .orElseThrow(
                        () ->
                                new TypeConversionException(
                                        "'" + Text.shown(text) + "'; allowed: " + type.allowed()));
    }

    /** The optional value of an option that needs none. */
    static final class Flag extends Values<Boolean> {
        Flag() {
            super(ValueType.either("true", "false").parser(), "no value, true, or false");
        }
    }

    /** Sizes of memory, in powers of 1024. */
    static final class Size extends Values<Long> {
        Size() {
            super(ValueType.SIZE);
        }
    }

    /** Numbers of addresses. */
    static final class Count extends Values<Long> {
        Count() {
            super(
                    ValueType.whole(1, Long.MAX_VALUE).parser(),
                    "a whole number from 1, such as 1000000, 1_000_000, 10^6, 1e6");
        }
    }

    /** Numbers of rounds. */
    static final class Rounds extends Values<Long> {
        Rounds() {
            super(ValueType.whole(3, 1000));
        }
    }

    /** Seeds, which are whole numbers of 64 bits. */
    static final class Seed extends Values<Long> {
        Seed() {
            super(ValueType.whole(Long.MIN_VALUE, Long.MAX_VALUE));
        }
    }

    /** False-positive rates. */
    static final class Rate extends Values<FilterSize> {
        Rate() {
            super(BuildOptions.RATES);
        }
    }

    /** Bits per address. */
    static final class Bits extends Values<FilterSize> {
        Bits() {
            super(BuildOptions.BITS);
        }
    }

    /** Kinds of filter. */
    static final class Kind extends Values<FilterKind> {
        Kind() {
            super(ValueType.oneOf(FilterKind.class, FilterKind::label));
        }
    }

    /** Moments in UTC. A day alone stands for its noon. */
    static final class Moment extends Values<Instant> {
        private static final Pattern MOMENT =
                Pattern.compile(
                        "([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T([0-9]{2}:[0-9]{2})(:[0-9]{2})?Z)?");

        Moment() {
            super(Moment::parse, "2027-01-31, 2027-01-31T18:30Z, or 2027-01-31T18:30:00Z, in UTC");
        }

        private static Optional<Instant> parse(String text) {
            Matcher moment = MOMENT.matcher(text);
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
    }

    /** Recipients of a mail. */
    static final class Recipient extends Values<String> {
        Recipient() {
            super(
                    text ->
                            AddressSyntax.parse(text) instanceof WellFormed
                                    ? Optional.of(text)
                                    : Optional.empty(),
                    "an address, local@domain");
        }
    }

    /** The methods that have confirmed a sender. */
    static final class Methods extends Values<String> {
        private static final Pattern METHODS = Pattern.compile("(?:spf|dkim)(?:,(?:spf|dkim))*");

        Methods() {
            super(
                    text -> Optional.of(text).filter(METHODS.asMatchPredicate()),
                    "spf, dkim, or both with a comma between them");
        }
    }

    /** The method that must confirm imported senders. */
    static final class Method extends Values<AuthRequirement> {
        Method() {
            super(
                    text ->
                            AuthRequirement.VALUES
                                    .parse(text)
                                    .filter(method -> method != AuthRequirement.NONE),
                    "spf, dkim, any");
        }
    }

    /** The authentication that entries require. */
    static final class Requirement extends Values<AuthRequirement> {
        Requirement() {
            super(AuthRequirement.VALUES);
        }
    }

    /** Delimiters of tags. */
    static final class Delimiter extends Values<Subaddressing> {
        Delimiter() {
            super(Subaddressing.VALUES);
        }
    }

    /**
     * Forms that are unwrapped. The value stays text, because picocli would take a set for several
     * values.
     */
    static final class Forms extends Values<String> {
        Forms() {
            super(
                    text -> Unwrapping.VALUES.parse(text).map(forms -> text),
                    Unwrapping.VALUES.allowed());
        }
    }

    /** Formats of other programs. */
    static final class Format extends Values<ForeignFormat> {
        Format() {
            super(ValueType.oneOf(ForeignFormat.class, ForeignFormat::toString));
        }
    }

    /** Names. */
    static final class Name extends Values<String> {
        Name() {
            super(
                    text ->
                            Optional.of(text)
                                    .filter(word -> !word.isBlank())
                                    .filter(word -> word.equals(Text.escaped(word))),
                    "text without control characters");
        }
    }

    /** Names of living lists. */
    static final class NameOfList extends Values<String> {
        NameOfList() {
            super(text -> Optional.of(text).filter(ListName::isAllowed), ListName.ALLOWED);
        }
    }

    /** Who has put an entry. */
    static final class OriginName extends Values<Origin> {
        OriginName() {
            super(Origin.VALUES);
        }
    }

    /** Addresses of web servers. */
    static final class Server extends Values<URI> {
        private static final Set<String> SCHEMES = Set.of("http", "https");

        Server() {
            super(Server::parse, "a URL such as http://127.0.0.1:8000, without a password");
        }

        private static Optional<URI> parse(String text) {
            try {
                URI url = new URI(text);
                boolean usable =
                        SCHEMES.contains(String.valueOf(url.getScheme()))
                                && url.getHost() != null
                                && url.getUserInfo() == null
                                && url.getQuery() == null
                                && url.getFragment() == null;
                return usable ? Optional.of(url) : Optional.empty();
            } catch (URISyntaxException e) {
                return Optional.empty();
            }
        }
    }

    /** Names of files and folders. */
    static final class File extends Values<Path> {
        File() {
            super(File::parse, "the name of a file or folder");
        }

        private static Optional<Path> parse(String text) {
            try {
                return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
            } catch (InvalidPathException e) {
                return Optional.empty();
            }
        }
    }
}
