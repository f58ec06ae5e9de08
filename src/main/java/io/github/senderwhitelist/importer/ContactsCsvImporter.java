package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.importer.CsvListReader.FirstRecord;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Imports address books as CSV, from Thunderbird, Outlook, Roundcube and Gmail: each value in a
 * column for mail addresses is a contact. The heading says which columns these are.
 */
final class ContactsCsvImporter implements Importer {
    private static final Pattern MAIL =
            Pattern.compile(
                    "(?!.*(?:display|anzeige|angezeigt|type|typ$|label)).*(?:email|mailad).*");

    /** What Gmail writes between several values of one column. */
    private static final String BETWEEN = ":::";

    private final Ledger ledger;
    private final ContactBook contacts;

    /**
     * Makes an importer.
     *
     * @param user whom the entries are for
     */
    ContactsCsvImporter(Ledger ledger, Address user) {
        this.ledger = ledger;
        this.contacts = new ContactBook(ledger, user);
    }

    @Override
    public ListReader open(InputStream in, String name) throws IOException {
        return new CsvListReader(in, name, ledger, new Rows());
    }

    private final class Rows implements CsvListReader.Records {
        private int[] columns = {};

        @Override
        public FirstRecord first(List<String> fields) {
            columns =
                    IntStream.range(0, fields.size()).filter(i -> isMail(fields.get(i))).toArray();
            return columns.length == 0 ? FirstRecord.UNKNOWN : FirstRecord.HEADING;
        }

        @Override
        public String expectedColumns() {
            return "Primary Email (Thunderbird), E-mail Address (Outlook), Email, or the like";
        }

        @Override
        public void row(List<String> fields) {
            for (int column : columns) {
                String field = column < fields.size() ? fields.get(column) : "";
                for (String value : field.split(BETWEEN, -1)) {
                    contacts.take(HiddenCharacters.strip(value), "");
                }
            }
        }

        private static boolean isMail(String heading) {
            String letters = heading.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
            return heading.indexOf('@') < 0 && MAIL.matcher(letters).matches();
        }
    }
}
