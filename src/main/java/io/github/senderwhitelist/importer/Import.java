package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.list.TextList;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
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
                    case VCARD -> new VCardImporter(ledger, contacts(settings));
                    case CSV -> new ContactsCsvImporter(ledger, contacts(settings));
                    case LDIF -> new LdifImporter(ledger, contacts(settings));
                };
        this.subaddressing =
                switch (format) {
                    case POSTFIX -> settings.recipientDelimiter();
                    case RSPAMD, LIST, VCARD, CSV, LDIF -> Subaddressing.DEFAULT;
                    case SPAMASSASSIN, SPAMASSASSIN_SQL, AMAVIS, M365, JAMES38, MAILSCANNER ->
                            Subaddressing.NONE;
                };
    }

    private ContactBook contacts(ImportSettings settings) {
        Address user = Objects.requireNonNull(settings.user(), "whose book it is");
        return new ContactBook(ledger, user);
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
        private InputStream ready = InputStream.nullInputStream();
        private @Nullable InputStream open;
        private @Nullable ForeignText text;
        private String name = "";
        private boolean finished;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
            int count = ready.read(target, from, length);
            if (count >= 0 || !fill()) {
                return count;
            }
            return ready.read(target, from, length);
        }

        /** Makes more bytes of our list ready. Returns false when there are none. */
        private boolean fill() throws IOException {
            try {
                while (!finished && ledger.ready() < CHUNK) {
                    step();
                }
            } catch (EOFException | ZipException e) {
                ledger.sayHowManyMore();
                throw new ListRefusedException(
                        name + ": damaged gzip data (" + e.getMessage() + ")" + Ledger.NO_IMPORT);
            } catch (ListRefusedException e) {
                ledger.sayHowManyMore();
                throw e;
            }
            ready = new ByteArrayInputStream(ledger.drain());
            return ready.available() > 0;
        }

        private void step() throws IOException {
            if (text != null) {
                if (!importer.next(text)) {
                    ledger.end(text.lines());
                    close();
                }
            } else if (left.hasNext()) {
                ForeignList list = left.next();
                name = list.name();
                ledger.begin(name);
                open = list.opener().open();
                text = new ForeignText(TextList.unpacked(open), name);
                importer.begin(text);
            } else {
                ledger.sayHowManyMore();
                ledger.refuseWhenMostlyBad();
                importer.finish();
                ledger.refuseWhenEmpty();
                finished = true;
            }
        }

        @Override
        public void close() throws IOException {
            text = null;
            if (open != null) {
                InputStream closing = open;
                open = null;
                closing.close();
            }
        }
    }
}
