package io.github.senderwhitelist.snapshot;

import java.util.List;

/**
 * The result of building a snapshot.
 *
 * @param lines the number of all lines
 * @param badLines the number of lines that were skipped
 * @param complaints the first lines that were skipped, each with its list, number and reason
 * @param duplicates the entries left out because they add nothing to others of their key
 * @param contradictions the keys that one entry denies unconditionally and another lists; the
 *     denial counts
 * @param header the header of the snapshot
 */
public record BuildReport(
        long lines,
        long badLines,
        List<String> complaints,
        long duplicates,
        long contradictions,
        SnapshotHeader header) {}
