package io.github.senderwhitelist.living;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.living.Follower.Owing;
import io.github.senderwhitelist.living.ListRecord.Position;

import java.io.IOException;

/**
 * What a base says of itself, as lines of UTF-8 within its snapshot: the name of the list; the
 * epoch, number and token of its position, up to which it has all changes, and none after; what it
 * owes; when its table was read last; and a random number by which a server knows its own base.
 *
 * @param readAt in milliseconds since 1970
 */
record BasePosition(String list, Position position, Owing owing, long readAt, long mark) {
    private static final int LINES = 7;

    /** Returns the text as bytes. */
    byte[] bytes() {
        return String.join(
                        "\n",
                        list,
                        position.epoch(),
                        Long.toString(position.seq()),
                        Long.toString(position.token()),
                        owing.name(),
                        Long.toString(readAt),
                        Long.toString(mark))
                .getBytes(UTF_8);
    }

    /**
     * Parses a text.
     *
     * @throws IOException if it is no such text, as that of a snapshot of a list in a file
     */
    static BasePosition parse(byte[] bytes) throws IOException {
        String[] lines = new String(bytes, UTF_8).split("\n", -1);
        try {
            if (lines.length == LINES) {
                return new BasePosition(
                        lines[0],
                        new Position(lines[1], Long.parseLong(lines[2]), Long.parseLong(lines[3])),
                        Owing.valueOf(lines[4]),
                        Long.parseLong(lines[5]),
                        Long.parseLong(lines[6]));
            }
        } catch (IllegalArgumentException e) {
            throw new IOException("no base of a living list: " + e.getMessage(), e);
        }
        throw new IOException("no base of a living list");
    }
}
