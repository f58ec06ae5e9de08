package io.github.senderwhitelist.importer;

import de.siegmar.fastcsv.reader.CommentStrategy;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListRefusedException;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads tables as CSV (RFC 4180). The separator is the comma, semicolon or tab, whichever is most
 * frequent in the first line. Lines that begin with {@code #} are comments.
 */
abstract class CsvImporter implements Importer {
    /** The longest record, in characters. */
    private static final int MAX_RECORD = 1 << 20;

    private static final int PEEKED = 8192;

    final Ledger ledger;
    private final Map<String, Integer> columns = new HashMap<>();
    private Iterator<CsvRecord> records = Collections.emptyIterator();
    private boolean headed;

    CsvImporter(Ledger ledger) {
        this.ledger = ledger;
    }

    /**
     * Takes the first record, whose fields the columns are named by. Returns false when it is a row
     * like all others.
     *
     * @throws ListRefusedException when the file is of another kind
     */
    abstract boolean heading(List<String> fields) throws ListRefusedException;

    /** Takes a row. Its line is open in the ledger. */
    abstract void row(List<String> fields) throws ListRefusedException;

    @Override
    public final void begin(ForeignText text) throws IOException {
        BufferedReader in = new BufferedReader(text, PEEKED);
        in.mark(PEEKED);
        char[] start = new char[PEEKED];
        int length = Math.max(0, in.read(start));
        in.reset();
        records =
                CsvReader.builder()
                        .fieldSeparator(separator(new String(start, 0, length)))
                        .commentStrategy(CommentStrategy.READ)
                        .skipEmptyLines(false)
                        .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                        .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                        .maxBufferSize(MAX_RECORD)
                        .ofCsvRecord(in)
                        .iterator();
        headed = false;
    }

    private static char separator(String start) {
        String heading =
                start.lines()
                        .filter(line -> !line.isBlank() && !line.startsWith("#"))
                        .findFirst()
                        .orElse("");
        char best = ',';
        for (char c : new char[] {';', '\t'}) {
            best = count(heading, c) > count(heading, best) ? c : best;
        }
        return best;
    }

    private static long count(String text, char wanted) {
        return text.chars().filter(c -> c == wanted).count();
    }

    @Override
    public final boolean next(ForeignText text) throws IOException {
        try {
            if (!records.hasNext()) {
                return false;
            }
            take(records.next());
            return true;
        } catch (CsvParseException e) {
            throw new ListRefusedException(
                    text.name() + ": not CSV: " + e.getMessage() + Ledger.NO_IMPORT);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void take(CsvRecord csv) throws ListRefusedException {
        List<String> fields = csv.getFields();
        if (csv.isComment() || fields.stream().allMatch(String::isBlank)) {
            return;
        }
        ledger.open(csv.getStartingLineNumber());
        if (!headed) {
            headed = true;
            nameColumns(fields);
            if (heading(fields)) {
                return;
            }
        }
        row(fields);
    }

    /** Names the columns. Names are compared in lower case, by their letters and digits only. */
    final void nameColumns(List<String> names) {
        columns.clear();
        for (int i = 0; i < names.size(); i++) {
            columns.putIfAbsent(letters(names.get(i)), i);
        }
    }

    /** Returns the letters and digits of a heading in lower case. */
    static String letters(String heading) {
        return heading.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }

    /** Returns whether there are columns with all these names. */
    final boolean has(String... names) {
        return columns.keySet().containsAll(List.of(names));
    }

    /**
     * Returns the field in the first of these columns that the file has, without surrounding white
     * space, or an empty string when the file has none of them.
     */
    final String field(List<String> fields, String... names) {
        for (String name : names) {
            Integer place = columns.get(name);
            if (place != null) {
                return place < fields.size() ? HiddenCharacters.strip(fields.get(place)) : "";
            }
        }
        return "";
    }

    /** Returns why a file without the expected columns is refused. */
    final ListRefusedException unknown(List<String> fields, String expected) {
        return ledger.refused(
                "the first line names no columns we know ("
                        + Text.shown(String.join(", ", fields))
                        + "); expected: "
                        + expected);
    }
}
