package io.github.senderwhitelist.snapshot;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The checksum that protects the parts of a snapshot. */
final class Checksums {
    private Checksums() {}

    /** Returns the CRC-32C of the remaining bytes, which are consumed. */
    static int crc(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
