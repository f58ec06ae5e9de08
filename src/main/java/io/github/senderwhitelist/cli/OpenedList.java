package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.whitelist.Generation;
import io.github.senderwhitelist.whitelist.ListLoader;
import io.github.senderwhitelist.whitelist.ListLoader.Loaded;
import io.github.senderwhitelist.whitelist.ListSettings;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A list opened for one command; the snapshot of a text list is made in a temporary folder and goes
 * with it.
 */
final class OpenedList implements Closeable {
    /** Names the process, so that a folder left by a killed one can be told. */
    static final String FOLDER_PREFIX =
            "james-sender-whitelist-" + ProcessHandle.current().pid() + "-";

    private final Path folder;
    private final Loaded loaded;

    private OpenedList(Path folder, Loaded loaded) {
        this.folder = folder;
        this.loaded = loaded;
    }

    /**
     * Opens a list.
     *
     * @param manyQuestions whether it pays to load the filters of a snapshot
     */
    static OpenedList open(Path list, boolean manyQuestions) throws IOException {
        Path folder = Files.createTempDirectory(FOLDER_PREFIX);
        try {
            ListLoader loader = new ListLoader(settings(list, folder));
            return new OpenedList(
                    folder,
                    !manyQuestions && Files.isRegularFile(list) && ListLoader.isSnapshot(list)
                            ? loader.loadWithoutFilters()
                            : loader.load());
        } catch (IOException | RuntimeException | Error e) {
            delete(folder);
            throw e;
        }
    }

    private static ListSettings settings(Path list, Path folder) {
        return new ListSettings(
                list,
                FilterOptions.DEFAULT,
                true,
                0,
                Duration.ofMinutes(10),
                Duration.ofSeconds(5),
                1,
                folder);
    }

    Generation generation() {
        return loaded.generation();
    }

    /** The bad lines that were skipped, one message each. */
    List<String> warnings() {
        BuildReport report = loaded.report();
        return report == null ? List.of() : warnings(report);
    }

    /** The same of any list that was read. */
    static List<String> warnings(BuildReport report) {
        if (report.badLines() == 0) {
            return List.of();
        }
        List<String> warnings = new ArrayList<>(report.complaints());
        warnings.add(report.badLines() + " bad lines were skipped");
        return warnings;
    }

    @Override
    public void close() throws IOException {
        loaded.generation().retire();
        delete(folder);
    }

    /** Deletes a folder and all in it. */
    static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
