package io.github.senderwhitelist.importer;

import static io.github.senderwhitelist.tools.SmallLists.address;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.list.ListRefusedException;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An import that was read to its end; of an address book, sam's. */
record Imports(List<String> lines, List<String> reports) {
    static Import.Source list(String name, byte[] bytes) {
        return new Import.Source(name, () -> new ByteArrayInputStream(bytes));
    }

    static Import.Source list(String name, String text) {
        return list(name, text.getBytes(UTF_8));
    }

    static Import.Source file(Path file) {
        return new Import.Source(file.toString(), () -> Files.newInputStream(file));
    }

    /** Imports lists that are called list1, list2, and so on. */
    static Imports of(Import.Format format, String... lists) throws IOException {
        List<Import.Source> foreign = new ArrayList<>();
        for (String list : lists) {
            foreign.add(list("list" + (foreign.size() + 1), list));
        }
        return of(format, true, foreign);
    }

    static Imports of(Import.Format format, boolean parentDomains, List<Import.Source> lists)
            throws IOException {
        List<String> reports = new ArrayList<>();
        Import imported =
                new Import(format, parentDomains, address("Sam@Here.Example"), lists, reports::add);
        List<String> lines = List.of();
        try (imported) {
            lines = new String(imported.readAllBytes(), UTF_8).lines().toList();
        } catch (ListRefusedException e) {
            // An import is refused for lack of entries, which is fine in tests of single lines.
            if (reports.isEmpty() || !e.reason().startsWith("no line lists a sender")) {
                throw e;
            }
        }
        return new Imports(lines, reports);
    }
}
