package io.github.senderwhitelist.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A file system that a test mounts. Where it may not, which takes root, the test is left out. */
public final class Mount implements Closeable {
    private final Path at;

    private Mount(Path at, String... options) throws IOException {
        Files.createDirectories(at);
        List<String> command = new ArrayList<>(List.of("mount"));
        command.addAll(List.of(options));
        command.add(at.toString());
        assumeTrue(run(command), "left out, since this user may not " + command);
        this.at = at;
    }

    /** Mounts an empty file system in memory. */
    public static Mount ofSize(String size, Path at) throws IOException {
        return new Mount(at, "-t", "tmpfs", "-o", "size=" + size, "none");
    }

    /** Shows a folder at another place once more, read-only. */
    static Mount readOnly(Path folder, Path at) throws IOException {
        Mount mount = new Mount(at, "--bind", folder.toString());
        assertThat(run(List.of("mount", "-o", "remount,ro,bind", at.toString()))).isTrue();
        return mount;
    }

    private static boolean run(List<String> command) {
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
        } catch (IOException | InterruptedException e) {
            return false;
        }
    }

    /** Returns where it is. */
    public Path path() {
        return at;
    }

    @Override
    public void close() {
        // Lazily: the library of SQLite may have been unpacked there, and be in use.
        assertThat(run(List.of("umount", "-l", at.toString()))).isTrue();
    }
}
