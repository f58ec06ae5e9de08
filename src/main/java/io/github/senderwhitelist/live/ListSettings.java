package io.github.senderwhitelist.live;

import io.github.senderwhitelist.snapshot.BuildOptions;

import java.nio.file.Path;
import java.time.Duration;

/**
 * One list and how it is kept. Mailets and matchers with equal settings share one copy in memory.
 *
 * @param name what metrics and JMX call the list with these settings
 * @param file the list: text, gzipped text, or a snapshot
 * @param build how the snapshot of a text list is made
 * @param exactLookup false: the filters alone decide
 * @param cacheSize how many answers of the exact store are remembered
 * @param cacheExpiry how long each
 * @param reloadInterval the time between looks at the file
 * @param maxShrink a refresh that loses more than this share of the entries is held back, from 0 to
 *     1
 * @param workDirectory where the snapshots in force are kept
 */
public record ListSettings(
        String name,
        Path file,
        BuildOptions build,
        boolean exactLookup,
        long cacheSize,
        Duration cacheExpiry,
        Duration reloadInterval,
        double maxShrink,
        Path workDirectory) {}
