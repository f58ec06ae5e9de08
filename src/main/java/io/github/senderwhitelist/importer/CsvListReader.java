package io.github.senderwhitelist.importer;

import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CommentStrategy;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListRefusedException;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * Reads a list in a CSV file (RFC 4180). The separator is the comma, semicolon or tab, whichever is
 * most frequent in the first line. The encoding is UTF-8, or UTF-16 with a byte order mark. Lines
 * that begin with {@code #} are comments.
 */
final class CsvListReader implements Importer.ListReader {
    /** The longest record, in characters. */
    private static final int MAX_RECORD = 1 << 20;

    private static final int PEEKED = 8192;

    private final CloseableIterator<CsvRecord> records;
    private final Ledger ledger;
    private final String name;
    private final Records target;
    private boolean headed;

    /** The roles that the first record of a file can have. */
    enum FirstRecord {
        /** The names of the columns. */
        HEADING,
        /** A row like all others; the columns have no names. */
        ROW,
        /** Neither: the file is of another kind. */
        UNKNOWN
    }

    /** Takes the records of a file. */
    interface Records {
        /**
         * Takes the first record and returns its role. A row is passed to {@link #row} afterwards.
         */
        FirstRecord first(List<String> fields);

        /**
         * Returns the columns that a file may have, for the message that refuses an unknown file.
         */
        String expectedColumns();

        /** Takes a row. Its line is open in the ledger. */
        void row(List<String> fields) throws ListRefusedException;
    }

    CsvListReader(InputStream in, String name, Ledger ledger, Records target) throws IOException {
        BufferedInputStream buffered = new BufferedInputStream(in, PEEKED);
        this.records =
                CsvReader.builder()
                        .fieldSeparator(separator(buffered))
                        .commentStrategy(CommentStrategy.READ)
                        .skipEmptyLines(false)
                        .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                        .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                        .detectBomHeader(true)
                        .maxBufferSize(MAX_RECORD)
                        .ofCsvRecord(buffered)
                        .iterator();
        this.ledger = ledger;
        this.name = name;
        this.target = target;
    }

    private static char separator(BufferedInputStream in) throws IOException {
        in.mark(PEEKED);
        byte[] start = in.readNBytes(PEEKED - 1);
        in.reset();
        int commas = 0;
        int semicolons = 0;
        int tabs = 0;
        boolean began = false;
        boolean comment = false;
        for (byte b : start) {
            if (b <= 0) {
                // This is half a character of UTF-16, or part of a byte order mark.
                continue;
            }
            if (b == '\n' && began && !comment) {
                break;
            }
            comment = b != '\n' && (comment || (!began && b == '#'));
            began = b != '\n';
            commas += !comment && b == ',' ? 1 : 0;
            semicolons += !comment && b == ';' ? 1 : 0;
            tabs += !comment && b == '\t' ? 1 : 0;
        }
        if (semicolons > commas && semicolons >= tabs) {
            return ';';
        }
        return tabs > commas ? '\t' : ',';
    }

    @Override
    public boolean next() throws IOException {
        try {
            if (!records.hasNext()) {
                return false;
            }
            take(records.next());
            return true;
        } catch (CsvParseException e) {
            throw new ListRefusedException(
                    name + ": not CSV: " + e.getMessage() + ". Nothing was imported");
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void take(CsvRecord csv) throws ListRefusedException {
        List<String> fields = csv.getFields();
        long lines = 1 + fields.stream().mapToLong(CsvListReader::lineEnds).sum();
        if (csv.isComment() || fields.stream().allMatch(String::isBlank)) {
            ledger.blank(lines);
            return;
        }
        ledger.open(new Line(csv.getStartingLineNumber(), lines, "", false));
        FirstRecord kind = headed ? FirstRecord.ROW : target.first(fields);
        headed = true;
        switch (kind) {
            case HEADING -> {}
            case ROW -> target.row(fields);
            case UNKNOWN ->
                    throw new ListRefusedException(
                            name
                                    + ": the first line names no columns we know ("
                                    + Text.shown(String.join(", ", fields))
                                    + "); expected: "
                                    + target.expectedColumns()
                                    + ". Nothing was imported");
        }
    }

    private static long lineEnds(String field) {
        return field.replace("\r\n", "\n").chars().filter(c -> c == '\n' || c == '\r').count();
    }
}
