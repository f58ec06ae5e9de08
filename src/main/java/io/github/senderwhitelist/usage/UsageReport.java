package io.github.senderwhitelist.usage;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.EntryWalk;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.database.LineUse;
import io.github.senderwhitelist.database.UsageTable;
import io.github.senderwhitelist.database.UsedLine;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What people are told of the use of a list, by WebAdmin and by the command alike. */
public final class UsageReport {
    /** What is said of lists in files, each of whose servers counts by itself. */
    public static final String THIS_SERVER = "this server only";

    /** How many entries are compared with what was used at once. */
    private static final int PAGE = 1_000;

    private UsageReport() {}

    /**
     * A line of a list.
     *
     * @param entry the sender, and the recipients after {@code " to="} if it is not for all
     * @param origin whose it is
     * @param used on how many mails it decided
     * @param rescued how many recipients have got a mail because of it
     * @param first the first day on which it was used, in UTC; null if it never was
     * @param last the last one
     */
    public record Line(
            String entry,
            String origin,
            long used,
            long rescued,
            @Nullable String first,
            @Nullable String last) {
        /** Returns what is told of a line that was used. */
        public static Line of(LineUse use) {
            return new Line(
                    use.line().toString(),
                    use.line().origin().label(),
                    use.used(),
                    use.rescued(),
                    use.first().toString(),
                    use.last().toString());
        }

        private static Line unused(Entry entry) {
            UsedLine line = new UsedLine(entry.pair(), Origin.ADMIN);
            return new Line(line.toString(), Origin.ADMIN.label(), 0, 0, null, null);
        }
    }

    /**
     * Administrator's entries that were not used for some time.
     *
     * @param next the entry after which others may follow; null at the end of the list
     */
    public record Unused(List<Line> lines, @Nullable Entry next) {}

    /**
     * Returns the first day of the time within which unused entries were not used.
     *
     * @param since since when usage is counted; null if it never was
     * @throws NotKnownException if it is not counted for so long
     */
    public static LocalDate day(@Nullable Instant since, int days, Instant now)
            throws NotKnownException {
        Instant from = now.minus(Duration.ofDays(days));
        if (since == null || since.isAfter(from)) {
            throw new NotKnownException(
                    since == null
                            ? "not known yet: usage was never counted"
                            : "not known yet: usage is counted since %s, so ask for %sd on %s"
                                    .formatted(
                                            since,
                                            days,
                                            LocalDate.ofInstant(since, ZoneOffset.UTC)
                                                    .plusDays(days + 1L)));
        }
        return LocalDate.ofInstant(from, ZoneOffset.UTC);
    }

    /** Signals that usage has not been counted for as long as is asked for. */
    public static final class NotKnownException extends Exception {
        private static final long serialVersionUID = 1L;

        NotKnownException(String message) {
            super(message);
        }
    }

    /**
     * Returns the next entries of a list that have lines of the administrator's which were not used
     * since a day.
     *
     * @param max how many are wanted at most
     * @param maxRead how many entries are read at most, but for a part of a page
     */
    public static Unused unused(
            UsageTable table, EntryWalk walk, LocalDate since, int max, int maxRead)
            throws IOException {
        List<Line> lines = new ArrayList<>();
        List<Entry> entries = new ArrayList<>();
        Entry last = null;
        boolean more = true;
        for (int read = 0; more && read < maxRead && lines.size() < max; read += PAGE) {
            List<Entry> page = new ArrayList<>();
            while (more && page.size() < PAGE) {
                Entry next = walk.next();
                more = next != null;
                if (next != null) {
                    page.add(next);
                    last = next;
                }
            }
            addUnused(table, page, since, lines, entries);
        }
        return lines.size() > max
                ? new Unused(lines.subList(0, max), entries.get(max - 1))
                : new Unused(lines, more ? last : null);
    }

    private static void addUnused(
            UsageTable table,
            List<Entry> page,
            LocalDate since,
            List<Line> unused,
            List<Entry> entries)
            throws IOException {
        page.removeIf(entry -> entry.rulesOf(Origin.ADMIN).isEmpty());
        if (page.isEmpty()) {
            return;
        }
        Map<Pair, LineUse> used = new HashMap<>();
        for (LineUse use : table.between(page.getFirst().pair(), page.getLast().pair())) {
            used.put(use.line().pair(), use);
        }
        for (Entry entry : page) {
            LineUse use = used.get(entry.pair());
            if (use == null || use.last().isBefore(since)) {
                unused.add(use == null ? Line.unused(entry) : Line.of(use));
                entries.add(entry);
            }
        }
    }
}
