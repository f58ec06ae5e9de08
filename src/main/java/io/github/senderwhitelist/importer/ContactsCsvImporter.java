package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.list.ListRefusedException;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Imports address books as CSV, from Thunderbird, Outlook, Roundcube and Gmail: each value in a
 * column for mail addresses is a contact. The heading says which columns these are.
 */
final class ContactsCsvImporter extends CsvImporter {
    private static final Pattern MAIL =
            Pattern.compile(
                    "(?!.*(?:display|anzeige|angezeigt|type|typ$|label)).*(?:email|mailad).*");

    /** What Gmail writes between several values of one column. */
    private static final String BETWEEN = ":::";

    private final ContactBook contacts;
    private int[] mail = {};

    ContactsCsvImporter(Ledger ledger, ContactBook contacts) {
        super(ledger);
        this.contacts = contacts;
    }

    @Override
    boolean heading(List<String> fields) throws ListRefusedException {
        mail = IntStream.range(0, fields.size()).filter(i -> isMail(fields.get(i))).toArray();
        if (mail.length == 0) {
            throw unknown(
                    fields,
                    "Primary Email (Thunderbird), E-mail Address (Outlook), Email, or the like");
        }
        return true;
    }

    private static boolean isMail(String heading) {
        return heading.indexOf('@') < 0 && MAIL.matcher(letters(heading)).matches();
    }

    @Override
    void row(List<String> fields) {
        for (int column : mail) {
            String field = column < fields.size() ? fields.get(column) : "";
            for (String value : field.split(BETWEEN, -1)) {
                contacts.take(value, "");
            }
        }
    }
}
