package io.github.senderwhitelist.snapshot;

/**
 * A part of a snapshot file.
 *
 * @param offset its position in the file, in bytes
 * @param length its length in bytes
 * @param checksum its CRC-32C; {@link SnapshotHeader} documents which bytes it covers
 */
record Section(long offset, long length, int checksum) {}
