package io.github.senderwhitelist.importer;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListRefusedException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Imports tables as CSV (RFC 4180). The separator is the comma, semicolon or tab, whichever is most
 * frequent in the heading, which names the columns. Lines that begin with {@code #} are comments.
 */
abstract class TableImporter extends Importer {
    /** What stands between several values of one field, and of columns that have one name. */
    static final String BETWEEN = ":::";

    private final String expected;
    private List<String> heading = List.of();
    private char separator;
    private StringBuilder record = new StringBuilder();
    private boolean quoted;

    /**
     * Makes an importer.
     *
     * @param expected the columns that a heading must have, for people
     */
    TableImporter(String expected) {
        super("(?s)^#.*");
        this.expected = expected;
    }

    /**
     * Returns whether these are columns of the format. Their names are in lower case and have only
     * letters, digits and {@code @}.
     */
    abstract boolean knows(Set<String> columns);

    /** Takes the fields of a row by their columns. White space around them is gone. */
    abstract void row(Map<String, String> fields) throws ListRefusedException;

    @Override
    void begin(String name) throws IOException {
        super.begin(name);
        heading = List.of();
    }

    /** Returns the line if it is within quotes, and is then a part of the record before. */
    @Override
    @Nullable String continuation(StringBuilder before, String line) {
        if (before != record) {
            record = before;
            quoted = before.indexOf("#") != 0 && isOdd(before);
        }
        boolean within = quoted;
        quoted ^= within && isOdd(line);
        return within ? "\n" + line : null;
    }

    private static boolean isOdd(CharSequence text) {
        return text.chars().filter(c -> c == '"').count() % 2 == 1;
    }

    @Override
    void tooLong(String text) throws ListRefusedException {
        throw refused("a record that is too long, or a quote that is not closed");
    }

    @Override
    void entry(String text) throws ListRefusedException {
        if (heading.isEmpty()) {
            separator = ',';
            for (char c : new char[] {';', '\t'}) {
                separator =
                        text.split(c + "", -1).length > text.split(separator + "", -1).length
                                ? c
                                : separator;
            }
        }
        var csv =
                CsvReader.builder()
                        .fieldSeparator(separator)
                        .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                        .missingFieldStrategy(FieldMismatchStrategy.IGNORE);
        try {
            for (CsvRecord each : csv.ofCsvRecord(text)) {
                take(each.getFields());
            }
        } catch (CsvParseException e) {
            throw refused("not CSV: " + e.getMessage());
        }
    }

    private void take(List<String> fields) throws ListRefusedException {
        if (heading.isEmpty()) {
            heading =
                    fields.stream()
                            .map(name -> name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9@]", ""))
                            .toList();
            if (!knows(Set.copyOf(heading))) {
                throw refused(
                        "the first line names no columns we know ("
                                + Text.shown(String.join(", ", fields))
                                + "); expected: "
                                + expected);
            }
        } else if (!fields.stream().allMatch(String::isBlank)) {
            Map<String, String> row = new LinkedHashMap<>();
            for (int i = 0; i < heading.size(); i++) {
                String field = i < fields.size() ? HiddenCharacters.strip(fields.get(i)) : "";
                row.merge(heading.get(i), field, (one, other) -> one + BETWEEN + other);
            }
            row(row);
        }
    }

    /**
     * Imports the table {@code whitelist} of James' {@code WhiteListManager} and {@code
     * IsInWhiteList} (up to James 3.8). Local user and host are the recipient. Remote user and host
     * are the sender. The user {@code *} stands for everyone at a host.
     */
    static final class James38 extends TableImporter {
        James38() {
            super("localUser, localHost, remoteUser, remoteHost");
        }

        @Override
        boolean knows(Set<String> columns) {
            return columns.containsAll(
                    List.of("localuser", "localhost", "remoteuser", "remotehost"));
        }

        @Override
        void row(Map<String, String> fields) {
            String to =
                    key(fields.getOrDefault("localuser", ""), fields.getOrDefault("localhost", ""));
            if (to != null) {
                String sender =
                        key(
                                fields.getOrDefault("remoteuser", ""),
                                fields.getOrDefault("remotehost", ""));
                take(sender, false, " to=" + to);
            }
        }

        private @Nullable String key(String user, String host) {
            return user.equals("*") ? domain(host) : address(user + "@" + host);
        }
    }

    /**
     * Imports SpamAssassin's table of preferences, {@code userpref}. Each preference means what it
     * means in a file, for the user in its row: everybody, {@code %domain}, or an address.
     */
    static final class SpamAssassinSql extends TableImporter {
        private final SpamAssassinSettings settings = new SpamAssassinSettings(this);

        SpamAssassinSql() {
            super("username, preference, value");
        }

        @Override
        boolean knows(Set<String> columns) {
            return columns.containsAll(List.of("username", "preference", "value"));
        }

        @Override
        void row(Map<String, String> fields) throws ListRefusedException {
            String preference = fields.getOrDefault("preference", "");
            String value = fields.getOrDefault("value", "");
            String user = fields.getOrDefault("username", "");
            if (!SpamAssassinSettings.concernsSenders(preference)) {
                return;
            }
            if (user.equals("@GLOBAL") || user.equals("$GLOBAL")) {
                settings.take(preference, value, "");
            } else if (user.indexOf('@') < 1 && !user.startsWith("%")) {
                report(user, "the user's address is not known; expected: user@example.com");
            } else {
                String to = user.startsWith("%") ? domain(user.substring(1)) : address(user);
                if (to != null) {
                    settings.take(preference, value, " to=" + to);
                }
            }
        }

        @Override
        void finish() {
            settings.finish();
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

        private final Address user;

        Contacts(Address user) {
            super("Primary Email (Thunderbird), E-mail Address (Outlook), Email, or the like");
            this.user = user;
        }

        @Override
        boolean knows(Set<String> columns) {
            return columns.stream().anyMatch(column -> MAIL.matcher(column).matches());
        }

        @Override
        void row(Map<String, String> fields) {
            fields.forEach(
                    (column, field) -> {
                        if (MAIL.matcher(column).matches()) {
                            for (String value : field.split(BETWEEN, -1)) {
                                contact(value, user);
                            }
                        }
                    });
        }
    }
}
