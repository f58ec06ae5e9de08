package io.github.senderwhitelist.importer;

import static java.util.stream.Collectors.joining;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.list.Opener;
import io.github.senderwhitelist.list.TextList;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.CharConversionException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.zip.ZipException;

/**
 * Lists of another program as one text list of ours in UTF-8, which is made while it is read, in
 * bounded memory. A foreign line that has an equivalent becomes one or more lines. Every other line
 * is reported with the reason.
 *
 * <p>Valid lines without an equivalent do not stop an import. If {@linkplain TextList#areTooMany
 * too many} lines are bad, reading throws a {@link ListRefusedException}.
 */
public final class Import extends InputStream {
    private static final int CHUNK = 1 << 15;

    private final Iterator<Source> left;
    private final Importer importer;
    private final Subaddressing subaddressing;
    private final List<Counts> counts = new ArrayList<>();
    private String name = "";
    private InputStream ready = InputStream.nullInputStream();
    private InputStream open = InputStream.nullInputStream();
    private @Nullable ForeignLines lines;
    private boolean written;
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
     * @param parentDomains for Postfix: whether a domain matches its subdomains, too
     * @param recipientDelimiter for Postfix: the delimiter of tags
     * @param auth for Rspamd: what must confirm the senders of maps of the whitelist module; {@code
     *     NONE} means that the maps belong to a multimap
     * @param user for address books: the user whose address book it is; null for other formats
     */
    public record Settings(
            boolean parentDomains,
            Subaddressing recipientDelimiter,
            AuthRequirement auth,
            @Nullable Address user) {

        private Address owner() {
            return Objects.requireNonNull(user, "whose address book it is");
        }
    }

    /**
     * Counts of the lines of a foreign list. Lines that are none of these list no sender, such as
     * comments, headings, other settings, and lines that a condition switches off.
     *
     * @param name what messages call the list
     * @param lines all lines
     * @param taken lines that were converted completely
     * @param reported lines that have no equivalent, or only for a part
     * @param bad lines that are wrong in their own format
     */
    public record Counts(String name, long lines, long taken, long reported, long bad) {
        /** Returns the counts as one line for people. */
        @Override
        public String toString() {
            return Text.escaped(name)
                    + (": " + lines + " lines: " + taken + " taken, ")
                    + (reported + " without equivalent, " + bad + " bad, ")
                    + (lines - taken - reported - bad + " others");
        }
    }

    /**
     * Makes an import.
     *
     * @param reports takes a message of one line for what is bad or has no equivalent
     */
    public Import(
            ForeignFormat format, Settings settings, List<Source> lists, Consumer<String> reports) {
        this.left = List.copyOf(lists).iterator();
        this.importer =
                switch (format) {
                    case POSTFIX -> new PostfixImporter(settings.parentDomains());
                    case SPAMASSASSIN -> new SpamAssassinImporter();
                    case RSPAMD -> new RspamdImporter(settings.auth());
                    case M365 -> new M365Importer();
                    case JAMES38 -> new TableImporter.James38();
                    case SPAMASSASSIN_SQL -> new TableImporter.SpamAssassinSql();
                    case LIST, AMAVIS, MAILSCANNER -> new SimpleImporter(format);
                    case VCARD -> new VCardImporter(settings.owner());
                    case CSV -> new TableImporter.Contacts(settings.owner());
                    case LDIF -> new LdifImporter(settings.owner());
                };
        this.subaddressing =
                switch (format) {
                    case POSTFIX -> settings.recipientDelimiter();
                    case RSPAMD, LIST, VCARD, CSV, LDIF -> Subaddressing.DEFAULT;
                    case SPAMASSASSIN, SPAMASSASSIN_SQL, AMAVIS, M365, JAMES38, MAILSCANNER ->
                            Subaddressing.NONE;
                };
        importer.reports = reports;
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
        return importer.hasAddresses;
    }

    /** Returns the counts of lines of each list that was read to its end. */
    public List<Counts> counts() {
        return List.copyOf(counts);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int from, int length) throws IOException {
        if (ready.available() == 0) {
            try {
                while (!finished && importer.ready.size() < CHUNK) {
                    step();
                }
            } catch (EOFException | ZipException e) {
                throw importer.refused("damaged gzip data (" + e.getMessage() + ")");
            } catch (CharConversionException e) {
                throw importer.refused(String.valueOf(e.getMessage()));
            }
            written |= importer.ready.size() > 0;
            ready = new ByteArrayInputStream(importer.ready.toByteArray());
            importer.ready.reset();
            if (!written) {
                throw new ListRefusedException(
                        "no line lists a sender: "
                                + counts.stream().map(Counts::toString).collect(joining("; "))
                                + Importer.NO_IMPORT);
            }
        }
        return ready.read(target, from, length);
    }

    private void step() throws IOException {
        if (lines != null) {
            if (!importer.next(lines)) {
                importer.open(0);
                long[] each = importer.outcomes;
                counts.add(
                        new Counts(
                                name,
                                lines.count(),
                                each[Importer.TAKEN],
                                each[Importer.REPORTED],
                                each[Importer.BAD]));
                close();
            }
        } else if (left.hasNext()) {
            Source list = left.next();
            name = list.name();
            open = list.opener().open();
            lines = new ForeignLines(TextList.unpacked(open));
            importer.begin(name);
        } else {
            refuseWhenMostlyBad();
            importer.finish();
            finished = true;
        }
    }

    /** Refuses lists that are probably of another format. */
    private void refuseWhenMostlyBad() throws ListRefusedException {
        long bad = counts.stream().mapToLong(Counts::bad).sum();
        long others = counts.stream().mapToLong(each -> each.taken + each.reported).sum();
        if (TextList.areTooMany(bad, bad + others)) {
            throw new ListRefusedException(
                    bad
                            + " of "
                            + (bad + others)
                            + " lines are bad; with more than 3 and more than 1 %, or all, an"
                            + " import is refused. The first: "
                            + importer.firstBad);
        }
    }

    @Override
    public void close() throws IOException {
        lines = null;
        open.close();
    }
}
