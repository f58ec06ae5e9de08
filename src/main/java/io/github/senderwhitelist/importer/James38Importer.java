package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.importer.SenderPattern.Domain;
import io.github.senderwhitelist.importer.SenderPattern.Exact;
import io.github.senderwhitelist.list.ListRefusedException;

import java.util.List;

/**
 * Imports the table {@code whitelist} of James' {@code WhiteListManager} and {@code IsInWhiteList}
 * (up to James 3.8) as CSV. Local user and host are the recipient. Remote user and host are the
 * sender. The user {@code *} stands for everyone at a host. Without a heading, the columns are in
 * the order of the table.
 */
final class James38Importer extends CsvImporter {
    private static final List<String> TABLE =
            List.of("localuser", "localhost", "remoteuser", "remotehost");

    James38Importer(Ledger ledger) {
        super(ledger);
    }

    @Override
    boolean heading(List<String> fields) throws ListRefusedException {
        if (has(TABLE.toArray(String[]::new)) || has("sender", "recipient")) {
            return true;
        }
        if (fields.size() != TABLE.size()) {
            throw unknown(
                    fields,
                    "localUser, localHost, remoteUser, remoteHost, or sender, recipient; or four"
                            + " columns without names, in that order");
        }
        nameColumns(TABLE);
        return false;
    }

    @Override
    void row(List<String> fields) {
        String to = ledger.key(pattern(fields, "recipient", "localuser", "localhost"));
        if (to != null) {
            ledger.take(pattern(fields, "sender", "remoteuser", "remotehost"), false, "to=" + to);
        }
    }

    private SenderPattern pattern(List<String> fields, String whole, String user, String host) {
        String address =
                has(whole) ? field(fields, whole) : field(fields, user) + "@" + field(fields, host);
        return address.startsWith("*@") ? new Domain(address.substring(2)) : new Exact(address);
    }
}
