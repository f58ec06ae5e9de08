package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.snapshot.Snapshot;

import java.time.Duration;
import java.util.List;

/** Snapshots that are asked as the mailet asks them. */
final class Whitelists {
    private Whitelists() {}

    /**
     * Returns the whitelist of a snapshot.
     *
     * @param cacheSize how many answers of the store are cached at most; 0 caches none
     */
    static PlainWhitelist of(Snapshot snapshot, long cacheSize) {
        Generation generation = Generation.exact(snapshot, cacheSize, Duration.ofHours(1));
        return new PlainWhitelist(List.of(() -> generation), Subaddressing.DEFAULT);
    }
}
