package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.EntryWalk;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.database.LineUse;
import io.github.senderwhitelist.database.UsageTable;
import io.github.senderwhitelist.database.UsedLine;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.usage.UsageCounter;
import io.github.senderwhitelist.usage.UsageReport;
import io.github.senderwhitelist.usage.UsageReport.Line;
import io.github.senderwhitelist.usage.UsageReport.NotKnownException;
import io.github.senderwhitelist.usage.UsageReport.Unused;

import org.jspecify.annotations.Nullable;

import spark.Response;

import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.List;

/** The route of the use of a list's lines. */
public final class UsageRoutes {
    private static final ValueType<Long> LIMITS = ValueType.whole(1, 10_000);
    private static final ValueType<Integer> DAYS = ValueType.days(1);

    /** How many entries are read for one answer at most, so that it comes within some seconds. */
    private static final int MAX_READ = 200_000;

    private static final int PAGE = 1_000;

    private final SharedLists lists;

    public UsageRoutes(SharedLists lists) {
        this.lists = lists;
    }

    /**
     * The use of lines.
     *
     * @param countingSince since when it is counted
     * @param server whose mails are counted if they are not those of all servers; else null
     * @param next what {@code after} is for the next page; null at the end
     */
    private record Usage(
            @Nullable Instant countingSince,
            @Nullable String server,
            List<Line> lines,
            @Nullable String next) {}

    /** Returns the lines that were used, the newest first, or those that were not. */
    public Object usage(WebRequest request, Response response) throws IOException {
        String name = request.path("list");
        UsageCounter counter = lists.usage(name);
        if (counter == null) {
            throw WebRequest.unknown(name, lists);
        }
        int limit = request.query("limit", LIMITS, "1000").intValue();
        boolean rescued = request.query("rescued", ValueType.either("true", "false"), "false");
        boolean unused = request.query("unusedFor") != null;
        if (rescued && unused) {
            throw WebRequest.refused("rescued and unusedFor; allowed: one of the two");
        }
        UsageTable table = counter.flushed();
        Instant since = table.since();
        String server = counter.isOfThisServerOnly() ? UsageReport.THIS_SERVER : null;
        String after = request.query("after");
        if (unused) {
            Unused page = unused(request, table, since, after, limit);
            Entry next = page.next();
            String place = next == null ? null : Rule.LISTS.line(next.key(), next.to());
            return new Usage(since, server, page.lines(), place);
        }
        List<LineUse> found = table.newest(after == null ? null : place(after), rescued, limit + 1);
        boolean more = found.size() > limit;
        List<LineUse> shown = more ? found.subList(0, limit) : found;
        return new Usage(
                since,
                server,
                shown.stream().map(Line::of).toList(),
                more ? place(shown.getLast()) : null);
    }

    /** Returns the place of a line among those that were used: its day, and the line. */
    private static String place(LineUse use) {
        return "%s %s origin=%s".formatted(use.last(), use.line(), use.line().origin().label());
    }

    private static LineUse place(String after) {
        String[] words = after.split(" ", 2);
        try {
            LocalDate day = LocalDate.parse(words[0]);
            if (words.length == 2
                    && day.getYear() < 10_000
                    && ListLine.parse(words[1]) instanceof ListLine.Good(Entry entry)) {
                return new LineUse(UsedLine.of(entry), 0, 0, day, day);
            }
        } catch (DateTimeParseException e) {
            // As below.
        }
        throw refused(after);
    }

    private static RuntimeException refused(String after) {
        return WebRequest.refused(
                "after='%s'; allowed: what 'next' of the page before says", after);
    }

    private Unused unused(
            WebRequest request,
            UsageTable table,
            @Nullable Instant since,
            @Nullable String after,
            int limit)
            throws IOException {
        int days = request.query("unusedFor", DAYS, "");
        LocalDate day;
        try {
            day = UsageReport.day(since, days, lists.clock().instant());
        } catch (NotKnownException e) {
            throw WebRequest.error(409, "Not known yet", String.valueOf(e.getMessage()));
        }
        Entry from = null;
        if (after != null) {
            if (!(ListLine.parse(after) instanceof ListLine.Good(Entry entry))) {
                throw refused(after);
            }
            from = entry;
        }
        EntryWalk walk = EntryWalk.of(EntryPages.source(lists, request), from, PAGE);
        return UsageReport.unused(table, walk, day, limit, MAX_READ);
    }
}
