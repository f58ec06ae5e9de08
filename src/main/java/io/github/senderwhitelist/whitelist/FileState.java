package io.github.senderwhitelist.whitelist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What tells one content of a file from another without reading it: size, times and identity, of
 * the file a link leads to. Where the system tells the time of the last change of the file's data,
 * name or permissions (Unix {@code ctime}), it counts, because nobody can set it back.
 *
 * @param attributes the values, or why there are none
 */
record FileState(Map<String, Object> attributes) {
    private static final String CHANGED = "ctime";
    private static final String MODIFIED = "lastModifiedTime";

    /** Between changes that a file system's clock tells apart, when it has fractions of seconds. */
    private static final Duration FINE = Duration.ofMillis(250);

    /** And when it counts whole seconds, or two at a time as FAT does. */
    private static final Duration COARSE = Duration.ofMillis(2_250);

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
            Map<String, Object> attributes =
                    new HashMap<>(
                            Files.readAttributes(
                                    file, "size,lastModifiedTime,creationTime,fileKey"));
            attributes.put("readable", Files.isReadable(file));
            return new FileState(attributes);
        } catch (IOException e) {
            return new FileState(Map.of("error", e.getClass().getName()));
        }
    }

    /**
     * How long the file must stay in this state to stand still. After that time every change gives
     * it another state, even one that keeps the size, because the clock has moved on.
     */
    Duration settleTime() {
        return lastChange().to(TimeUnit.NANOSECONDS) % 1_000_000_000 == 0 ? COARSE : FINE;
    }

    /** Whether the file may not stand still yet, going by the clock. */
    boolean isFresh(Instant now) {
        Duration age = Duration.between(lastChange().toInstant(), now);
        return age.compareTo(settleTime()) < 0;
    }

    private FileTime lastChange() {
        Object time = attributes.getOrDefault(CHANGED, attributes.get(MODIFIED));
        // A file that is not there may come back any time.
        return time instanceof FileTime known ? known : FileTime.fromMillis(1);
    }
}
