package io.github.senderwhitelist.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.tools.Builds;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

class DurableTest {
    private static final String FORCE = "jdk.FileForce";

    @TempDir Path folder;

    /**
     * Looks in the flight recorder for what was forced to the disk, since no test can cut power.
     */
    @Test
    void shouldForceTheUnfinishedFileThenTheFolder() throws Exception {
        Path target = folder.resolve("list.swl");
        BuildOptions options = new BuildOptions(FilterKind.BLOCKED, FilterSize.ofBitsPerKey(10));
        Path events = folder.resolve("events.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(FORCE).withThreshold(Duration.ZERO);
            recording.start();
            Builds.of(options, 1).build("alice@example.com\n".getBytes(UTF_8), target);
            recording.stop();
            recording.dump(events);
        }

        List<Path> forced =
                RecordingFile.readAllEvents(events).stream()
                        .filter(event -> event.getEventType().getName().equals(FORCE))
                        .sorted(Comparator.comparing(RecordedEvent::getStartTime))
                        .map(event -> Path.of(event.getString("path")))
                        .filter(path -> path.startsWith(folder))
                        .toList();
        assertThat(forced).hasSize(2);
        assertThat(forced.getFirst().getFileName().toString()).endsWith(".tmp");
        assertThat(forced.getLast()).isEqualTo(folder);
    }
}
