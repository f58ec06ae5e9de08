package io.github.senderwhitelist.store;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** Reads blocks of a file, for many threads at once. An interrupted thread disturbs nobody. */
interface BlockFile extends Closeable {

    /** What is done with a block. */
    @FunctionalInterface
    interface BlockReader<T extends @Nullable Object> {
        /** Takes the block, which it must not keep. */
        T read(byte[] block) throws IOException;
    }

    /** Reads block {@code number} and gives it to {@code reader}. */
    <T extends @Nullable Object> T read(long number, BlockReader<T> reader) throws IOException;

    /**
     * The blocks of a file from {@code start} on: mapped where that does no harm, else read by
     * position.
     */
    static BlockFile open(Path path, long start, long blocks) throws IOException {
        return MappedBlocks.isFit(path, blocks)
                ? new MappedBlocks(path, start, blocks)
                : new PositionalBlocks(path, start);
    }
}
