package io.github.senderwhitelist.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Folders of tests and measurements. */
public final class Folders {
    private Folders() {}

    /** Makes a folder that is deleted when this Java ends. */
    public static Path ofThisJava(String name) {
        try {
            Path folder = Files.createTempDirectory(name);
            Runtime.getRuntime()
                    .addShutdownHook(
                            new Thread(
                                    () -> {
                                        try {
                                            delete(folder);
                                        } catch (IOException e) {
                                            throw new UncheckedIOException(e);
                                        }
                                    }));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Deletes a folder, if it is there, with all that is in it. */
    public static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
