package io.github.senderwhitelist.usage;

import io.github.senderwhitelist.address.Entry;
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
     * Returns why it is not known which lines were not used for some days; null if it is.
     *
     * @param since since when usage is counted; null if it never was
     */
    public static @Nullable String unknown(@Nullable Instant since, int days, Instant now) {
        if (since == null) {
            return "not known yet: usage was never counted";
        }
        LocalDate known = day(since).plusDays(days + 1L);
        return since.isAfter(now.minus(Duration.ofDays(days)))
                ? "not known yet: usage is counted since %s, so ask for %sd on %s"
                        .formatted(since, days, known)
                : null;
    }

    private static LocalDate day(Instant moment) {
        return LocalDate.ofInstant(moment, ZoneOffset.UTC);
    }

    /**
     * Returns the administrator's lines of some entries, in the order of a list, that were not used
     * for some days.
     */
    public static List<Line> unused(UsageTable table, List<Entry> entries, int days, Instant now)
            throws IOException {
        List<Line> unused = new ArrayList<>();
        if (entries.isEmpty()) {
            return unused;
        }
        LocalDate since = day(now.minus(Duration.ofDays(days)));
        Map<Pair, LineUse> used = new HashMap<>();
        for (LineUse use : table.between(entries.getFirst().pair(), entries.getLast().pair())) {
            used.put(use.line().pair(), use);
        }
        for (Entry entry : entries) {
            LineUse use = used.get(entry.pair());
            if (!entry.rulesOf(Origin.ADMIN).isEmpty()
                    && (use == null || use.last().isBefore(since))) {
                unused.add(use == null ? Line.unused(entry) : Line.of(use));
            }
        }
        return unused;
    }
}
