package io.github.senderwhitelist.tools;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Folders of tests and measurements. */
public final class Folders {
    private Folders() {}

    /** Makes a folder that is deleted when this Java ends. */
    public static Path ofThisJava(String name) {
        try {
            Path folder = Files.createTempDirectory(name);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Deletes a folder, if it is there, with all that is in it. */
    public static void delete(Path folder) {
        try {
            if (Files.exists(folder)) {
                MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
