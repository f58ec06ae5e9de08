package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.importer.CsvListReader.FirstRecord;
import io.github.senderwhitelist.importer.SenderPattern.Domain;
import io.github.senderwhitelist.importer.SenderPattern.Exact;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/**
 * Imports the table {@code whitelist} of James' {@code WhiteListManager} and {@code IsInWhiteList}
 * (up to James 3.8) as CSV. Local user and host are the recipient. Remote user and host are the
 * sender. The user {@code *} stands for everyone at a host. Without a heading, the columns are in
 * the order of the table.
 */
final class James38Importer implements Importer {
    private static final List<String> TABLE =
            List.of("localUser", "localHost", "remoteUser", "remoteHost");

    private final Ledger ledger;

    James38Importer(Ledger ledger) {
        this.ledger = ledger;
    }

    @Override
    public ListReader open(InputStream in, String name) throws IOException {
        return new CsvListReader(in, name, ledger, new Rows());
    }

    private final class Rows implements CsvListReader.Records {
        private Columns columns = new Columns(TABLE);

        @Override
        public FirstRecord first(List<String> fields) {
            Columns found = new Columns(fields);
            boolean table =
                    found.has("remoteuser")
                            && found.has("remotehost")
                            && found.has("localuser")
                            && found.has("localhost");
            if (table || (found.has("sender") && found.has("recipient"))) {
                columns = found;
                return FirstRecord.HEADING;
            }
            return fields.size() == TABLE.size() ? FirstRecord.ROW : FirstRecord.UNKNOWN;
        }

        @Override
        public String expectedColumns() {
            return "localUser, localHost, remoteUser, remoteHost, or sender, recipient; or four"
                    + " columns without names, in that order";
        }

        @Override
        public void row(List<String> fields) {
            String recipient = field(fields, "recipient", "localuser", "localhost");
            String sender = field(fields, "sender", "remoteuser", "remotehost");
            String to = ledger.key(pattern(recipient));
            if (to != null) {
                ledger.take(pattern(sender), false, "to=" + to);
            }
        }

        private String field(List<String> fields, String whole, String user, String host) {
            return columns.has(whole)
                    ? columns.field(fields, whole)
                    : columns.field(fields, user) + "@" + columns.field(fields, host);
        }
    }

    private static SenderPattern pattern(String address) {
        return address.startsWith("*@") ? new Domain(address.substring(2)) : new Exact(address);
    }
}
