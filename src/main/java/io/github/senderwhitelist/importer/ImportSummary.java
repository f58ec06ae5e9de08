package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.Text;

/**
 * Counts of the lines of a foreign list. Each line is counted once.
 *
 * @param name what messages call the list
 * @param taken lines that were converted completely
 * @param reported lines that have no equivalent, or only for a part
 * @param bad lines that are wrong in their own format
 * @param other lines that list no sender, such as other settings, headings, and lines that a
 *     condition switches off
 * @param blank comments and blank lines
 */
public record ImportSummary(
        String name, long taken, long reported, long bad, long other, long blank) {

    /** Returns the number of all lines. */
    long lines() {
        return taken + reported + bad + other + blank;
    }

    /** Returns the counts as one line for people. */
    @Override
    public String toString() {
        return Text.escaped(name)
                + ": "
                + lines()
                + " lines: "
                + taken
                + " taken, "
                + reported
                + " without equivalent, "
                + bad
                + " bad, "
                + other
                + " that list no sender, "
                + blank
                + " comments or blank";
    }
}
