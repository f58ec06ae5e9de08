package io.github.senderwhitelist.database;

import io.github.senderwhitelist.living.FeedPosition;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * A {@link FeedPosition} as a database understands it: a place in the feed, and the witnesses,
 * which are the changes that were seen last. If one of them is missing, the database was put back
 * to an older state.
 *
 * <p>As text: the place, a semicolon, {@code group.number.token} of each witness, with commas
 * between them, a semicolon, and the import.
 *
 * @param place a text for the {@link FeedReader}
 * @param witnesses the changes, at most {@link #MOST}
 * @param importing the {@link ImportMark}, since entries of an import have no changes; empty if
 *     none was under way
 */
record FeedPlace(String place, List<Witness> witnesses, String importing) {
    /** The most changes that are remembered. */
    static final int MOST = 1_000;

    /**
     * A change that was seen.
     *
     * @param group its group; of each, only the last change is remembered
     * @param number its number
     * @param token its random token
     */
    record Witness(long group, long number, long token) {}

    /** Returns the text. */
    String text() {
        StringBuilder text = new StringBuilder(place).append(';');
        for (Witness witness : witnesses) {
            if (text.charAt(text.length() - 1) != ';') {
                text.append(',');
            }
            text.append(witness.group)
                    .append('.')
                    .append(witness.number)
                    .append('.')
                    .append(witness.token);
        }
        return text.append(';').append(importing).toString();
    }

    /** Returns the place of a text without reading the witnesses, or null if there is none. */
    static @Nullable String placeOf(String text) {
        int end = text.indexOf(';');
        return end < 0 ? null : text.substring(0, end);
    }

    /** Parses a text, or returns null if it is no such text. */
    static @Nullable FeedPlace parse(String text) {
        String[] parts = text.split(";", -1);
        if (parts.length != 3) {
            return null;
        }
        List<Witness> witnesses = new ArrayList<>();
        try {
            for (String each : parts[1].split(",", -1)) {
                if (!each.isEmpty()) {
                    String[] numbers = each.split("\\.", -1);
                    witnesses.add(
                            new Witness(
                                    Long.parseLong(numbers[0]),
                                    Long.parseLong(numbers[1]),
                                    Long.parseLong(numbers[2])));
                }
            }
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return null;
        }
        return new FeedPlace(parts[0], witnesses, parts[2]);
    }
}
