package io.github.senderwhitelist.compare;

import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.function.Supplier;

/** The measurement of the heap that objects take. */
final class Heap {
    /** A difference of this many bytes may be due to other threads. */
    private static final long NOISE = 1 << 14;

    private static final int TRIES = 4;

    private Heap() {}

    /** Returns the bytes that an object takes, measured by making {@code copies} of it. */
    static long bytes(int copies, Supplier<?> maker) {
        Object[] made = new Object[copies];
        long before = used();
        try {
            Arrays.setAll(made, i -> maker.get());
            return Math.max(0, used() - before) / copies;
        } finally {
            Reference.reachabilityFence(made);
        }
    }

    /** Returns the heap in use, after garbage was collected until it hardly changed. */
    private static long used() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < TRIES; i++) {
            long before = used;
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            used = runtime.totalMemory() - runtime.freeMemory();
            if (before - used < NOISE) {
                break;
            }
        }
        return used;
    }
}
