package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.tools.SmallLists;

import java.nio.file.Path;
import java.time.Duration;

/** Builds the settings of a small list that is looked at often. */
public final class ListSettingsBuilder {
    private final Path file;
    private final Path workDirectory;
    private BuildOptions build = SmallLists.TIGHT;
    private boolean exactLookup = true;
    private long cacheSize = 1000;
    private long exactMemory;
    private double maxShrink = 0.5;

    public ListSettingsBuilder(Path file, Path workDirectory) {
        this.file = file;
        this.workDirectory = workDirectory;
    }

    public ListSettingsBuilder build(BuildOptions options) {
        build = options;
        return this;
    }

    public ListSettingsBuilder cacheSize(long answers) {
        cacheSize = answers;
        return this;
    }

    ListSettingsBuilder filtersAlone() {
        exactLookup = false;
        return this;
    }

    ListSettingsBuilder inMemory() {
        exactMemory = 1 << 20;
        return this;
    }

    ListSettingsBuilder maxShrink(double share) {
        maxShrink = share;
        return this;
    }

    public ListSettings settings() {
        return new ListSettings(
                "list",
                file,
                build,
                exactLookup,
                cacheSize,
                exactMemory,
                Duration.ofMillis(200),
                maxShrink,
                workDirectory);
    }
}
