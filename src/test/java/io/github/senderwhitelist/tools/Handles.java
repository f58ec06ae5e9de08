package io.github.senderwhitelist.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What this process holds open, as Linux reports it. */
public final class Handles {
    private static final Path FILES = Path.of("/proc/self/fd");
    private static final Path MAPPINGS = Path.of("/proc/self/maps");

    private Handles() {}

    /** Whether the system reports it. */
    public static boolean areTold() {
        return Files.isDirectory(FILES) && Files.isReadable(MAPPINGS);
    }

    /** The open files whose names have this in them, deleted ones included. */
    public static List<String> files(String name) throws IOException {
        List<String> open = new ArrayList<>();
        try (Stream<Path> handles = Files.list(FILES)) {
            for (Path handle : handles.toList()) {
                try {
                    open.add(Files.readSymbolicLink(handle).toString());
                } catch (NoSuchFileException e) {
                    // Closed meanwhile, as the one that lists them is.
                }
            }
        }
        return open.stream().filter(file -> file.contains(name)).toList();
    }

    /** The mapped files whose names have this in them. */
    public static List<String> mappings(String name) throws IOException {
        return Files.readAllLines(MAPPINGS).stream().filter(line -> line.contains(name)).toList();
    }

    /** The threads alive whose names have this in them. */
    public static List<String> threads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(thread -> thread.contains(name))
                .toList();
    }
}
