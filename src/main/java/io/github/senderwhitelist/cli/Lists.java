package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.snapshot.ListSource;

import java.io.IOException;
import java.nio.file.Path;

/** Finds the lists that commands are given, and the folder for temporary files. */
final class Lists {
    private Lists() {}

    /**
     * Returns the regular file with this name.
     *
     * @throws IOException when it is missing, may not be read, or is a folder, a pipe or a device
     */
    static Path existing(String name) throws IOException {
        Path file = Path.of(name);
        Disk.LOCAL.open(file).close();
        return file;
    }

    /** Returns the text list on standard input. It can be read once. */
    static ListSource standardInput() {
        return new ListSource("standard input", -1, () -> System.in);
    }

    /** Returns the list that an argument names. {@code -} stands for standard input. */
    static ListSource source(String name) throws IOException {
        return name.equals("-") ? standardInput() : ListSource.of(Disk.LOCAL, existing(name));
    }

    /** Returns the system's folder for temporary files. */
    static Scratch scratch() {
        return new Scratch(Disk.LOCAL, Path.of(System.getProperty("java.io.tmpdir")));
    }
}
