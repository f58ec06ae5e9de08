package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.list.TextList;

/**
 * What became of a list that was made a snapshot.
 *
 * @param list what was read
 * @param duplicates entries left out because their key was there already
 * @param contradictions those of them where one entry denied and the other did not; the denial
 *     counts
 * @param header the header of the snapshot
 */
public record BuildReport(
        TextList.Summary list, long duplicates, long contradictions, SnapshotHeader header) {}
