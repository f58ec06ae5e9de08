package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.snapshot.ListSource;

import java.io.IOException;
import java.nio.file.Path;

/** The lists that commands are given, and the place for what is temporary. */
final class Lists {
    private Lists() {}

    /**
     * Returns the file of that name.
     *
     * @throws IOException when it cannot be a list: a pipe could be read only once, and a device
     *     may have no end
     */
    static Path existing(String name) throws IOException {
        Path file = Path.of(name);
        Disk.LOCAL.open(file).close();
        return file;
    }

    /** Returns the text list on standard input, which can be read once. */
    static ListSource standardInput() {
        return new ListSource("standard input", -1, () -> System.in);
    }

    /** Returns the list that is named on the command line; {@code -} is standard input. */
    static ListSource source(String name) throws IOException {
        return name.equals("-") ? standardInput() : ListSource.of(Disk.LOCAL, existing(name));
    }

    /** Returns the system's folder for temporary files. */
    static Scratch scratch() {
        return new Scratch(Disk.LOCAL, Path.of(System.getProperty("java.io.tmpdir")));
    }
}
