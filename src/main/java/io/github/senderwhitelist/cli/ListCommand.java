package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.EntryWalk;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.database.UsageTable;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.living.ListName;
import io.github.senderwhitelist.mailet.settings.ListDefinition;
import io.github.senderwhitelist.mailet.settings.ListDefinition.DatabaseSource;
import io.github.senderwhitelist.mailet.settings.Parameters;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A command that takes lists: files, or names of James' configuration or of a database. What has
 * the form of a name is one, if it is defined, and else a file; {@code ./own} is always a file.
 * With {@code --database} each name is one of that database, defined or not. A mistyped name is
 * never taken for a new list.
 */
abstract class ListCommand extends Subcommand {
    private static final String ELSEWHERE =
            "run this in James' folder, or give --conf DIR or --database URL";

    @Option(names = "--conf", order = 90, description = "James' folder conf (default: ./conf).")
    private Path conf = JamesFolder.DEFAULT;

    @Option(names = "--database", order = 91, description = "Its URL, as lists in conf have it.")
    @Nullable String database;

    /** Where a list is: in a file, or in a database. */
    sealed interface Where permits InFile, DatabaseList.Name {}

    /** A text list or a snapshot, which only its content tells. */
    private record InFile(Path file, Path workDirectory) implements Where {}

    /** A list that is open to be read. Commands that only read do not know where it is. */
    interface OpenList extends Closeable {
        SenderList lines();

        /** Returns a walk through the entries with rules, all or those for one recipient. */
        EntryWalk walk(@Nullable Key to) throws IOException;
    }

    /** The use of a list's lines, and whether other servers count by themselves. */
    record Usage(UsageTable table, boolean ofThisServerOnly) {}

    final JamesFolder james() {
        return new JamesFolder(conf);
    }

    /**
     * Opens a list to read it until the command ends.
     *
     * @param name its name, or the name or URL of a file
     * @param filters whether to load filters, which pays only for many questions
     */
    final OpenList open(String name, boolean filters) throws IOException {
        return untilEnd(
                find(name) instanceof InFile(Path file, Path workDirectory)
                        ? FileList.open(file, filters, err)
                        : openLiving(name));
    }

    /** Opens what servers have counted of the use of a list. */
    final Usage usage(String name) throws IOException {
        if (!(find(name) instanceof InFile(Path file, Path workDirectory))) {
            return new Usage(openLiving(name).database().usage(name), false);
        }
        String path = file.toAbsolutePath().normalize().toString();
        DatabaseSource source = DatabaseSource.usage(workDirectory);
        Database database = untilEnd(DatabaseList.database(source, null));
        if (!database.lists().contains(path)) {
            String counted = String.join(", ", database.lists());
            throw new IOException(
                    "%s: its use is not counted in %s, only that of: %s"
                            .formatted(path, source, counted));
        }
        return new Usage(database.usage(path), true);
    }

    /** Finds a living list. A list in a file is refused, which people edit. */
    final DatabaseList.Name living(String name) throws IOException {
        String shown = Text.shown(name);
        if (ListName.isAllowed(name)) {
            if (find(name) instanceof DatabaseList.Name living) {
                return living;
            }
        } else if (!Disk.LOCAL.state(james().file(name)).isRegular()) {
            throw new IOException(
                    "'%s': no name of a living list; allowed: %s. Nothing was done"
                            .formatted(shown, ListName.ALLOWED));
        }
        throw new IOException(
                shown + ": a list in a file; edit that, James reads it again. Nothing was done");
    }

    /** Opens a living list, which is there, until the command ends. */
    final DatabaseList openLiving(String name) throws IOException {
        return untilEnd(living(name).open(null));
    }

    /** Finds all living lists: of the database that is given, or of James' configuration. */
    final List<DatabaseList.Name> allLiving() throws IOException {
        List<DatabaseList.Name> all = new ArrayList<>();
        if (database != null) {
            DatabaseSource source = james().given(database);
            try (Database opened = DatabaseList.database(source, null)) {
                for (String name : opened.lists()) {
                    all.add(new DatabaseList.Name(name, source));
                }
            }
            return all;
        }
        for (Map.Entry<String, Parameters> list : james().lists().entrySet()) {
            if (defined(list.getKey(), list.getValue()) instanceof DatabaseList.Name living) {
                all.add(living);
            }
        }
        if (all.isEmpty()) {
            throw new IOException(
                    "no list in a database in " + james().definitions() + "; " + ELSEWHERE);
        }
        return all;
    }

    /** Finds out where a list is, without looking into it. */
    private Where find(String name) throws IOException {
        if (name.isEmpty()) {
            throw wrong("a list without a name; allowed: a file, or a name, between two commas");
        }
        JamesFolder james = james();
        Path file = james.file(name);
        if (ListName.hasForm(name)) {
            if (database != null) {
                return new DatabaseList.Name(name, james.given(database));
            }
            Map<String, Parameters> lists = james.lists();
            Parameters list = lists.get(name);
            if (list != null) {
                return defined(name, list);
            }
            if (Disk.LOCAL.state(file).type() == FileState.Type.MISSING) {
                String allowed = "allowed: " + String.join(", ", lists.keySet()) + ", or a file";
                String how = lists.isEmpty() ? ELSEWHERE : allowed;
                throw new IOException(
                        "no list '%s' in %s, and no such file; %s. Nothing was done"
                                .formatted(name, james.definitions(), how));
            }
        }
        return new InFile(file, james.file("file://var/whitelist"));
    }

    private static Where defined(String name, Parameters list) throws IOException {
        return switch (JamesFolder.definition(name, list)) {
            case ListDefinition.Living living -> new DatabaseList.Name(name, living.source());
            case ListDefinition.OfFile file ->
                    new InFile(file.source(), file.settings().workDirectory());
        };
    }
}
