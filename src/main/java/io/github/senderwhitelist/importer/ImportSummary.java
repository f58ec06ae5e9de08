package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.Text;

/**
 * Counts of the lines of a foreign list. Lines that are none of these list no sender, such as
 * comments, headings, other settings, and lines that a condition switches off.
 *
 * @param name what messages call the list
 * @param lines all lines
 * @param taken lines that were converted completely
 * @param reported lines that have no equivalent, or only for a part
 * @param bad lines that are wrong in their own format
 */
public record ImportSummary(String name, long lines, long taken, long reported, long bad) {

    /** Returns the number of lines that say something about senders. */
    long aboutSenders() {
        return taken + reported + bad;
    }

    /** Returns the counts as one line for people. */
    @Override
    public String toString() {
        return Text.escaped(name)
                + (": " + lines + " lines: " + taken + " taken, ")
                + (reported + " without equivalent, " + bad + " bad, ")
                + (lines - aboutSenders() + " others");
    }
}
