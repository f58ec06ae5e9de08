package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.list.ListRefusedException;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An import that was read to its end. */
record Imports(
        List<String> lines,
        List<String> reports,
        List<String> counts,
        Subaddressing subaddressing) {
    /** The default settings of the other programs, and an address book of sam's. */
    static final Import.Settings DEFAULT = settings(AuthRequirement.NONE);

    static Import.Settings settings(AuthRequirement auth) {
        var sam = ((WellFormed) AddressSyntax.parse("Sam@Here.Example")).address();
        return new Import.Settings(true, Subaddressing.NONE, auth, sam);
    }

    static Import.Source list(String name, byte[] bytes) {
        return new Import.Source(name, () -> new ByteArrayInputStream(bytes));
    }

    static Import.Source file(Path file) {
        return new Import.Source(file.toString(), () -> Files.newInputStream(file));
    }

    static Imports of(ForeignFormat format, String... lists) throws IOException {
        List<Import.Source> foreign = new ArrayList<>();
        for (String list : lists) {
            foreign.add(list("list" + (foreign.size() + 1), list.getBytes(UTF_8)));
        }
        return of(format, DEFAULT, foreign);
    }

    static Imports of(ForeignFormat format, byte[] list) throws IOException {
        return of(format, DEFAULT, List.of(list("list1", list)));
    }

    static Imports of(ForeignFormat format, Import.Settings settings, List<Import.Source> lists)
            throws IOException {
        List<String> reports = new ArrayList<>();
        Import imported = new Import(format, settings, lists, reports::add);
        List<String> lines = List.of();
        try (imported) {
            lines = new String(imported.readAllBytes(), UTF_8).lines().toList();
        } catch (ListRefusedException e) {
            // An import is refused for lack of entries, which is fine in tests of single lines.
            if (reports.isEmpty() || !e.reason().startsWith("no line lists a sender")) {
                throw e;
            }
        }
        return new Imports(lines, reports, imported.counts(), imported.subaddressing());
    }

    String count() {
        return counts.getFirst();
    }
}
