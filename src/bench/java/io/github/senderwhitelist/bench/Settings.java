package io.github.senderwhitelist.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The system properties {@code bench.*} of a run; an empty one means its default. */
final class Settings {
    private Settings() {}

    static long number(String name, long byDefault) {
        String text = text(name);
        return text.isEmpty() ? byDefault : Long.parseLong(text);
    }

    static String text(String name) {
        return System.getProperty("bench." + name, "").trim();
    }

    /**
     * Returns whether {@code bench.only} is empty or contains this name. Names are separated by
     * commas.
     */
    static boolean wanted(String name) {
        String only = text("only");
        return only.isEmpty() || ("," + only + ",").contains("," + name + ",");
    }

    /**
     * Makes a new folder in {@code bench.dir}, by default in the system's folder for temporary
     * files.
     */
    static Path folder() throws IOException {
        String dir = text("dir");
        return dir.isEmpty()
                ? Files.createTempDirectory("swl-bench-")
                : Files.createTempDirectory(Files.createDirectories(Path.of(dir)), "swl-bench-");
    }
}
