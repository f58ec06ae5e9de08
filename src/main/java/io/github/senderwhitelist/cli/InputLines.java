package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.HiddenCharacters;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.Flushable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * The lines of a text in UTF-8, such as standard input. Before waiting for more input, it flushes
 * the answers that have been printed so far. So a program that asks line by line gets each answer
 * at once.
 *
 * <p>Of a line that is longer than any address or entry, only the beginning is kept, so that it
 * takes little memory. A control character stands for the rest: no address or entry has one, so the
 * beginning alone is not taken for the line.
 */
final class InputLines {
    private static final int LONGEST = 1 << 20;
    private static final char CUT = '\0';

    private final InputStream in;
    private final Flushable answers;
    private final byte[] buffer = new byte[1 << 16];
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private int length;
    private int at;

    InputLines(InputStream in, Flushable answers) {
        this.in = in;
        this.answers = answers;
    }

    /** Returns arguments, or the lines of standard input if {@code -} is the only one. */
    static List<String> ofArguments(List<String> arguments) throws IOException {
        if (!arguments.equals(List.of(ListFiles.STANDARD_INPUT))) {
            return arguments;
        }
        List<String> all = new ArrayList<>();
        InputLines input = new InputLines(new StandardInput(), () -> {});
        for (String line = input.next(); line != null; line = input.next()) {
            all.add(line);
        }
        return all;
    }

    /** Returns the next line without white space around it, or null after the last. */
    @Nullable String next() throws IOException {
        String text = nextText();
        return text == null ? null : HiddenCharacters.strip(text);
    }

    /** Returns the text of the next line, or null after the last. */
    private @Nullable String nextText() throws IOException {
        line.reset();
        boolean any = false;
        while (at < length || fill()) {
            any = true;
            int start = at;
            while (at < length && buffer[at] != '\n') {
                at++;
            }
            if (at < length && line.size() == 0) {
                return new String(buffer, start, at++ - start, UTF_8);
            }
            keep(start);
            if (at < length) {
                at++;
                break;
            }
        }
        return any ? line.toString(UTF_8) : null;
    }

    /** Adds what the buffer has of the line from {@code start} on, unless it is too long. */
    private void keep(int start) {
        int room = LONGEST - line.size();
        if (at - start <= room) {
            line.write(buffer, start, at - start);
        } else if (room >= 0) {
            line.write(buffer, start, room);
            line.write(CUT);
        }
    }

    private boolean fill() throws IOException {
        if (in.available() == 0) {
            answers.flush();
        }
        at = 0;
        length = Math.max(0, in.read(buffer, 0, buffer.length));
        return length > 0;
    }
}
