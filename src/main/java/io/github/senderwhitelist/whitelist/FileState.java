package io.github.senderwhitelist.whitelist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * What tells one content of a file from another without reading it: size, times and identity, of
 * the file a link leads to. Where the system tells the time of the last change of the file's data
 * or name (Unix {@code ctime}), it counts, because nobody can set it back.
 *
 * @param attributes the values, or why there are none
 */
record FileState(Map<String, Object> attributes) {

    /** The state of a file now; a file that is not there has one, too. */
    static FileState of(Path file) {
        try {
            return new FileState(
                    Files.readAttributes(file, "unix:size,lastModifiedTime,ctime,ino,dev"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return portable(file);
        }
    }

    private static FileState portable(Path file) {
        try {
            return new FileState(Files.readAttributes(file, "size,lastModifiedTime,creationTime"));
        } catch (IOException e) {
            return new FileState(Map.of("error", e.getClass().getName()));
        }
    }
}
