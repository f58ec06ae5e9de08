package io.github.senderwhitelist.database;

import java.util.UUID;

/**
 * The mark that an import leaves in the row of its list: {@code token:part}.
 *
 * @param token the random name of the import
 * @param part the number of parts that it has put
 */
record ImportMark(String token, long part) {
    /** Returns the mark of an import that has put its first part. */
    static ImportMark first() {
        return new ImportMark(UUID.randomUUID().toString(), 1);
    }

    /** Returns the mark after one more part. */
    ImportMark next() {
        return new ImportMark(token, part + 1);
    }

    /** Returns the text. */
    String text() {
        return token + ':' + part;
    }

    /**
     * Returns whether all entries that an import had put at the time of one mark are still there at
     * the time of another. If not, it has ended, or the database was put back.
     *
     * @param before the text of the first; empty if there was no import
     * @param now the text of the other
     */
    static boolean goesOn(String before, String now) {
        if (before.isEmpty() || before.equals(now)) {
            return true;
        }
        ImportMark first = parse(before);
        ImportMark last = parse(now);
        return first.token.equals(last.token) && first.part <= last.part;
    }

    private static ImportMark parse(String text) {
        int end = text.lastIndexOf(':');
        try {
            return new ImportMark(
                    text.substring(0, end), Long.parseLong(text, end + 1, text.length(), 10));
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            return new ImportMark(text, 0);
        }
    }
}
