package io.github.senderwhitelist.compare;

import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.function.Supplier;

/** What things take on the heap, measured. */
final class Heap {
    /** So much may come and go meanwhile, of what others do. */
    private static final long NOISE = 1 << 14;

    private static final int TRIES = 4;

    private Heap() {}

    /** The bytes a thing takes, found by making so many of it. */
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
