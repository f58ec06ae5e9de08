package io.github.senderwhitelist.importer;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListRefusedException;

import org.jspecify.annotations.Nullable;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Imports tables as CSV (RFC 4180). The separator is the comma, semicolon or tab, whichever is most
 * frequent in the heading, whose names are compared in lower case, by letters, digits and {@code @}
 * alone. Lines that begin with {@code #} are comments.
 */
abstract class TableImporter extends Importer {
    /** What stands between several values of one field, and of columns that have one name. */
    private static final String BETWEEN = ":::";

    private static final String NOT_CLOSED =
            "a record that is too long, or a quote that is not closed";

    /** The fields of a row by their columns, without white space around them. */
    final Map<String, String> fields = new LinkedHashMap<>();

    private final List<String> expected;
    private List<String> heading = List.of();
    private char separator;
    private boolean quoted;

    /** Makes an importer of tables with these columns, as people write them. */
    TableImporter(Sink sink, String... expected) {
        super(sink, "(?s)^#.*");
        this.expected = List.of(expected);
    }

    /** Returns whether these are columns of the format: all that are expected. */
    boolean knows(List<String> columns) {
        return columns.containsAll(names(expected));
    }

    /** Takes the fields of a row. */
    abstract void row() throws ListRefusedException;

    final String field(String column) {
        return fields.getOrDefault(column, "");
    }

    /** Returns the line if it is within quotes, and is then a part of the record before. */
    @Override
    @Nullable String continuation(StringBuilder before, String line) throws ListRefusedException {
        boolean within = quoted;
        quoted ^= (within || !line.startsWith("#")) && isOdd(line);
        if (within && before.length() > MAX_LENGTH) {
            throw sink.refused(NOT_CLOSED);
        }
        return within ? "\n" + line : null;
    }

    private static boolean isOdd(String text) {
        return text.chars().filter(c -> c == '"').count() % 2 == 1;
    }

    @Override
    void entry(String text) throws ListRefusedException {
        if (isOdd(text)) {
            throw sink.refused(NOT_CLOSED);
        }
        if (heading.isEmpty()) {
            separator =
                    Stream.of(',', ';', '\t')
                            .max(Comparator.comparingInt(c -> text.split(c + "", -1).length))
                            .orElseThrow();
        }
        try {
            // Each record is read alone, so that all may differ in their number of fields.
            var csv = CsvReader.builder().fieldSeparator(separator);
            for (CsvRecord each : csv.ofCsvRecord(text)) {
                take(each.getFields());
            }
        } catch (CsvParseException e) {
            throw sink.refused("not CSV: " + Text.escaped(String.valueOf(e.getMessage())));
        }
    }

    private void take(List<String> record) throws ListRefusedException {
        if (heading.isEmpty()) {
            heading = names(record);
            if (!knows(heading)) {
                String columns = Text.shown(String.join(", ", record));
                throw sink.refused(
                        "the first line names no columns we know (%s); expected: %s"
                                .formatted(columns, String.join(", ", expected)));
            }
        } else if (!record.stream().allMatch(String::isBlank)) {
            fields.clear();
            for (int i = 0; i < heading.size(); i++) {
                String field = i < record.size() ? HiddenCharacters.strip(record.get(i)) : "";
                fields.merge(heading.get(i), field, (one, other) -> one + BETWEEN + other);
            }
            row();
        }
    }

    private static List<String> names(List<String> columns) {
        return columns.stream()
                .map(name -> name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9@]", ""))
                .toList();
    }

    /** Imports the Tenant Allow/Block List of Microsoft 365: a value and an action in each row. */
    static final class M365 extends TableImporter {
        M365(Sink sink) {
            super(sink, "Value", "Action");
        }

        @Override
        void row() {
            String value = field("value");
            String action = field("action").toLowerCase(Locale.ROOT);
            String expiry = field("expirationdate");
            if (!field("listtype").matches("(?i)|sender|domain")) {
                sink.report(value, "an entry for other things than senders");
            } else if (!action.equals("allow") && !action.equals("block")) {
                sink.bad(action, "is no action; expected: Allow, Block");
            } else {
                try {
                    String until = until(expiry);
                    sink.take(sink.sender(value), action.equals("block"), until);
                } catch (DateTimeException e) {
                    // Others than those of ISO 8601 can be read in two ways.
                    String example = "2027-01-31 or 2027-01-31T00:00:00Z";
                    sink.report(
                            expiry,
                            "expected a date as " + example + " (ExpirationDate.ToString('o'))");
                }
            }
        }

        /** Returns the condition for an expiry date: the last day on which it holds, in UTC. */
        private static String until(String text) {
            if (text.isEmpty() || text.toLowerCase(Locale.ROOT).startsWith("never")) {
                return "";
            }
            return " until="
                    + (text.indexOf(':') < 0
                            ? LocalDate.parse(text)
                            : OffsetDateTime.parse(text.replace(' ', 'T'))
                                    .withOffsetSameInstant(ZoneOffset.UTC)
                                    .minusNanos(1)
                                    .toLocalDate());
        }
    }

    /**
     * Imports SpamAssassin's table of preferences, {@code userpref}. Each preference means what it
     * means in a file, for the user in its row: everybody, {@code %domain}, or an address.
     */
    static final class SpamAssassinSql extends TableImporter {
        SpamAssassinSql(Sink sink) {
            super(sink, "username", "preference", "value");
        }

        @Override
        void row() throws ListRefusedException {
            String preference = field("preference");
            String user = field("username");
            boolean isGlobal = user.equals("@GLOBAL") || user.equals("$GLOBAL");
            boolean isDomain = user.startsWith("%");
            if (!SpamAssassinImporter.concernsSenders(preference)) {
                return;
            } else if (isGlobal) {
                SpamAssassinImporter.setting(sink, preference, field("value"), "");
            } else if (!isDomain && user.indexOf('@') < 1) {
                sink.report(user, "the user's address is not known; expected: user@example.com");
            } else {
                String to = isDomain ? sink.key("@", user.substring(1)) : sink.key("", user);
                if (to != null) {
                    SpamAssassinImporter.setting(sink, preference, field("value"), " to=" + to);
                }
            }
        }
    }

    /**
     * Imports address books from Thunderbird, Outlook, Roundcube and Gmail: each value in a column
     * for mail addresses is a contact.
     */
    static final class Contacts extends TableImporter {
        private static final Pattern MAIL =
                Pattern.compile(
                        "(?!.*(?:@|display|anzeige|angezeigt|type|typ$|label)).*(?:email|mailad).*");

        Contacts(Sink sink) {
            super(sink, "Primary Email, E-mail Address, Email, or the like");
        }

        @Override
        boolean knows(List<String> columns) {
            return columns.stream().anyMatch(column -> MAIL.matcher(column).matches());
        }

        @Override
        void row() {
            fields.keySet().stream()
                    .filter(column -> MAIL.matcher(column).matches())
                    .flatMap(column -> Stream.of(field(column).split(BETWEEN, -1)))
                    .forEach(sink::contact);
        }
    }
}
