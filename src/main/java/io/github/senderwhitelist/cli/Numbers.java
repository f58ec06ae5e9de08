package io.github.senderwhitelist.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;

/** Numbers as people write and read them. */
final class Numbers {
    private static final String UNITS = "kmgt";

    private Numbers() {}

    /** Sizes such as {@code 1g}, {@code 256m}, {@code 1048576}: powers of 1024. */
    static final class Size implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            String number = text.toLowerCase(Locale.ROOT);
            int unit = number.isEmpty() ? -1 : UNITS.indexOf(number.charAt(number.length() - 1));
            String digits = unit < 0 ? number : number.substring(0, number.length() - 1);
            try {
                return Math.multiplyExact(Long.parseLong(digits), 1L << (10 * (unit + 1)));
            } catch (ArithmeticException | NumberFormatException e) {
                throw new TypeConversionException(
                        "'" + text + "' is not a size; allowed: 256m, 1g, or bytes");
            }
        }
    }

    /** Counts such as {@code 1000000}, {@code 1_000_000}, {@code 10^9}, {@code 1e9}. */
    static final class Count implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            String number = text.replace("_", "").replace("10^", "1e");
            try {
                return new java.math.BigDecimal(number).longValueExact();
            } catch (ArithmeticException | NumberFormatException e) {
                throw new TypeConversionException(
                        "'" + text + "' is not a number; allowed: 1000000, 1_000_000, 10^6, 1e6");
            }
        }
    }

    /** Moments such as {@code 2027-01-31T18:30:00Z}; of a day alone, its noon in UTC. */
    static final class Moment implements ITypeConverter<Instant> {
        @Override
        public Instant convert(String text) {
            try {
                return Instant.parse(text.indexOf('T') < 0 ? text + "T12:00:00Z" : text);
            } catch (DateTimeParseException e) {
                throw new TypeConversionException(
                        "'" + text + "' is not a time; allowed: 2027-01-31, 2027-01-31T18:30:00Z");
            }
        }
    }

    /** Bytes for a person: {@code 1.00 GB}, in powers of 1000. */
    static String bytes(long bytes) {
        String[] units = {"B", "kB", "MB", "GB", "TB"};
        double value = (double) bytes;
        int unit = 0;
        while (value >= 999.5 && unit < units.length - 1) {
            value /= 1000;
            unit++;
        }
        return unit == 0
                ? String.format(Locale.ROOT, "%.0f B", value)
                : String.format(Locale.ROOT, "%.2f %s", value, units[unit]);
    }

    /** A rate as a percentage with four significant digits. */
    static String percent(double rate) {
        return String.format(Locale.ROOT, "%.4g %%", 100 * rate);
    }
}
