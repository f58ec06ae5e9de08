package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.HiddenCharacters;

import java.io.IOException;
import java.util.function.Consumer;

/** Reads lists in which every line stands for itself and {@code #} begins a comment. */
final class SimpleLines implements Importer.ListReader {
    private final LineReader lines;
    private final Ledger ledger;
    private final Consumer<String> entries;

    /**
     * Makes a reader.
     *
     * @param entries takes each line that is not blank, without comment and white space around it;
     *     it is open in the ledger
     */
    SimpleLines(LineReader lines, Ledger ledger, Consumer<String> entries) {
        this.lines = lines;
        this.ledger = ledger;
        this.entries = entries;
    }

    @Override
    public boolean next() throws IOException {
        Line line = lines.next();
        if (line == null) {
            return false;
        }
        String text = HiddenCharacters.strip(line.text().replaceFirst("(?:^|\\s)#.*", ""));
        if (text.isEmpty()) {
            ledger.blank(1);
            return true;
        }
        ledger.open(line);
        if (line.cut()) {
            ledger.bad(text, LineReader.CUT);
        } else {
            entries.accept(text);
        }
        return true;
    }
}
