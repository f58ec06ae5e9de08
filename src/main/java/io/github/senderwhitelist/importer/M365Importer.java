package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.importer.SenderPattern.Domain;
import io.github.senderwhitelist.importer.SenderPattern.Exact;
import io.github.senderwhitelist.importer.SenderPattern.Subdomains;
import io.github.senderwhitelist.list.ListRefusedException;

import org.jspecify.annotations.Nullable;

import java.text.ParsePosition;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Imports lists of Microsoft 365 as CSV: the Tenant Allow/Block List (a value and an action in each
 * row), or the lists of an anti-spam policy (columns AllowedSenders, AllowedSenderDomains,
 * BlockedSenders and BlockedSenderDomains, each with any number of values).
 */
final class M365Importer extends CsvImporter {
    private static final List<String> LISTS =
            List.of(
                    "allowedsenders",
                    "allowedsenderdomains",
                    "blockedsenders",
                    "blockedsenderdomains");

    private static final Pattern TIME =
            Pattern.compile(
                    "\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?"
                            + "(?:Z|[+-]\\d\\d:\\d\\d)");

    /** The days that are understood, with anything behind them. A weekday is passed over. */
    private static final List<DateTimeFormatter> DAYS =
            Stream.of(
                            "uuuu-M-d",
                            "uuuu/M/d",
                            "d.M.uuuu",
                            "d-M-uuuu",
                            "d/M/uuuu",
                            "M/d/uuuu",
                            "MMMM d[,] uuuu",
                            "MMM d[,] uuuu",
                            "d MMMM uuuu",
                            "d MMM uuuu",
                            "d-MMM-uuuu")
                    .map(M365Importer::day)
                    .toList();

    /** What Export-Csv writes of a list in place of its values. */
    private static final Pattern TYPE_OF_LIST =
            Pattern.compile(
                    "(?:System|Microsoft\\.Exchange)\\.[^\\s@]*"
                            + "(?:List|Collection|Property|\\[\\])[^\\s@]*");

    private boolean policy;

    M365Importer(Ledger ledger) {
        super(ledger);
    }

    @Override
    boolean heading(List<String> fields) throws ListRefusedException {
        policy = LISTS.stream().anyMatch(this::has);
        if (!policy && !has("value", "action") && !has("entry", "action")) {
            throw unknown(
                    fields,
                    "Value and Action (Tenant Allow/Block List), or AllowedSenders,"
                            + " AllowedSenderDomains, BlockedSenders or BlockedSenderDomains"
                            + " (anti-spam policy)");
        }
        return true;
    }

    @Override
    void row(List<String> fields) throws ListRefusedException {
        if (!policy) {
            tenantRow(fields);
            return;
        }
        for (String list : LISTS) {
            String field = field(fields, list);
            if (TYPE_OF_LIST.matcher(field).matches()) {
                throw ledger.refused(
                        "'"
                                + Text.shown(field)
                                + "' is the type of a list, which Export-Csv writes in place of its"
                                + " values; export them as text: Select-Object Name,"
                                + " @{n='AllowedSenders';e={$_.AllowedSenders -join ';'}} and so on"
                                + " for each list, then Export-Csv");
            }
            for (String value : field.split("[\\s,;{}]+", -1)) {
                if (!value.isEmpty()) {
                    sender(value, list.startsWith("blocked"), "");
                }
            }
        }
    }

    private void tenantRow(List<String> fields) {
        String value = field(fields, "value", "entry");
        String type = field(fields, "entrytype", "listtype", "type").toLowerCase(Locale.ROOT);
        String action = field(fields, "action").toLowerCase(Locale.ROOT);
        if (!type.isEmpty() && !type.equals("sender") && !type.equals("domain")) {
            ledger.report(value, "an entry for " + Text.shown(type) + ", not for senders");
            return;
        }
        if (!action.equals("allow") && !action.equals("block")) {
            ledger.bad(action, "is no action; expected: Allow, Block");
            return;
        }
        String expiry =
                field(fields, "expirationdate", "expirationdatetime", "removeon", "expires");
        String until = until(expiry);
        if (until == null) {
            ledger.report(
                    expiry,
                    "of '"
                            + Text.shown(value)
                            + "': a date that can be read in two ways or none; expected:"
                            + " 2027-01-31 or 2027-01-31T00:00:00Z");
            return;
        }
        sender(value, action.equals("block"), until);
    }

    private void sender(String written, boolean denied, String conditions) {
        String value = HiddenCharacters.strip(written);
        if (value.indexOf('/') >= 0 && !SenderPattern.isNetwork(value)) {
            ledger.report(value, "not a sender, but a web address");
        } else if (value.startsWith("*.") && value.indexOf('*', 1) < 0 && value.indexOf('@') < 0) {
            ledger.take(new Subdomains(value.substring(2)), denied, conditions);
        } else if (value.indexOf('*') >= 0) {
            ledger.report(value, "an entry can have '*.' before a domain, no other patterns");
        } else if (value.indexOf('@') > 0) {
            ledger.take(new Exact(value), denied, conditions);
        } else {
            String domain = value.startsWith("@") ? value.substring(1) : value;
            ledger.take(new Domain(domain), denied, conditions);
        }
    }

    /**
     * Returns the condition for an expiry date: the last day on which the entry holds, in UTC. For
     * an expiry at midnight, that is the day before. Returns an empty string for no date, or null
     * when the date is ambiguous or wrong.
     */
    private static @Nullable String until(String text) {
        if (text.isEmpty() || text.toLowerCase(Locale.ROOT).startsWith("never")) {
            return "";
        }
        if (TIME.matcher(text).matches()) {
            try {
                OffsetDateTime end = OffsetDateTime.parse(text.replace(' ', 'T'));
                return "until="
                        + end.withOffsetSameInstant(ZoneOffset.UTC).minusNanos(1).toLocalDate();
            } catch (DateTimeException e) {
                return null;
            }
        }
        Set<LocalDate> days = new HashSet<>();
        for (DateTimeFormatter format : DAYS) {
            ParsePosition end = new ParsePosition(0);
            String day = text.replaceFirst("^\\p{Alpha}+, ", "");
            try {
                LocalDate found = LocalDate.from(format.parse(day, end));
                if (day.substring(end.getIndex()).matches("(?:[T ,].*)?")) {
                    days.add(found);
                }
            } catch (DateTimeException e) {
                // It is of another form, or no day.
            }
        }
        return days.size() == 1 ? "until=" + days.iterator().next() : null;
    }

    private static DateTimeFormatter day(String pattern) {
        return new DateTimeFormatterBuilder()
                .parseCaseInsensitive()
                .appendPattern(pattern)
                .toFormatter(Locale.ENGLISH)
                .withResolverStyle(ResolverStyle.STRICT);
    }
}
