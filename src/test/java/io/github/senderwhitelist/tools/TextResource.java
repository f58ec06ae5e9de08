package io.github.senderwhitelist.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.params.provider.Arguments;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A text beside a class. */
public final class TextResource {
    private static final Pattern NUMBERED = Pattern.compile("\\{U\\+([0-9A-F]{4,6})}");

    private TextResource() {}

    /** Returns the text of this name in the package of a class. */
    public static String text(Class<?> beside, String name) {
        try (InputStream in = beside.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the scenarios of a text, for a test that runs each: its name, which stands behind two
     * equals signs, and the list of its lines, without those that are empty or begin with {@code
     * ##}.
     */
    public static Stream<Arguments> scenarios(Class<?> beside, String name) {
        return Stream.of(text(beside, name).split("(?m)^== ", -1))
                .skip(1)
                .map(section -> section.lines().filter(l -> !l.isBlank() && !l.startsWith("##")))
                .map(Stream::toList)
                .map(lines -> Arguments.of(lines.getFirst(), lines.subList(1, lines.size())));
    }

    /** Returns the lines below a line that has two equals signs and this name. */
    static List<String> section(Class<?> beside, String file, String name) {
        return text(beside, file)
                .lines()
                .dropWhile(line -> !line.equals("== " + name))
                .skip(1)
                .takeWhile(line -> !line.startsWith("== "))
                .toList();
    }

    /** Returns what the lines of a section say, without those that begin with {@code ##}. */
    public static List<String> cells(Class<?> beside, String file, String name) {
        return section(beside, file, name).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("##"))
                .map(TextResource::decoded)
                .toList();
    }

    /**
     * Returns a text for what a file has for it: escapes are those of Java, <code>{U+200B}</code>
     * is a character by its number, and two single quotes no text.
     */
    static String decoded(String written) {
        return NUMBERED.matcher(written.equals("''") ? "" : written.translateEscapes())
                .replaceAll(
                        each ->
                                Matcher.quoteReplacement(
                                        Character.toString(Integer.parseInt(each.group(1), 16))));
    }
}
