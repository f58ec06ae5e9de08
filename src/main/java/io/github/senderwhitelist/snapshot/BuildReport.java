package io.github.senderwhitelist.snapshot;

import java.util.List;

/**
 * The result of building a snapshot.
 *
 * @param badLines the number of lines that were skipped
 * @param complaints the first of them, each with its list, number and reason
 * @param duplicates the entries left out because they add nothing to others of their key
 * @param contradictions the keys that one entry denies unconditionally and another lists
 */
public record BuildReport(
        long lines,
        long badLines,
        List<String> complaints,
        long duplicates,
        long contradictions,
        SnapshotHeader header) {}
