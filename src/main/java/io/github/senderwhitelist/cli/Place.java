package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.cli.JamesFolder.Definition;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.living.ListName;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The options that say where a LIST is that is no file: in James' folder, whose {@code conf} names
 * lists and their databases, or in a database.
 */
final class Place {
    @Option(
            names = "--conf",
            paramLabel = "DIR",
            description = "James' folder of configurations (default: conf, where there is one).")
    private Path conf = JamesFolder.DEFAULT;

    @Option(
            names = "--database",
            paramLabel = "URL",
            description = "Another database; conf has user and password of PostgreSQL.")
    private @Nullable String database;

    /** What the name of a list stands for. */
    sealed interface Named {}

    /** A list in a file. */
    record InFile(Path file) implements Named {}

    /**
     * A list in a database.
     *
     * @param isDefined whether {@code whitelists.xml} defines it
     */
    record InDatabase(String name, DatabaseUrl database, boolean isDefined) implements Named {}

    /** Returns James' folder. */
    JamesFolder james() {
        return new JamesFolder(conf);
    }

    /**
     * Finds a list.
     *
     * @param name the name of a list, or a file, or the URL of a file
     * @throws IOException if the configuration cannot be read, or a name is that of neither
     */
    Named find(String name) throws IOException {
        if (!ListName.hasForm(name)) {
            return new InFile(JamesFolder.isUrl(name) ? james().resolve(name) : Path.of(name));
        }
        if (database != null) {
            return new InDatabase(name, given(database), false);
        }
        Map<String, Definition> defined = james().lists();
        Definition list = defined.get(name);
        if (list != null) {
            return list.isDatabase()
                    ? new InDatabase(name, configured(list), true)
                    : new InFile(james().resolve(list.source()));
        }
        if (Disk.LOCAL.state(Path.of(name)).type() != FileState.Type.MISSING) {
            return new InFile(Path.of(name));
        }
        throw new IOException(
                (defined.isEmpty()
                                ? "'%s': no such file, and no list of that name, since there is no"
                                        + " %s that defines any; run this in James' folder, or give"
                                        + " --conf DIR or --database URL. Nothing was done"
                                : "no list '%s' in %s, and no such file; allowed: %s, or a file."
                                        + " Nothing was done")
                        .formatted(
                                name, james().definitions(), String.join(", ", defined.keySet())));
    }

    /** Finds a living list. */
    InDatabase living(String name) throws IOException {
        if (!ListName.isAllowed(name)) {
            throw new IOException(
                    "'%s': no name of a living list; allowed: %s. Nothing was done"
                            .formatted(Text.shown(name), ListName.ALLOWED));
        }
        return switch (find(name)) {
            case InDatabase list -> list;
            case InFile(Path file) ->
                    throw new IOException(
                            ("%s: a list in the file %s; allowed: one in a database. Edit the file,"
                                            + " James reads it again by itself. Nothing was done")
                                    .formatted(name, file));
        };
    }

    /** Finds living lists by their names, or all: of the database that is given, or of conf. */
    List<InDatabase> allLiving(List<String> names) throws IOException {
        List<InDatabase> all = new ArrayList<>();
        for (String name : names) {
            all.add(living(name));
        }
        if (!names.isEmpty()) {
            return all;
        }
        if (database != null) {
            DatabaseUrl url = given(database);
            try (Database opened = url.open(false)) {
                opened.lists().forEach(name -> all.add(new InDatabase(name, url, false)));
            }
            return all;
        }
        for (Map.Entry<String, Definition> list : james().lists().entrySet()) {
            if (list.getValue().isDatabase()) {
                all.add(new InDatabase(list.getKey(), configured(list.getValue()), true));
            }
        }
        if (all.isEmpty()) {
            throw new IOException(
                    james().definitions()
                            + ": no such file, or no list in a database there; run this in James'"
                            + " folder, or give --conf DIR or --database URL");
        }
        return all;
    }

    private DatabaseUrl configured(Definition list) throws IOException {
        return DatabaseUrl.of(list.source(), james(), list.user(), james().password(list));
    }

    /** Returns a database that is given, with the user and password that conf has for it. */
    private DatabaseUrl given(String url) throws IOException {
        if (!url.startsWith(DatabaseUrl.SQLITE)) {
            for (Definition list : james().lists().values()) {
                if (list.source().equals(url)) {
                    return configured(list);
                }
            }
        }
        return DatabaseUrl.of(url, james(), "", "");
    }
}
