package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;

import org.jspecify.annotations.Nullable;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.Flushable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * The lines of a text in UTF-8, such as standard input. Of a line that is longer than any entry,
 * the beginning is kept, with a control character for the rest, which no address or entry has.
 */
final class InputLines {
    private final InputStream in;
    private final byte[] line = new byte[ListLine.MAX_BYTES + 1];

    InputLines(InputStream in) {
        this.in = new BufferedInputStream(in, 1 << 16);
    }

    /**
     * Returns standard input, whose failures say so. It stays open: where the program was started
     * without one, the descriptor may be that of a file of Java's own, which crashes without it.
     *
     * @param answers what is flushed before each read, since whoever asks may wait for it
     */
    static InputStream standardInput(Flushable answers) {
        return new FilterInputStream(System.in) {
            @Override
            public int read(byte[] target, int from, int length) throws IOException {
                answers.flush();
                try {
                    return super.read(target, from, length);
                } catch (IOException e) {
                    throw new IOException("standard input: " + e.getMessage(), e);
                }
            }

            @Override
            public void close() {}
        };
    }

    /**
     * Returns the entries that arguments are, or the lines of standard input if {@code -} is the
     * only argument. All are understood before any is used.
     */
    static List<Entry> entries(List<String> arguments) throws IOException {
        List<String> lines = arguments;
        if (arguments.equals(List.of(FileList.STANDARD_INPUT))) {
            lines = new ArrayList<>();
            InputLines input = new InputLines(standardInput(() -> {}));
            for (String line = input.next(); line != null; line = input.next()) {
                lines.add(line);
            }
        }
        List<Entry> entries = new ArrayList<>();
        for (String line : lines) {
            if (ListLine.beginsWithCondition(line)) {
                throw refused(line, "a condition; put it into quotes with its entry");
            }
            switch (parsed(line)) {
                case ListLine.Good(Entry entry) -> entries.add(entry);
                case ListLine.Bad(String reason) -> throw refused(line, reason);
                case ListLine.Blank() -> {}
            }
        }
        return entries;
    }

    /** Returns the exception that refuses a line. */
    static IOException refused(String line, String why) {
        return new IOException("'%s': %s; nothing was changed".formatted(Text.shown(line), why));
    }

    /** Parses a line of a list that was read as UTF-8, whether it is that or not. */
    static ListLine parsed(String line) {
        return line.indexOf('\ufffd') < 0
                ? ListLine.parse(line)
                : new ListLine.Bad(ListLine.NOT_UTF_8);
    }

    /** Returns the next line without white space around it, or null after the last. */
    @Nullable String next() throws IOException {
        int length = 0;
        int c = in.read();
        if (c < 0) {
            return null;
        }
        for (; c >= 0 && c != '\n'; c = in.read()) {
            if (length < line.length) {
                line[length] = length < ListLine.MAX_BYTES ? (byte) c : 0;
                length++;
            }
        }
        return HiddenCharacters.strip(new String(line, 0, length, UTF_8));
    }
}
