package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.list.TextList;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.zip.ZipException;

/**
 * The conversion of lists of another program into one text list, which is made while it is read, in
 * bounded memory. A foreign line that has an equivalent becomes one or more lines. Every other line
 * is reported with the reason.
 *
 * <p>Valid lines without an equivalent do not stop an import. If {@linkplain TextList#areTooMany
 * too many} lines are bad, the import is refused.
 */
public final class Import {
    private final List<ForeignList> lists;
    private final Ledger ledger;
    private final Importer importer;
    private final Subaddressing subaddressing;

    /**
     * Makes an import, which can be read once.
     *
     * @param reports takes a message of one line for what is bad or has no equivalent
     * @param all whether there is a message for everything, or only for the first ten, and a count
     */
    public Import(
            ForeignFormat format,
            ImportSettings settings,
            List<ForeignList> lists,
            Consumer<String> reports,
            boolean all) {
        this.lists = List.copyOf(lists);
        this.ledger = new Ledger(reports, all);
        this.importer =
                switch (format) {
                    case POSTFIX -> new PostfixImporter(ledger, settings.parentDomains());
                    case SPAMASSASSIN -> new SpamAssassinImporter(ledger);
                    case RSPAMD -> new RspamdImporter(ledger, settings.auth());
                    case M365 -> new M365Importer(ledger);
                    case JAMES38 -> new James38Importer(ledger);
                    case SPAMASSASSIN_SQL -> new SpamAssassinSqlImporter(ledger);
                    case LIST -> new ListImporter(ledger);
                    case AMAVIS -> new AmavisImporter(ledger);
                    case MAILSCANNER -> new MailScannerImporter(ledger);
                    case VCARD -> new VCardImporter(ledger, owner(settings));
                    case CSV -> new ContactsCsvImporter(ledger, owner(settings));
                    case LDIF -> new LdifImporter(ledger, owner(settings));
                };
        this.subaddressing =
                switch (format) {
                    case POSTFIX -> settings.recipientDelimiter();
                    case RSPAMD, LIST, VCARD, CSV, LDIF -> Subaddressing.DEFAULT;
                    case SPAMASSASSIN, SPAMASSASSIN_SQL, AMAVIS, M365, JAMES38, MAILSCANNER ->
                            Subaddressing.NONE;
                };
    }

    private static Address owner(ImportSettings settings) {
        return Objects.requireNonNull(settings.user(), "whose book it is");
    }

    /**
     * Returns the delimiter of tags in the other program. With another delimiter, the imported list
     * would list more senders than the other program does, or fewer.
     */
    public Subaddressing subaddressing() {
        return subaddressing;
    }

    /** Returns whether there are entries for whole addresses. Only for these do tags matter. */
    public boolean hasAddresses() {
        return ledger.hasAddresses();
    }

    /**
     * Returns the converted list as UTF-8 text. Reading it throws a {@link ListRefusedException}
     * when the foreign lists cannot be used.
     */
    public InputStream open() {
        return new Stream();
    }

    /** Returns the counts of lines of each list that was read to its end. */
    public List<ImportSummary> summaries() {
        return ledger.summaries();
    }

    private final class Stream extends InputStream {
        private static final int CHUNK = 1 << 15;

        private final Iterator<ForeignList> left = lists.iterator();
        private @Nullable Iterator<String> rest;
        private @Nullable InputStream open;
        private Importer.@Nullable ListReader reader;
        private String name = "";
        private byte[] bytes = {};
        private int at;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
            try {
                return fill(target, from, length);
            } catch (ListRefusedException e) {
                ledger.sayHowManyMore();
                throw new ListRefusedException(
                        e.getMessage() + " (" + ledger.linesRead() + " lines were read)");
            }
        }

        private int fill(byte[] target, int from, int length) throws IOException {
            Objects.checkFromIndexSize(from, length, target.length);
            while (at == bytes.length) {
                boolean more = true;
                while (more && ledger.ready() < CHUNK) {
                    more = step();
                }
                bytes = ledger.drain();
                at = 0;
                if (bytes.length == 0 && !more) {
                    return -1;
                }
            }
            int count = Math.min(length, bytes.length - at);
            System.arraycopy(bytes, at, target, from, count);
            at += count;
            return count;
        }

        /** Reads or writes a little more. Returns false when everything is done. */
        private boolean step() throws IOException {
            if (reader != null) {
                if (!readOn(reader)) {
                    ledger.end();
                    close();
                }
                return true;
            }
            if (left.hasNext()) {
                begin(left.next());
                return true;
            }
            if (rest == null) {
                ledger.sayHowManyMore();
                ledger.refuseWhenMostlyBad();
                rest = importer.rest();
            }
            if (rest.hasNext()) {
                ledger.write(rest.next());
                return true;
            }
            ledger.refuseWhenEmpty();
            return false;
        }

        private void begin(ForeignList list) throws IOException {
            name = list.name();
            ledger.begin(name);
            open = list.opener().open();
            try {
                reader = importer.open(TextList.unpacked(open), name);
            } catch (EOFException | ZipException e) {
                throw damaged(e);
            }
        }

        private boolean readOn(Importer.ListReader list) throws IOException {
            try {
                return list.next();
            } catch (EOFException | ZipException e) {
                throw damaged(e);
            }
        }

        private ListRefusedException damaged(IOException e) {
            return new ListRefusedException(
                    name + ": damaged gzip data (" + e.getMessage() + "). Nothing was imported");
        }

        @Override
        public void close() throws IOException {
            reader = null;
            if (open != null) {
                InputStream closing = open;
                open = null;
                closing.close();
            }
        }
    }
}
