package io.github.senderwhitelist.address;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A type of values that people write in parameters and options.
 *
 * @param parser returns the value that a text stands for; empty if the text is not allowed
 * @param allowed the texts that are allowed, for messages
 * @param form the same in few words, for the manual
 */
public record ValueType<T>(Function<String, Optional<T>> parser, String allowed, String form) {
    /** Sizes in bytes, or with a unit in powers of 1024. */
    public static final ValueType<Long> SIZE =
            new ValueType<>(
                    text -> boxed(NumberText.bytes(text)), "a size such as 32m, 1g, or bytes");

    /** Shares, as fractions of 1. */
    public static final ValueType<Double> SHARE =
            new ValueType<>(
                    text ->
                            text.endsWith("%")
                                    ? decimal(0, 100)
                                            .parse(text.substring(0, text.length() - 1).strip())
                                            .map(percent -> percent / 100)
                                    : Optional.empty(),
                    "a share from 0% to 100%, such as 50%");

    private static final Pattern DURATION = Pattern.compile("([0-9]{1,12})(ms|s|m|h|d)");
    private static final Duration LONGEST = Duration.ofDays(365);

    /** A type for which the manual says what messages say. */
    public ValueType(Function<String, Optional<T>> parser, String allowed) {
        this(parser, allowed, allowed);
    }

    /** Returns the value that a text stands for; empty if the text is not allowed. */
    public Optional<T> parse(String text) {
        return parser.apply(text);
    }

    /** Whole numbers in a range that includes both ends. */
    public static ValueType<Long> whole(long least, long most) {
        return new ValueType<>(
                text ->
                        boxed(NumberText.whole(text))
                                .filter(number -> number >= least && number <= most),
                "a whole number from " + least + " to " + most,
                least + " to " + most);
    }

    /** Numbers in a range that includes both ends. */
    public static ValueType<Double> decimal(double least, double most) {
        return new ValueType<>(
                text ->
                        NumberText.decimal(text).stream()
                                .boxed()
                                .filter(number -> number >= least && number <= most)
                                .findFirst(),
                "a number from " + least + " to " + most,
                plain(least) + " to " + plain(most));
    }

    private static String plain(double number) {
        return new BigDecimal(Double.toString(number)).stripTrailingZeros().toPlainString();
    }

    /** Durations from the shortest that is allowed to 365 days. */
    public static ValueType<Duration> duration(Duration least) {
        return new ValueType<>(
                text ->
                        parseDuration(text)
                                .filter(
                                        duration ->
                                                duration.compareTo(least) >= 0
                                                        && duration.compareTo(LONGEST) <= 0),
                "a duration such as 500ms, 5s, 10m, 2h, 1d, from "
                        + least.toMillis()
                        + "ms to "
                        + LONGEST.toDays()
                        + "d",
                "duration from `" + least.toMillis() + "ms` to `" + LONGEST.toDays() + "d`");
    }

    /** Durations of whole days, from the shortest that is allowed to 365 days. */
    public static ValueType<Integer> days(int least) {
        return new ValueType<>(
                text ->
                        duration(Duration.ofDays(least))
                                .parse(text)
                                .filter(time -> time.equals(Duration.ofDays(time.toDays())))
                                .map(time -> (int) time.toDays()),
                "a duration of whole days such as 30d, from "
                        + least
                        + "d to "
                        + LONGEST.toDays()
                        + "d",
                "whole days from `" + least + "d` to `" + LONGEST.toDays() + "d`");
    }

    private static Optional<Duration> parseDuration(String text) {
        Matcher duration = DURATION.matcher(text);
        if (!duration.matches()) {
            return Optional.empty();
        }
        long count = Long.parseLong(duration.group(1));
        return Optional.of(
                switch (duration.group(2)) {
                    case "ms" -> Duration.ofMillis(count);
                    case "s" -> Duration.ofSeconds(count);
                    case "m" -> Duration.ofMinutes(count);
                    case "h" -> Duration.ofHours(count);
                    default -> Duration.ofDays(count);
                });
    }

    /** Two words, of which the first stands for true. */
    public static ValueType<Boolean> either(String yes, String no) {
        return new ValueType<>(
                text ->
                        text.equals(yes) || text.equals(no)
                                ? Optional.of(text.equals(yes))
                                : Optional.empty(),
                yes + ", " + no,
                "`" + yes + "`, `" + no + "`");
    }

    /** Some values, each written as a word. */
    public static <T> ValueType<T> oneOf(Function<T, String> word, List<T> values) {
        List<String> words = values.stream().map(word).toList();
        return new ValueType<>(
                text -> values.stream().filter(value -> word.apply(value).equals(text)).findFirst(),
                String.join(", ", words),
                "`" + String.join("`, `", words) + "`");
    }

    /** The same for the constants of an enumeration. */
    public static <T extends Enum<T>> ValueType<T> oneOf(Class<T> type, Function<T, String> word) {
        return oneOf(word, Arrays.asList(type.getEnumConstants()));
    }

    /** Texts as they are written. */
    public static ValueType<String> text(String allowed, String form) {
        return new ValueType<>(Optional::of, allowed, form);
    }

    private static Optional<Long> boxed(OptionalLong number) {
        return number.isPresent() ? Optional.of(number.getAsLong()) : Optional.empty();
    }
}
