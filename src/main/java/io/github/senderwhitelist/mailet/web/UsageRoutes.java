package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.EntryWalk;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.database.LineUse;
import io.github.senderwhitelist.database.UsageTable;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.usage.UsageCounter;
import io.github.senderwhitelist.usage.UsageReport;
import io.github.senderwhitelist.usage.UsageReport.Line;

import org.jspecify.annotations.Nullable;

import spark.Response;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The route of the use of a list's lines. */
public final class UsageRoutes {
    private static final ValueType<Long> PLACES = ValueType.whole(0, Integer.MAX_VALUE);
    static final ValueType<Integer> DAYS = ValueType.days(1);

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
        int limit = request.query("limit", EntryPages.LIMITS, "1000").intValue();
        boolean rescued = request.query("rescued", ValueType.either("true", "false"), "false");
        boolean unused = request.query("unusedFor") != null;
        if (rescued && unused) {
            throw WebRequest.refused("rescued and unusedFor; allowed: one of the two");
        }
        UsageTable table = counter.flushed();
        String server = counter.isOfThisServerOnly() ? UsageReport.THIS_SERVER : null;
        if (unused) {
            return unused(request, table, server, limit);
        }
        long skipped = request.query("after", PLACES, "0");
        List<LineUse> found = table.newest(skipped, rescued, limit + 1);
        return new Usage(
                table.since(),
                server,
                found.stream().limit(limit).map(Line::of).toList(),
                found.size() > limit ? Long.toString(skipped + limit) : null);
    }

    private Usage unused(WebRequest request, UsageTable table, @Nullable String server, int limit)
            throws IOException {
        int days = request.query("unusedFor", DAYS, "");
        Instant since = table.since();
        Instant now = lists.clock().instant();
        String unknown = UsageReport.unknown(since, days, now);
        if (unknown != null) {
            throw WebRequest.error(409, "Not known yet", unknown);
        }
        EntryWalk.Pages source = EntryPages.source(lists, request);
        String after = request.query("after");
        Entry last = after == null ? null : EntryPages.place(after, "");
        List<Line> lines = new ArrayList<>();
        List<Entry> page;
        int read = 0;
        do {
            page = source.after(last, PAGE);
            lines.addAll(UsageReport.unused(table, page, days, now));
            last = page.isEmpty() ? last : page.getLast();
            read += PAGE;
        } while (page.size() == PAGE && lines.size() <= limit && read < MAX_READ);
        if (lines.size() > limit) {
            return new Usage(since, server, lines.subList(0, limit), lines.get(limit - 1).entry());
        }
        return new Usage(
                since, server, lines, page.size() < PAGE ? null : EntryPages.place(page.getLast()));
    }
}
