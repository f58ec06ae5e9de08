package io.github.senderwhitelist.address;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parser of numbers as people write them in options and parameters: {@code 1000000}, {@code
 * 1_000_000}, {@code 10^6}, {@code 1e6}, {@code 0.001}, {@code .001}, {@code 1e-3}, each with an
 * optional {@code -} before it.
 *
 * <p>Everything else is refused, so that no text is read as a number its writer did not mean. This
 * includes spellings that only Java knows ({@code 8d}, {@code 0x1p3}, {@code NaN}) and digits of
 * other scripts.
 */
public final class NumberText {
    /** The longest text that is read, in characters. No sensible value of an option is longer. */
    private static final int MAX_LENGTH = 64;

    private static final Pattern NUMBER =
            Pattern.compile(
                    "-?(?:10\\^(?<power>-?[0-9]{1,3})"
                            + "|(?<digits>[0-9]+(?:_[0-9]+)*(?:\\.[0-9]+)?|\\.[0-9]+)"
                            + "(?<exponent>[eE][-+]?[0-9]{1,3})?)");

    private static final String UNITS = "kmgt";
    private static final Pattern SIZE = Pattern.compile("([0-9]+)([kKmMgGtT]?)");

    private NumberText() {}

    /**
     * Returns the whole number that {@code text} stands for. It is empty when the text is no
     * number, when the number has a fraction, or when it does not fit into 64 bits.
     */
    public static OptionalLong whole(String text) {
        try {
            return number(text).stream().mapToLong(BigDecimal::longValueExact).findFirst();
        } catch (ArithmeticException e) {
            return OptionalLong.empty();
        }
    }

    /**
     * Returns the bytes of a size in powers of 1024: {@code 512}, {@code 64k}, {@code 256m}, {@code
     * 1g}, {@code 1t}. It is empty when the text is no size, or more than fits into 64 bits.
     */
    static OptionalLong bytes(String text) {
        Matcher size = SIZE.matcher(text);
        if (!size.matches() || text.length() > MAX_LENGTH) {
            return OptionalLong.empty();
        }
        String unit = size.group(2);
        int shift = unit.isEmpty() ? 0 : 10 * (1 + UNITS.indexOf(unit.charAt(0) | ' '));
        BigInteger bytes = new BigInteger(size.group(1)).shiftLeft(shift);
        return bytes.bitLength() < Long.SIZE
                ? OptionalLong.of(bytes.longValue())
                : OptionalLong.empty();
    }

    /** Returns the number that {@code text} stands for, or empty when it is no number. */
    static OptionalDouble decimal(String text) {
        return number(text).stream().mapToDouble(BigDecimal::doubleValue).findFirst();
    }

    private static Optional<BigDecimal> number(String text) {
        Matcher number = NUMBER.matcher(text);
        if (text.length() > MAX_LENGTH || !number.matches()) {
            return Optional.empty();
        }
        String power = number.group("power");
        String exponent = number.group("exponent");
        BigDecimal value =
                power != null
                        ? BigDecimal.ONE.scaleByPowerOfTen(Integer.parseInt(power))
                        : new BigDecimal(
                                number.group("digits").replace("_", "")
                                        + (exponent == null ? "" : exponent));
        return Optional.of(text.startsWith("-") ? value.negate() : value);
    }
}
