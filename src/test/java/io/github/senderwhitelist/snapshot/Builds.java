package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Scratch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/** Builds snapshots of one list as the server does. */
final class Builds {
    private final BuildOptions options;
    private final long seed;
    private final long buildTime;

    Builds(BuildOptions options, long seed, long buildTime) {
        this.options = options;
        this.seed = seed;
        this.buildTime = buildTime;
    }

    BuildReport build(InputStream list, String name, Path target, Admission admission)
            throws IOException {
        Path temporary = target.resolveSibling(".").normalize();
        BuildResources resources =
                new BuildResources(
                        BuildResources.MIN_MEMORY,
                        new Scratch(Disk.LOCAL, temporary.toAbsolutePath()));
        return new SnapshotBuilder(options, resources, seed, buildTime, BuildProgress.NONE)
                .build(List.of(new TextSource(name, -1, () -> list)), target, admission);
    }
}
