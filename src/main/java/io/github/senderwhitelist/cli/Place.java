package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.living.ListName;
import io.github.senderwhitelist.mailet.settings.ListDefinition;
import io.github.senderwhitelist.mailet.settings.ListDefinition.DatabaseSource;
import io.github.senderwhitelist.mailet.settings.Parameters;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the argument LIST means: a file, or a name of James' configuration or of a database.
 *
 * <p>What has the form of a name is one, if it is defined, and else a file; {@code ./own} is always
 * a file. With {@code --database} each name is one of that database, defined or not, since nobody
 * who names a database means a file beside it. A mistyped name is never taken for a new list.
 */
final class Place {
    /** Whether a database was opened, whose driver cleans up when the process ends. */
    static volatile boolean databaseWasOpened;

    @Option(names = "--conf", description = "James' folder of configurations (default: conf).")
    private Path conf = JamesFolder.DEFAULT;

    @Option(names = "--database", description = "The URL of a database, as lists in conf have it.")
    private @Nullable String database;

    /** What the name of a list stands for: a file, or a list in a database. */
    interface Named {
        /**
         * Opens the list.
         *
         * @param filters whether to load filters, which pays only for many questions
         * @param complaints take the lines of a text list that were skipped
         */
        OpenList open(boolean filters, Complaints complaints) throws IOException;
    }

    private static Named inFile(Path file) {
        return (filters, complaints) -> FileList.open(file, filters, complaints);
    }

    /** Returns James' folder. */
    JamesFolder james() {
        return new JamesFolder(conf);
    }

    /**
     * Finds a list by the name of a list, or of a file, or the URL of a file.
     *
     * @throws IOException if the configuration cannot be read, or has no such list
     */
    Named find(String name) throws IOException {
        JamesFolder james = james();
        if (!ListName.hasForm(name)) {
            return inFile(james.file(name));
        }
        if (database != null) {
            return new DatabaseList.Name(name, james.given(database), false);
        }
        Map<String, Parameters> defined = james.lists();
        Parameters list = defined.get(name);
        if (list != null) {
            return defined(name, list);
        }
        if (Disk.LOCAL.state(Path.of(name)).type() != FileState.Type.MISSING) {
            return inFile(Path.of(name));
        }
        String allowed =
                defined.isEmpty()
                        ? "run this in James' folder, or give --conf DIR or --database URL"
                        : "allowed: " + String.join(", ", defined.keySet()) + ", or a file";
        throw new IOException(
                "no list '%s' in %s, and no such file; %s. Nothing was done"
                        .formatted(name, james.definitions(), allowed));
    }

    /** Returns what James' configuration defines. */
    private static Named defined(String name, Parameters list) throws IOException {
        return switch (JamesFolder.definition(name, list)) {
            case ListDefinition.OfFile file -> inFile(file.source());
            case ListDefinition.Living living -> new DatabaseList.Name(name, living.source(), true);
        };
    }

    /**
     * Finds a living list.
     *
     * @throws IOException also if the list is one in a file, which people edit
     */
    DatabaseList.Name living(String name) throws IOException {
        if (!ListName.isAllowed(name)) {
            throw new IOException(
                    "'%s': no name of a living list; allowed: %s. Nothing was done"
                            .formatted(Text.shown(name), ListName.ALLOWED));
        }
        if (find(name) instanceof DatabaseList.Name living) {
            return living;
        }
        throw new IOException(
                name + ": a list in a file; edit that, James reads it again. Nothing was done");
    }

    /** Finds all living lists: of the database that is given, or of James' configuration. */
    List<DatabaseList.Name> allLiving() throws IOException {
        JamesFolder james = james();
        List<DatabaseList.Name> all = new ArrayList<>();
        if (database != null) {
            DatabaseSource source = james.given(database);
            try (Database opened = DatabaseList.database(source, null)) {
                opened.lists().forEach(name -> all.add(new DatabaseList.Name(name, source, false)));
            }
            return all;
        }
        for (Map.Entry<String, Parameters> list : james.lists().entrySet()) {
            if (defined(list.getKey(), list.getValue()) instanceof DatabaseList.Name living) {
                all.add(living);
            }
        }
        if (all.isEmpty()) {
            throw new IOException(
                    "no list in a database in "
                            + james.definitions()
                            + "; run this in James' folder, or give --conf DIR or --database URL");
        }
        return all;
    }
}
