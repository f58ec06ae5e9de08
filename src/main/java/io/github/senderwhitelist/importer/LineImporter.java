package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** Reads formats in which an entry is a line, or several lines that continue one another. */
abstract class LineImporter implements Importer {
    static final String CUT = "a line of more than " + ForeignText.MAX_LINE + " characters";

    final Ledger ledger;
    private @Nullable String ahead;
    private long aheadNumber;

    LineImporter(Ledger ledger) {
        this.ledger = ledger;
    }

    /**
     * Takes a line.
     *
     * @param text the line without comment, joined with those that continue it; it is not blank
     */
    abstract void entry(String text) throws IOException;

    /** Returns a line without its comment, which {@code #} begins unless it is within a word. */
    String withoutComment(String line) {
        return line.replaceFirst("(?:^|\\s)#.*", "");
    }

    /** Returns the part of a line to add to the line before, or null if it stands for itself. */
    @Nullable String continuation(String line) {
        return null;
    }

    /** Returns whether a line counts for nothing, even before a line that continues another. */
    boolean isNothing(String line) {
        return false;
    }

    @Override
    public final boolean next(ForeignText list) throws IOException {
        String first = ahead == null ? list.line() : ahead;
        if (first == null) {
            return false;
        }
        long number = ahead == null ? list.lines() : aheadNumber;
        StringBuilder joined = new StringBuilder(first);
        ahead = null;
        if (isNothing(first)) {
            return true;
        }
        for (String line = list.line(); line != null && ahead == null; ) {
            String more = isNothing(line) ? "" : continuation(line);
            if (more == null) {
                ahead = line;
                aheadNumber = list.lines();
            } else {
                joined.append(joined.length() > ForeignText.MAX_LINE ? "" : more);
                line = list.line();
            }
        }
        String text = withoutComment(joined.toString());
        if (HiddenCharacters.strip(text).isEmpty()) {
            return true;
        }
        ledger.open(number);
        if (joined.length() > ForeignText.MAX_LINE) {
            cut(text);
        } else {
            entry(text);
        }
        return true;
    }

    /** Takes the beginning of a line that is too long. */
    void cut(String text) {
        ledger.bad(text, CUT);
    }
}
