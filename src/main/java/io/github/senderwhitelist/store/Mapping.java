package io.github.senderwhitelist.store;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * A part of a file in memory that is let go of when it is closed, rather than when the garbage
 * collector comes by: until then a deleted file would keep its place on the disk.
 *
 * <p>What this needs ({@code java.lang.foreign.Arena}, final since Java 22) is looked up by name,
 * because the jar also runs on Java 21.
 */
final class Mapping implements AutoCloseable {
    private static final @Nullable Methods METHODS = Methods.find();

    private final AutoCloseable arena;
    private final MappedByteBuffer bytes;

    /** {@code Arena.ofShared()}, {@code FileChannel.map}, {@code MemorySegment.asByteBuffer()}. */
    private record Methods(MethodHandle ofShared, MethodHandle map, MethodHandle asByteBuffer) {
        static @Nullable Methods find() {
            if (!JavaVersion.isAfter21()) {
                return null;
            }
            try {
                Class<?> arena = Class.forName("java.lang.foreign.Arena");
                Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
                MethodHandles.Lookup lookup = MethodHandles.publicLookup();
                return new Methods(
                        lookup.findStatic(arena, "ofShared", MethodType.methodType(arena)),
                        lookup.findVirtual(
                                FileChannel.class,
                                "map",
                                MethodType.methodType(
                                        segment, MapMode.class, long.class, long.class, arena)),
                        lookup.findVirtual(
                                segment, "asByteBuffer", MethodType.methodType(ByteBuffer.class)));
            } catch (ReflectiveOperationException e) {
                return null;
            }
        }
    }

    private Mapping(AutoCloseable arena, MappedByteBuffer bytes) {
        this.arena = arena;
        this.bytes = bytes;
    }

    /** Whether this runtime can. */
    static boolean isPossible() {
        return METHODS != null && JavaVersion.isAfter21();
    }

    /** Maps {@code length} bytes of a file for reading. */
    static Mapping of(FileChannel channel, long start, long length) throws IOException {
        Methods methods = METHODS;
        if (methods == null) {
            throw new IOException("mapping takes Java 22 or newer");
        }
        AutoCloseable arena = null;
        try {
            arena = (AutoCloseable) methods.ofShared().invoke();
            Object segment = methods.map().invoke(channel, MapMode.READ_ONLY, start, length, arena);
            return new Mapping(arena, (MappedByteBuffer) methods.asByteBuffer().invoke(segment));
        } catch (Throwable e) {
            if (arena != null) {
                close(arena);
            }
            if (e instanceof IOException failure) {
                throw failure;
            }
            if (e instanceof Error error) {
                throw error;
            }
            throw new IOException("mapping failed: " + e, e);
        }
    }

    /** The bytes; using them after {@link #close} throws an IllegalStateException. */
    MappedByteBuffer bytes() {
        return bytes;
    }

    @Override
    public void close() {
        close(arena);
    }

    private static void close(AutoCloseable arena) {
        try {
            arena.close();
        } catch (Exception e) {
            throw new IllegalStateException("mapping could not be closed", e);
        }
    }
}
