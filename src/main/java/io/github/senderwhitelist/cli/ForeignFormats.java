package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.importer.ForeignFormat;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Foreign formats by their names on the command line. */
final class ForeignFormats implements ITypeConverter<ForeignFormat> {
    @Override
    public ForeignFormat convert(String text) {
        return Arrays.stream(ForeignFormat.values())
                .filter(format -> format.toString().equals(text))
                .findFirst()
                .orElseThrow(
                        () -> new TypeConversionException("'" + text + "'; allowed: " + all()));
    }

    private static String all() {
        return Arrays.stream(ForeignFormat.values())
                .map(ForeignFormat::toString)
                .collect(Collectors.joining(", "));
    }
}
