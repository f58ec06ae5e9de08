package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.importer.CsvListReader.FirstRecord;
import io.github.senderwhitelist.importer.SenderPattern.Domain;
import io.github.senderwhitelist.importer.SenderPattern.Exact;
import io.github.senderwhitelist.list.ListRefusedException;

import java.io.IOException;
import java.io.InputStream;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Imports SpamAssassin's table of preferences, {@code userpref}, as CSV. Each preference means what
 * it means in a file, for the user in its row: everybody, {@code %domain}, or an address.
 */
final class SpamAssassinSqlImporter implements Importer {
    private static final List<String> TABLE = List.of("username", "preference", "value");
    private static final Set<String> EVERYBODY = Set.of("@GLOBAL", "$GLOBAL");

    private final Ledger ledger;
    private final SpamAssassinImporter settings;

    SpamAssassinSqlImporter(Ledger ledger) {
        this.ledger = ledger;
        this.settings = new SpamAssassinImporter(ledger);
    }

    @Override
    public ListReader open(InputStream in, String name) throws IOException {
        return new CsvListReader(in, name, ledger, new Rows());
    }

    @Override
    public Iterator<String> rest() {
        return settings.rest();
    }

    private final class Rows implements CsvListReader.Records {
        private Columns columns = new Columns(TABLE);

        @Override
        public FirstRecord first(List<String> fields) {
            columns = new Columns(fields);
            return TABLE.stream().allMatch(columns::has)
                    ? FirstRecord.HEADING
                    : FirstRecord.UNKNOWN;
        }

        @Override
        public String expectedColumns() {
            return String.join(", ", TABLE);
        }

        @Override
        public void row(List<String> fields) throws ListRefusedException {
            String user = columns.field(fields, "username");
            String preference = columns.field(fields, "preference");
            String key = preference.toLowerCase(Locale.ROOT).replace('-', '_');
            if (!SpamAssassinImporter.concernsSenders(key)) {
                return;
            }
            String to = "";
            if (!EVERYBODY.contains(user)) {
                boolean domain = user.startsWith("%");
                boolean known =
                        domain
                                ? AddressSyntax.parseDomain(user.substring(1)) != null
                                : user.indexOf('@') > 0;
                if (!known) {
                    ledger.report(
                            user, "the user's address is not known; expected: user@example.com");
                    return;
                }
                String recipient =
                        ledger.key(domain ? new Domain(user.substring(1)) : new Exact(user));
                if (recipient == null) {
                    return;
                }
                to = " to=" + recipient;
            }
            settings.setting(key, columns.field(fields, "value"), false, to);
        }
    }
}
