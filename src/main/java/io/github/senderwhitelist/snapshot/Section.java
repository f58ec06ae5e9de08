package io.github.senderwhitelist.snapshot;

/**
 * A part of a snapshot file.
 *
 * @param offset where it begins, in bytes from the start of the file
 * @param length its length in bytes
 * @param checksum CRC-32C; over what, {@link SnapshotHeader} says
 */
record Section(long offset, long length, int checksum) {}
