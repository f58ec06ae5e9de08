package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.TextSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The lists that commands are given, found and opened. */
final class Lists {
    /** The largest exact store that is held in memory for many questions, in bytes. */
    private static final long STORE_IN_MEMORY = 64L << 20;

    private Lists() {}

    /**
     * Returns a regular file.
     *
     * @throws IOException if it is missing, may not be read, or is a folder, a pipe or a device
     */
    static Path existing(Path file) throws IOException {
        if (file.toString().isEmpty()) {
            throw new IOException("'': no file has an empty name; allowed: the name of a file");
        }
        OthersFolders.refuseLinks(file);
        Disk.LOCAL.open(file).close();
        return file;
    }

    /** Returns the text list that an argument names. {@code -} stands for standard input. */
    static TextSource text(String name) throws IOException {
        TextSource source = source(name);
        if (isSnapshot(name)) {
            throw new IOException(
                    name
                            + ": a snapshot; allowed: a text list. Nothing was written. The command"
                            + " export prints a snapshot's entries as text");
        }
        return source;
    }

    /** Returns the list that an argument names. {@code -} stands for standard input. */
    private static TextSource source(String name) throws IOException {
        if (name.equals("-")) {
            return new TextSource("standard input", -1, StandardInput::new);
        }
        Path file = existing(Path.of(name));
        long size = Disk.LOCAL.state(file).size();
        return new TextSource(file.toString(), size, () -> UnchangedInput.open(file));
    }

    /** Returns whether an argument names a snapshot. Standard input is none. */
    private static boolean isSnapshot(String name) throws IOException {
        return !name.equals("-") && Snapshot.isSnapshot(Disk.LOCAL, Path.of(name));
    }

    /**
     * A list opened as a snapshot.
     *
     * @param snapshot the snapshot, which the caller must close
     * @param warnings the messages about bad lines that were skipped
     */
    record OpenedSnapshot(Snapshot snapshot, List<String> warnings) {}

    /**
     * Opens a list as a snapshot. A text list is built into a temporary snapshot, of which nothing
     * remains when the program ends, however it ends.
     *
     * @param name a file, or {@code -} for a text list on standard input
     * @param filters whether to load the filters, for many questions by one thread
     * @param builder makes what builds the snapshot of a text list
     */
    static OpenedSnapshot open(String name, boolean filters, Supplier<SnapshotBuilder> builder)
            throws IOException {
        TextSource source = source(name);
        Path file = Path.of(source.name());
        if (isSnapshot(name)) {
            return new OpenedSnapshot(
                    filters
                            ? Snapshot.open(Disk.LOCAL, file, STORE_IN_MEMORY)
                            : Snapshot.openStore(Disk.LOCAL, file),
                    List.of());
        }
        DiskFile temporary = scratch().create();
        try {
            BuildReport report = builder.get().build(List.of(source), temporary, file);
            return new OpenedSnapshot(
                    filters ? Snapshot.open(temporary, file) : Snapshot.openStore(temporary, file),
                    warnings(report));
        } catch (IOException | RuntimeException | Error e) {
            temporary.close();
            throw e;
        }
    }

    /** Returns the messages about bad lines that a build skipped. */
    static List<String> warnings(BuildReport report) {
        return warnings(report.badLines(), report.complaints());
    }

    /**
     * Returns the messages about bad lines that were skipped.
     *
     * @param complaints the first of them
     */
    static List<String> warnings(long badLines, List<String> complaints) {
        if (badLines == 0) {
            return List.of();
        }
        List<String> warnings = new ArrayList<>(complaints);
        warnings.add(Numbers.count(badLines, "bad line was", "bad lines were") + " skipped");
        return warnings;
    }

    /** Returns the system's folder for temporary files. */
    static Scratch scratch() {
        return new Scratch(Disk.LOCAL, Path.of(System.getProperty("java.io.tmpdir")));
    }
}
