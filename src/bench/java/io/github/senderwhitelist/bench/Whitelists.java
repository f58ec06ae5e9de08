package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.Generation.Overlay;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.TextSource;
import io.github.senderwhitelist.tools.Builds;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Snapshots that are asked as the mailet asks them. */
final class Whitelists {
    private Whitelists() {}

    /** Builds a snapshot of a text list. */
    static void build(TextSource source, BuildOptions options, Path target) throws IOException {
        Builds.of(options, 42).in(512L << 20).build(List.of(source), target);
    }

    /** Returns the whitelist of a snapshot with changes over it, which caches no answers. */
    static PlainWhitelist of(Snapshot snapshot, Overlay changes) {
        Generation generation =
                new Generation(snapshot, snapshot.store(), changes, 0, new ListCounters());
        return of(generation);
    }

    private static PlainWhitelist of(Generation generation) {
        return new PlainWhitelist(List.of(() -> generation), Subaddressing.DEFAULT);
    }

    /**
     * Returns the whitelist of a snapshot.
     *
     * @param cacheSize how many answers of the store are cached at most; 0 caches none
     */
    static PlainWhitelist of(Snapshot snapshot, long cacheSize) {
        return of(Generation.exact(snapshot, cacheSize));
    }
}
