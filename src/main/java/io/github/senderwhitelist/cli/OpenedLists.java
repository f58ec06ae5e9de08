package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.living.ListName;
import io.github.senderwhitelist.snapshot.BuildProgress;
import io.github.senderwhitelist.snapshot.BuildResources;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The lists in which one command looks senders up. */
final class OpenedLists implements Closeable {
    /** The memory for sorting a text list, in bytes. Larger lists are sorted on the disk. */
    private static final long BUILD_MEMORY = 48L << 20;

    private static final String DEFINITIONS = "whitelists.xml";
    private static final String SQLITE = "jdbc:sqlite:";

    private final PlaceOptions place;
    private final boolean filters;
    private final List<SenderList> lists = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final List<Closeable> opened = new ArrayList<>();
    private final Map<String, Database> databases = new HashMap<>();

    private OpenedLists(PlaceOptions place, boolean filters) {
        this.place = place;
        this.filters = filters;
    }

    /**
     * Opens lists.
     *
     * @param names files, {@code -} for a text list on standard input, and names of lists that
     *     {@code conf} or the database has
     * @param conf James' folder with {@code whitelists.xml}, or null
     * @param place where the database is
     * @param filters whether to load the filters, which pays only for many questions
     */
    static OpenedLists open(
            List<String> names, @Nullable Path conf, PlaceOptions place, boolean filters)
            throws IOException {
        OpenedLists all = new OpenedLists(place, filters);
        try {
            Map<String, String> defined =
                    conf == null ? Map.of() : DefinedLists.sources(conf.resolve(DEFINITIONS));
            for (String name : names) {
                all.open(name, conf, defined);
            }
            return all;
        } catch (IOException | RuntimeException | Error e) {
            all.close();
            throw e;
        }
    }

    private void open(String name, @Nullable Path conf, Map<String, String> defined)
            throws IOException {
        String source = defined.get(name);
        boolean isName = ListName.hasForm(name) && (conf != null || place.isInDatabase());
        if (!isName) {
            openFile(
                    conf != null && ConfigFile.isUrl(name)
                            ? ConfigFile.resolve(conf, name).toString()
                            : name);
        } else if (source != null && conf != null && !DefinedLists.isDatabase(source)) {
            openFile(ConfigFile.resolve(conf, source).toString());
        } else if (place.isInDatabase()) {
            openTable(name, null);
        } else if (source != null && conf != null && source.startsWith(SQLITE)) {
            openTable(name, SQLITE + ConfigFile.resolve(conf, source.substring(SQLITE.length())));
        } else if (source != null) {
            throw new IOException(
                    "'"
                            + name
                            + "' is in PostgreSQL; give --database URL, --user and --password-file,"
                            + " too");
        } else {
            Path file = Lists.existing(Path.of(conf + "/" + DEFINITIONS));
            throw new IOException(
                    "no list '"
                            + name
                            + "' in "
                            + file
                            + "; allowed: "
                            + String.join(", ", defined.keySet())
                            + ", or a file, such as ./"
                            + name);
        }
    }

    private void openFile(String name) throws IOException {
        try (ProgressDisplay progress = new ProgressDisplay(ProgressDisplay.onTerminal())) {
            Lists.OpenedSnapshot snapshot = Lists.open(name, filters, () -> builder(progress));
            Generation generation =
                    Generation.exact(snapshot.snapshot(), 0, Duration.ofMinutes(10));
            opened.add(generation::retire);
            warnings.addAll(snapshot.warnings());
            lists.add(() -> generation);
        }
    }

    /** Opens a list of a database; null is the one that the command line gives. */
    private void openTable(String name, @Nullable String url) throws IOException {
        String key = url == null ? "" : url;
        Database database = databases.get(key);
        if (database == null) {
            database = url == null ? place.openDatabase() : place.openDatabase(url);
            databases.put(key, database);
            opened.add(database);
        }
        place.requireList(database, name);
        SenderLines lines = new TableLines(name, database.record(name));
        lists.add(() -> lines);
    }

    /** Returns what builds the snapshot of a text list. */
    private static SnapshotBuilder builder(BuildProgress progress) {
        return new SnapshotBuilder(
                FilterDefaults.OPTIONS,
                new BuildResources(BUILD_MEMORY, Lists.scratch()),
                new SecureRandom().nextLong(),
                System.currentTimeMillis(),
                progress);
    }

    /** Returns the lists in the order of their names. */
    List<SenderList> lists() {
        return lists;
    }

    /** Returns the messages about bad lines that were skipped. */
    List<String> warnings() {
        return warnings;
    }

    @Override
    public void close() throws IOException {
        for (Closeable each : opened) {
            each.close();
        }
    }
}
