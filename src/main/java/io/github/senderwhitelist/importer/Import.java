package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.list.TextList;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Lists of another program as one text list of ours in UTF-8, which is made while it is read, in
 * bounded memory. A line without an equivalent is reported with the reason. If {@linkplain
 * TextList#areTooMany too many} lines are bad, reading throws a {@link ListRefusedException}.
 */
public final class Import extends InputStream {
    private final Format format;
    private final boolean parentDomains;
    private final Iterator<Source> left;
    private final Sink sink;
    private InputStream open = InputStream.nullInputStream();
    private InputStream ready = InputStream.nullInputStream();
    private @Nullable Importer importer;
    private boolean finished;

    /**
     * The programs whose lists can be imported: access(5) tables of Postfix; SpamAssassin's {@code
     * welcomelist_from} and related settings, in files and in its database as CSV; maps of Rspamd;
     * senders of Microsoft 365 as CSV; plain lists; senders of Amavis; rules of MailScanner; and
     * address books.
     */
    public enum Format implements ValueType.Word {
        POSTFIX,
        SPAMASSASSIN,
        SPAMASSASSIN_SQL,
        RSPAMD,
        M365,
        LIST,
        AMAVIS,
        MAILSCANNER,
        VCARD,
        CSV,
        LDIF;

        /** Returns whether it is the address book of one user, who must be named. */
        public boolean isAddressBook() {
            return this == VCARD || this == CSV || this == LDIF;
        }

        /** Returns whether an address also stands for the same with a tag, as it does here. */
        public boolean knowsTags() {
            return this == RSPAMD || this == LIST || isAddressBook();
        }
    }

    /** A list of another program, plain or gzip, and what messages call it. */
    public record Source(String name, TextList.Opener opener) {}

    /**
     * Makes an import.
     *
     * @param parentDomains for Postfix: whether {@code parent_domain_matches_subdomains} contains
     *     {@code smtpd_access_maps}, as it does by default
     * @param user for address books: the user whose address book it is; null for other formats
     * @param reports takes a message of one line for what is bad or has no equivalent
     */
    public Import(
            Format format,
            boolean parentDomains,
            @Nullable Address user,
            List<Source> lists,
            Consumer<String> reports) {
        this.format = format;
        this.parentDomains = parentDomains;
        this.left = List.copyOf(lists).iterator();
        this.sink = new Sink(format.isAddressBook() ? user : null, reports);
    }

    private Importer importer() throws ListRefusedException {
        return switch (format) {
            case POSTFIX -> new PostfixImporter(sink, parentDomains);
            case SPAMASSASSIN -> new SpamAssassinImporter(sink);
            case SPAMASSASSIN_SQL -> new TableImporter.SpamAssassinSql(sink);
            case RSPAMD -> new RspamdImporter(sink);
            case M365 -> new TableImporter.M365(sink);
            case LIST, AMAVIS, MAILSCANNER -> new SimpleImporter(sink, format);
            case VCARD, LDIF -> new AddressBookImporter(sink, format);
            case CSV -> new TableImporter.Contacts(sink);
        };
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int from, int length) throws IOException {
        while (ready.available() == 0 && !finished) {
            if (importer == null || !importer.next()) {
                nextList();
            }
            ready = sink.ready();
        }
        return ready.read(target, from, length);
    }

    private void nextList() throws IOException {
        close();
        finished = !left.hasNext();
        if (finished) {
            sink.end();
        } else {
            Source list = left.next();
            sink.begin(list.name());
            open = list.opener().open();
            importer = importer();
            importer.open(TextList.unpacked(open, list.name()));
        }
    }

    @Override
    public void close() throws IOException {
        open.close();
    }
}
