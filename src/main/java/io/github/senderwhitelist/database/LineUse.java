package io.github.senderwhitelist.database;

import java.time.LocalDate;

/**
 * How often a line was used, and when.
 *
 * @param used the mails on which it decided
 * @param rescued the recipients who have got a mail because of it
 * @param first the first day of these, in UTC
 * @param last the last one
 */
public record LineUse(UsedLine line, long used, long rescued, LocalDate first, LocalDate last) {
    /** Returns both uses of the line together; clocks may have been set back in between. */
    public LineUse plus(LineUse more) {
        return new LineUse(
                line,
                used + more.used,
                rescued + more.rescued,
                first.isBefore(more.first) ? first : more.first,
                last.isAfter(more.last) ? last : more.last);
    }
}
