package io.github.senderwhitelist.snapshot;

import java.util.List;

/**
 * What became of lists that were made a snapshot.
 *
 * @param lines all lines
 * @param badLines lines that were skipped
 * @param complaints the first of them, each with its list, number and reason
 * @param duplicates entries left out because they add nothing to others of their key
 * @param contradictions keys that one entry denied always and another listed; the denial counts
 * @param temporaryBytes the most that temporary files took
 * @param header the header of the snapshot
 */
public record BuildReport(
        long lines,
        long badLines,
        List<String> complaints,
        long duplicates,
        long contradictions,
        long temporaryBytes,
        SnapshotHeader header) {}
