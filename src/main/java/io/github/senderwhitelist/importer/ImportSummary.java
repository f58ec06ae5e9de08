package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.Text;

/**
 * What became of the lines of a foreign list; each line is counted once.
 *
 * @param name what messages call the list
 * @param taken lines all of which is in our list
 * @param reported lines of which something has no equivalent and is not in our list
 * @param bad lines that mean nothing in their own format either
 * @param other lines that list no sender: other settings, headings, what its conditions switch off
 * @param blank comments and blank lines
 */
public record ImportSummary(
        String name, long taken, long reported, long bad, long other, long blank) {

    /** All lines. */
    public long lines() {
        return taken + reported + bad + other + blank;
    }

    /** The counts for a person to read. */
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
