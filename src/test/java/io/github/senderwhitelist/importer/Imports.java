package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.list.ListRefusedException;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An import that was read to its end. */
record Imports(
        List<String> lines,
        List<String> reports,
        List<ImportSummary> summaries,
        Subaddressing subaddressing) {
    /** The default settings of the other programs. */
    static final ImportSettings DEFAULT =
            new ImportSettings(true, Subaddressing.NONE, AuthRequirement.NONE, null);

    static Imports of(ForeignFormat format, String... lists) throws IOException {
        List<ForeignList> foreign = new ArrayList<>();
        for (String list : lists) {
            foreign.add(
                    new ForeignList(
                            "list" + (foreign.size() + 1),
                            () -> new ByteArrayInputStream(list.getBytes(UTF_8))));
        }
        return of(format, DEFAULT, foreign);
    }

    static Imports of(ForeignFormat format, ImportSettings settings, Path file) throws IOException {
        return of(
                format,
                settings,
                List.of(new ForeignList(file.toString(), () -> Files.newInputStream(file))));
    }

    static Imports of(ForeignFormat format, ImportSettings settings, List<ForeignList> lists)
            throws IOException {
        List<String> reports = new ArrayList<>();
        Import imported = new Import(format, settings, lists, reports::add, true);
        try (InputStream in = imported.open()) {
            List<String> lines = new String(in.readAllBytes(), UTF_8).lines().toList();
            return new Imports(lines, reports, imported.summaries(), imported.subaddressing());
        } catch (ListRefusedException e) {
            if (imported.summaries().size() < lists.size()
                    || imported.summaries().stream().anyMatch(s -> s.taken() + s.bad() > 0)) {
                throw e;
            }
            // The import was refused for lack of entries, which is fine in tests of single lines.
            return new Imports(List.of(), reports, imported.summaries(), imported.subaddressing());
        }
    }

    ImportSummary summary() {
        return summaries.getFirst();
    }
}
