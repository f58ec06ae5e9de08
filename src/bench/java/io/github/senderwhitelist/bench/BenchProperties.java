package io.github.senderwhitelist.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The system properties {@code bench.*} of a run; an empty one stands for its default. */
final class BenchProperties {
    private BenchProperties() {}

    static long number(String name, long byDefault) {
        String text = text(name);
        return text.isEmpty() ? byDefault : Long.parseLong(text);
    }

    static String text(String name) {
        return System.getProperty("bench." + name, "").trim();
    }

    /** Returns whether {@code bench.only}, a list with commas, is empty or has this name in it. */
    static boolean wanted(String name) {
        String only = text("only");
        return only.isEmpty() || ("," + only + ",").contains("," + name + ",");
    }

    /** Creates a folder in {@code bench.dir}, by default in the folder for temporary files. */
    static Path folder() throws IOException {
        String dir = text("dir");
        return dir.isEmpty()
                ? Files.createTempDirectory("swl-bench-")
                : Files.createTempDirectory(Files.createDirectories(Path.of(dir)), "swl-bench-");
    }
}
