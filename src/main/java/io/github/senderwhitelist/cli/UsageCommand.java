package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.EntryWalk;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.database.LineUse;
import io.github.senderwhitelist.usage.UsageReport;
import io.github.senderwhitelist.usage.UsageReport.Line;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * {@code usage LIST}: prints how often the lines of a list decided on mails, and for how many
 * recipients they kept one out of the spam folder; or which were not used. What servers have not
 * written yet, the last minute, is not in it.
 */
@Command(
        description =
                "Prints which lines of a list are used, the last used first, or which are not.",
        exitCodeList = {"0:done", "1:there are none", "2:failure, or not known yet"},
        footer = {
            "  whitelist usage own",
            "  whitelist usage conf/whitelist.txt --rescued",
            "  whitelist usage own --unused-for 180d"
        })
final class UsageCommand extends ListCommand {
    private static final int PAGE = 1_000;

    private static final String[] COLUMNS = {"entry", "origin", "used", "rescued", "first", "last"};

    @Parameters(paramLabel = "LIST", description = "A file, or the name of a list.")
    private String list = "";

    @Option(
            names = "--unused-for",
            description = "The administrator's entries not used for so long, such as 180d.")
    private @Nullable String unusedFor;

    @Option(names = "--rescued", description = "Only lines that kept a mail out of spam.")
    private boolean rescued;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    private String separator = "\n";
    private boolean isEmpty = true;

    @Override
    int call() throws IOException {
        if (rescued && unusedFor != null) {
            throw wrong("--rescued and --unused-for; allowed: one of the two");
        }
        int days = unusedFor == null ? 0 : value("--unused-for", unusedFor, ValueType.days(1));
        Usage usage = usage(list);
        Instant since = usage.table().since();
        Instant now = Instant.now();
        String unknown = days == 0 ? null : UsageReport.unknown(since, days, now);
        if (unknown != null) {
            throw new IOException(list + ": " + unknown);
        }
        begin(since, usage.ofThisServerOnly());
        if (days == 0) {
            printUsed(usage);
        } else {
            printUnused(usage, days, now);
        }
        if (json) {
            out.println("\n]}");
        }
        return isEmpty ? Main.NEGATIVE : Main.DONE;
    }

    private void begin(@Nullable Instant since, boolean ofThisServerOnly) {
        String server = ofThisServerOnly ? UsageReport.THIS_SERVER : null;
        if (json) {
            Map<String, @Nullable String> about = new LinkedHashMap<>();
            about.put("countingSince", Objects.toString(since, null));
            about.put("server", server);
            out.print("{" + Output.json(about, ", ") + ", \"lines\": [");
        } else {
            String where = server == null ? "" : ", " + server;
            err.println(since == null ? "never counted" : "counted since " + since + where);
            out.table("%-50s %-8s %10s %10s %-10s %s", COLUMNS);
        }
    }

    private void printUsed(Usage usage) throws IOException {
        long printed = 0;
        List<LineUse> page;
        do {
            page = usage.table().newest(printed, rescued, PAGE);
            page.forEach(use -> print(Line.of(use)));
            printed += page.size();
        } while (page.size() == PAGE);
    }

    private void printUnused(Usage usage, int days, Instant now) throws IOException {
        EntryWalk walk = open(list, false).walk(null);
        List<Entry> page;
        do {
            page = walk.next(PAGE);
            UsageReport.unused(usage.table(), page, days, now).forEach(this::print);
        } while (page.size() == PAGE);
    }

    private void print(Line line) {
        isEmpty = false;
        @Nullable Object[] values = {
            line.entry(), line.origin(), line.used(), line.rescued(), line.first(), line.last()
        };
        if (json) {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            for (int i = 0; i < values.length; i++) {
                fields.put(COLUMNS[i], values[i]);
            }
            out.print(separator + "  {" + Output.json(fields, ", ") + "}");
            separator = ",\n";
        } else {
            out.row(values);
        }
    }
}
