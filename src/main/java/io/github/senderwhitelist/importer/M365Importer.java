package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.importer.CsvListReader.FirstRecord;
import io.github.senderwhitelist.importer.SenderPattern.Domain;
import io.github.senderwhitelist.importer.SenderPattern.Exact;
import io.github.senderwhitelist.importer.SenderPattern.Subdomains;
import io.github.senderwhitelist.list.ListRefusedException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.Month;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Imports lists of Microsoft 365 as CSV: the Tenant Allow/Block List (a value and an action in each
 * row), or the lists of an anti-spam policy (columns AllowedSenders, AllowedSenderDomains,
 * BlockedSenders and BlockedSenderDomains, each with any number of values).
 */
final class M365Importer implements Importer {
    private static final String[] VALUE = {"value", "entry"};
    private static final String[] TYPE = {"entrytype", "listtype", "type"};
    private static final String[] EXPIRY = {
        "expirationdate", "expirationdatetime", "removeon", "expires"
    };
    private static final List<String> LISTS =
            List.of(
                    "allowedsenders",
                    "allowedsenderdomains",
                    "blockedsenders",
                    "blockedsenderdomains");

    private static final Pattern TIME =
            Pattern.compile(
                    "\\d{4}-\\d\\d-\\d\\d[T"
                            + " ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?:Z|[+-]\\d\\d:\\d\\d)");
    private static final Pattern YEAR_FIRST =
            Pattern.compile("(\\d{4})[-/](\\d\\d?)[-/](\\d\\d?)(?:[T ].*)?");
    private static final Pattern YEAR_LAST =
            Pattern.compile("(\\d\\d?)([./-])(\\d\\d?)[./-](\\d{4})(?:[ ,].*)?");

    /** A day with the English name of its month, before or after it. */
    private static final Pattern NAMED =
            Pattern.compile(
                    "(?:\\p{Alpha}+, )?(?:(?<month>\\p{Alpha}{3,})\\.?"
                        + " (?<day>\\d\\d?),?|(?<first>\\d\\d?)[ -](?<second>\\p{Alpha}{3,})\\.?)["
                        + " -](?<year>\\d{4})(?:[ ,].*)?");

    /** What Export-Csv writes of a list in place of its values. */
    private static final Pattern TYPE_OF_LIST =
            Pattern.compile(
                    "(?:System|Microsoft\\.Exchange)\\.[^\\s@]*(?:List|Collection|Property|\\[\\])[^\\s@]*");

    private final Ledger ledger;

    M365Importer(Ledger ledger) {
        this.ledger = ledger;
    }

    @Override
    public ListReader open(InputStream in, String name) throws IOException {
        return new CsvListReader(in, name, ledger, new Rows(name));
    }

    private final class Rows implements CsvListReader.Records {
        private final String name;
        private Columns columns = new Columns(List.of());
        private boolean policy;

        Rows(String name) {
            this.name = name;
        }

        @Override
        public FirstRecord first(List<String> fields) {
            columns = new Columns(fields);
            policy = LISTS.stream().anyMatch(columns::has);
            boolean tenant =
                    (columns.has("value") || columns.has("entry")) && columns.has("action");
            return policy || tenant ? FirstRecord.HEADING : FirstRecord.UNKNOWN;
        }

        @Override
        public String expectedColumns() {
            return "Value and Action (Tenant Allow/Block List), or AllowedSenders,"
                    + " AllowedSenderDomains, BlockedSenders or BlockedSenderDomains (anti-spam"
                    + " policy)";
        }

        @Override
        public void row(List<String> fields) throws ListRefusedException {
            if (policy) {
                for (String list : LISTS) {
                    String field = columns.field(fields, list);
                    if (TYPE_OF_LIST.matcher(field).matches()) {
                        throw new ListRefusedException(
                                name
                                        + ": '"
                                        + Text.shown(field)
                                        + "' is the type of a list, which Export-Csv writes in"
                                        + " place of its values; export them as text: Select-Object"
                                        + " Name, @{n='AllowedSenders';e={$_.AllowedSenders -join"
                                        + " ';'}} and so on for each list, then Export-Csv. Nothing"
                                        + " was imported");
                    }
                    for (String value : field.split("[\\s,;{}]+", -1)) {
                        if (!value.isEmpty()) {
                            sender(value, list.startsWith("blocked"), "");
                        }
                    }
                }
            } else {
                tenantRow(fields);
            }
        }

        private void tenantRow(List<String> fields) {
            String value = columns.field(fields, VALUE);
            String type = columns.field(fields, TYPE).toLowerCase(Locale.ROOT);
            String action = columns.field(fields, "action").toLowerCase(Locale.ROOT);
            if (!type.isEmpty() && !type.equals("sender") && !type.equals("domain")) {
                ledger.report(value, "an entry for " + Text.shown(type) + ", not for senders");
                return;
            }
            if (!action.equals("allow") && !action.equals("block")) {
                ledger.bad(action, "is no action; expected: Allow, Block");
                return;
            }
            String expiry = columns.field(fields, EXPIRY);
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
    }

    private void sender(String written, boolean denied, String conditions) {
        String value = HiddenCharacters.strip(written);
        if (Network.matches(value)) {
            ledger.network(value);
        } else if (value.indexOf('/') >= 0) {
            ledger.report(value, "not a sender, but a web address");
        } else if (value.startsWith("*.") && value.indexOf('*', 1) < 0 && value.indexOf('@') < 0) {
            ledger.take(new Subdomains(value.substring(2)), denied, conditions);
        } else if (value.indexOf('*') >= 0) {
            ledger.report(value, "an entry can have '*.' before a domain, no other patterns");
        } else if (value.startsWith("@")) {
            ledger.take(new Domain(value.substring(1)), denied, conditions);
        } else if (value.indexOf('@') > 0) {
            ledger.take(new Exact(value), denied, conditions);
        } else {
            ledger.take(new Domain(value), denied, conditions);
        }
    }

    /**
     * Returns the condition for an expiry date, an empty string for no date, or null when the date
     * is ambiguous or wrong.
     */
    private static @Nullable String until(String text) {
        if (text.isEmpty() || text.toLowerCase(Locale.ROOT).startsWith("never")) {
            return "";
        }
        try {
            LocalDate date = date(text);
            return date == null ? null : "until=" + date;
        } catch (DateTimeException e) {
            return null;
        }
    }

    /**
     * Returns the last day on which the entry holds, in UTC. For an expiry at midnight, that is the
     * day before.
     */
    private static @Nullable LocalDate date(String text) {
        if (TIME.matcher(text).matches()) {
            return OffsetDateTime.parse(text.replace(' ', 'T'))
                    .withOffsetSameInstant(ZoneOffset.UTC)
                    .minusNanos(1)
                    .toLocalDate();
        }
        Matcher yearFirst = YEAR_FIRST.matcher(text);
        if (yearFirst.matches()) {
            return LocalDate.of(number(yearFirst, 1), number(yearFirst, 2), number(yearFirst, 3));
        }
        Matcher named = NAMED.matcher(text);
        if (named.matches()) {
            boolean monthFirst = named.group("month") != null;
            String name = named.group(monthFirst ? "month" : "second").toUpperCase(Locale.ROOT);
            int day = Integer.parseInt(named.group(monthFirst ? "day" : "first"));
            int year = Integer.parseInt(named.group("year"));
            return Stream.of(Month.values())
                    .filter(month -> month.name().startsWith(name))
                    .findFirst()
                    .map(month -> LocalDate.of(year, month, day))
                    .orElse(null);
        }
        Matcher other = YEAR_LAST.matcher(text);
        if (!other.matches()) {
            return null;
        }
        int first = number(other, 1);
        int second = number(other, 3);
        boolean dayFirst = !other.group(2).equals("/") || first > 12 || first == second;
        if (!dayFirst && second <= 12) {
            return null;
        }
        return LocalDate.of(number(other, 4), dayFirst ? second : first, dayFirst ? first : second);
    }

    private static int number(Matcher matcher, int group) {
        return Integer.parseInt(matcher.group(group));
    }
}
