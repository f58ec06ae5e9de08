package io.github.senderwhitelist.address;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A type of values that people write in parameters and options.
 *
 * <p>Numbers are {@code 1000000}, {@code 10^6}, {@code 1e6}, {@code 0.001}, {@code .001}, {@code
 * 1e-3}, each with an optional {@code -} before it. No other text is a number, be it a spelling
 * that only Java knows ({@code 8d}, {@code 0x1p3}, {@code NaN}) or digits of other scripts.
 *
 * @param parser returns the value that a text stands for; empty if the text is not allowed
 * @param allowed the texts that are allowed, for messages
 */
public record ValueType<T>(Function<String, Optional<T>> parser, String allowed) {
    /** A number of at most 64 characters. No sensible one is longer. */
    private static final Pattern NUMBER =
            Pattern.compile(
                    "(?=.{0,64}$)-?(?:10\\^-?[0-9]{1,3}"
                            + "|(?:[0-9]+(?:\\.[0-9]+)?|\\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?)");

    private static final Pattern QUANTITY = Pattern.compile("([0-9]{1,64})([a-zA-Z]*)");

    private static final Map<String, Long> MILLIS =
            Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

    private static final Map<String, Long> BYTES =
            Map.of("", 1L, "k", 1L << 10, "m", 1L << 20, "g", 1L << 30, "t", 1L << 40);

    /** Sizes in bytes, or with a unit in powers of 1024. */
    public static final ValueType<Long> SIZE =
            new ValueType<>(
                    text -> quantity(text, unit -> BYTES.get(unit.toLowerCase(Locale.ROOT))),
                    "a size such as 32m, 1g, or bytes");

    /** Shares, as fractions of 1. */
    public static final ValueType<Double> SHARE =
            new ValueType<>(
                    text ->
                            decimal(0, 100)
                                    .parse(
                                            text.endsWith("%")
                                                    ? text.replaceFirst("\\s*%$", "")
                                                    : "")
                                    .map(percent -> percent / 100),
                    "a share from 0% to 100%, such as 50%");

    /** Returns the value that a text stands for; empty if the text is not allowed. */
    public Optional<T> parse(String text) {
        return parser.apply(text);
    }

    /** Whole numbers in a range that includes both ends. */
    public static ValueType<Long> whole(long min, long max) {
        return new ValueType<>(
                text ->
                        parseNumber(text)
                                .filter(number -> number.stripTrailingZeros().scale() <= 0)
                                .filter(number -> number.compareTo(BigDecimal.valueOf(min)) >= 0)
                                .filter(number -> number.compareTo(BigDecimal.valueOf(max)) <= 0)
                                .map(BigDecimal::longValueExact),
                "a whole number from " + min + " to " + max);
    }

    /** Numbers in a range that includes both ends. */
    public static ValueType<Double> decimal(double min, double max) {
        return new ValueType<>(
                text ->
                        parseNumber(text)
                                .map(BigDecimal::doubleValue)
                                .filter(number -> number >= min && number <= max),
                "a number from " + plain(min) + " to " + plain(max));
    }

    private static String plain(double number) {
        return new BigDecimal(Double.toString(number)).stripTrailingZeros().toPlainString();
    }

    private static Optional<BigDecimal> parseNumber(String text) {
        return NUMBER.matcher(text).matches()
                ? Optional.of(new BigDecimal(text.replace("10^", "1e")))
                : Optional.empty();
    }

    /** Reads a number of units, as long as the result fits into a long. */
    private static Optional<Long> quantity(String text, Function<String, @Nullable Long> units) {
        Matcher quantity = QUANTITY.matcher(text);
        Long unit = quantity.matches() ? units.apply(quantity.group(2)) : null;
        return Optional.ofNullable(unit)
                .map(each -> new BigInteger(quantity.group(1)).multiply(BigInteger.valueOf(each)))
                .filter(product -> product.bitLength() < Long.SIZE)
                .map(BigInteger::longValue);
    }

    /** Durations from the shortest that is allowed to 365 days. */
    public static ValueType<Duration> duration(Duration min) {
        return new ValueType<>(
                text ->
                        quantity(text, MILLIS::get)
                                .map(Duration::ofMillis)
                                .filter(time -> time.compareTo(min) >= 0)
                                .filter(time -> time.compareTo(Duration.ofDays(365)) <= 0),
                "a duration such as 500ms, 5s, 10m, 2h, 1d, from " + min.toMillis() + "ms to 365d");
    }

    /** Durations of whole days, from the shortest that is allowed to 365 days. */
    public static ValueType<Integer> days(int min) {
        return new ValueType<>(
                text ->
                        duration(Duration.ofDays(min))
                                .parse(text)
                                .filter(time -> time.equals(Duration.ofDays(time.toDays())))
                                .map(time -> (int) time.toDays()),
                "a duration of whole days such as 30d, from " + min + "d to 365d");
    }

    /** Two words, of which the first stands for true. */
    public static ValueType<Boolean> either(String yes, String no) {
        return oneOf(value -> value ? yes : no, List.of(true, false));
    }

    /** Some values, each written as a word. */
    public static <T> ValueType<T> oneOf(Function<T, String> word, List<T> values) {
        return new ValueType<>(
                text -> values.stream().filter(value -> word.apply(value).equals(text)).findFirst(),
                values.stream().map(word).collect(Collectors.joining(", ")));
    }

    /** A constant of an enumeration, which people write as a word. */
    public interface Word {
        /** Returns the name of the constant. */
        String name();

        /** Returns the word, such as {@code not-yet} for {@code NOT_YET}. */
        default String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Constants of an enumeration. */
    public static <T extends Word> ValueType<T> oneOf(T[] constants) {
        return oneOf(Word::label, List.of(constants));
    }

    /** Names, which are texts that are not empty. */
    public static ValueType<String> name(String allowed) {
        return new ValueType<>(text -> Optional.of(text).filter(name -> !name.isEmpty()), allowed);
    }
}
