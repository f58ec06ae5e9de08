package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.snapshot.BuildOptions;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The settings of one list. Mailets and matchers with equal settings share one copy in memory.
 *
 * @param name the name of the list in metrics
 * @param file the file of the list: text, gzipped text, or a snapshot
 * @param build how the snapshot of a text list is built
 * @param exactLookup whether a "maybe" of the filters is looked up in the exact store; if not, the
 *     filters alone decide
 * @param cacheSize how many answers of the exact store are cached at most
 * @param exactMemory the largest exact store that is held in memory, in bytes
 * @param reloadInterval the time between two looks at the file
 * @param maxShrink the largest share of its entries, from 0 to 1, that a refresh may lose; one that
 *     loses more is held back
 * @param workDirectory the folder of the active snapshots
 */
public record ListSettings(
        String name,
        Path file,
        BuildOptions build,
        boolean exactLookup,
        long cacheSize,
        long exactMemory,
        Duration reloadInterval,
        double maxShrink,
        Path workDirectory) {}
