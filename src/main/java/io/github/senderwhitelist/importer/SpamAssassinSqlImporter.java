package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.importer.SenderPattern.Domain;
import io.github.senderwhitelist.importer.SenderPattern.Exact;
import io.github.senderwhitelist.list.ListRefusedException;

import java.util.List;
import java.util.Set;

/**
 * Imports SpamAssassin's table of preferences, {@code userpref}, as CSV. Each preference means what
 * it means in a file, for the user in its row: everybody, {@code %domain}, or an address.
 */
final class SpamAssassinSqlImporter extends CsvImporter {
    private static final Set<String> EVERYBODY = Set.of("@GLOBAL", "$GLOBAL");

    private final SpamAssassinImporter settings;

    SpamAssassinSqlImporter(Ledger ledger) {
        super(ledger);
        this.settings = new SpamAssassinImporter(ledger);
    }

    @Override
    boolean heading(List<String> fields) throws ListRefusedException {
        if (!has("username", "preference", "value")) {
            throw unknown(fields, "username, preference, value");
        }
        return true;
    }

    @Override
    void row(List<String> fields) throws ListRefusedException {
        String preference = field(fields, "preference");
        if (!preference.matches("(?i).*(?:welcome|white|block|black)list.*")) {
            return;
        }
        String user = field(fields, "username");
        String to = "";
        if (!EVERYBODY.contains(user)) {
            boolean domain = user.startsWith("%");
            String address = domain ? user.substring(1) : user;
            if (domain ? AddressSyntax.parseDomain(address) == null : user.indexOf('@') < 1) {
                ledger.report(user, "the user's address is not known; expected: user@example.com");
                return;
            }
            String recipient = ledger.key(domain ? new Domain(address) : new Exact(address));
            if (recipient == null) {
                return;
            }
            to = " to=" + recipient;
        }
        settings.setting(preference, field(fields, "value"), to);
    }

    @Override
    public void finish() {
        settings.finish();
    }
}
