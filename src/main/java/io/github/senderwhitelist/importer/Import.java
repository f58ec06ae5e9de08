package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.list.Opener;
import io.github.senderwhitelist.list.TextList;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.ZipException;

/**
 * Lines of another program as one text list of ours in UTF-8, which is made while it is read, in
 * bounded memory. A foreign line that has an equivalent becomes one or more lines. Every other line
 * is reported with the reason.
 *
 * <p>Valid lines without an equivalent do not stop an import. If {@linkplain TextList#areTooMany
 * too many} lines are bad, reading throws a {@link ListRefusedException}.
 */
public final class Import extends InputStream {
    private final ForeignFormat format;
    private final Settings settings;
    private final Iterator<Source> left;
    private final Sink sink;
    private final List<String> counts = new ArrayList<>();
    private InputStream open = InputStream.nullInputStream();
    private InputStream ready = InputStream.nullInputStream();
    private @Nullable Importer importer;
    private boolean finished;

    /**
     * A list of another program, plain or gzip.
     *
     * @param name what messages call the list
     * @param opener opens the list
     */
    public record Source(String name, Opener opener) {}

    /**
     * Settings of the other program that its lists do not contain.
     *
     * @param parentDomains for Postfix: whether {@code parent_domain_matches_subdomains} contains
     *     {@code smtpd_access_maps}, as it does by default
     * @param recipientDelimiter for Postfix: the delimiter of tags
     * @param auth for Rspamd: what must confirm the senders of maps of the whitelist module; {@code
     *     NONE} means that the maps belong to a multimap
     * @param user for address books: the user whose address book it is; null for other formats
     */
    public record Settings(
            boolean parentDomains,
            Subaddressing recipientDelimiter,
            AuthRequirement auth,
            @Nullable Address user) {}

    /**
     * Makes an import.
     *
     * @param reports takes a message of one line for what is bad or has no equivalent
     */
    public Import(
            ForeignFormat format, Settings settings, List<Source> lists, Consumer<String> reports) {
        this.format = format;
        this.settings = settings;
        this.left = List.copyOf(lists).iterator();
        this.sink = new Sink(format.isAddressBook() ? settings.user() : null, reports);
    }

    private Importer importer() throws ListRefusedException {
        return switch (format) {
            case POSTFIX -> new PostfixImporter(sink, settings.parentDomains());
            case SPAMASSASSIN -> new SpamAssassinImporter(sink);
            case RSPAMD -> new RspamdImporter(sink, settings.auth());
            case M365 -> new M365Importer(sink);
            case JAMES38 -> new TableImporter.James38(sink);
            case SPAMASSASSIN_SQL -> new TableImporter.SpamAssassinSql(sink);
            case LIST, AMAVIS, MAILSCANNER -> new SimpleImporter(sink, format);
            case VCARD -> new VCardImporter(sink);
            case CSV -> new TableImporter.Contacts(sink);
            case LDIF -> new LdifImporter(sink);
        };
    }

    /**
     * Returns the delimiter of tags in the other program. With another delimiter, the imported list
     * would list more senders than the other program does, or fewer.
     */
    public Subaddressing subaddressing() {
        return switch (format) {
            case POSTFIX -> settings.recipientDelimiter();
            case RSPAMD, LIST, VCARD, CSV, LDIF -> Subaddressing.DEFAULT;
            case SPAMASSASSIN, SPAMASSASSIN_SQL, AMAVIS, M365, JAMES38, MAILSCANNER ->
                    Subaddressing.NONE;
        };
    }

    /** Returns whether there are entries for whole addresses. Only for these do tags matter. */
    public boolean hasAddresses() {
        return sink.hasAddresses;
    }

    /**
     * Returns a line for people for each list that was read to its end: how many of its lines were
     * taken completely, have no equivalent, perhaps for a part, or are bad. Other lines list no
     * sender, such as comments, headings, other settings, and what a condition switches off.
     */
    public List<String> counts() {
        return List.copyOf(counts);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int from, int length) throws IOException {
        try {
            while (ready.available() == 0 && !finished) {
                step();
                ready = sink.ready();
            }
        } catch (EOFException | ZipException e) {
            throw sink.refused("damaged gzip data (" + TextList.damage(e) + ")");
        }
        return ready.read(target, from, length);
    }

    private void step() throws IOException {
        if (importer != null) {
            if (!importer.next()) {
                counts.add(sink.end(importer.lines()));
                importer = null;
                close();
            }
        } else if (left.hasNext()) {
            Source list = left.next();
            sink.name = list.name();
            open = list.opener().open();
            importer = importer();
            importer.open(TextList.unpacked(open));
        } else {
            finished = true;
            sink.kept.values().forEach(sink::write);
            requireUsable();
        }
    }

    /** Refuses lists that list no sender, or are probably of another format. */
    private void requireUsable() throws ListRefusedException {
        if (TextList.areTooMany(sink.bad, sink.said)) {
            throw new ListRefusedException(
                    sink.bad
                            + " of "
                            + sink.said
                            + " lines are bad; with more than 3 and more than 1 %, or all, an"
                            + " import is refused. The first: "
                            + sink.firstBad);
        }
        if (!sink.hasLines) {
            throw new ListRefusedException(
                    "no line lists a sender: " + String.join("; ", counts) + Sink.NO_IMPORT);
        }
    }

    @Override
    public void close() throws IOException {
        open.close();
    }
}
