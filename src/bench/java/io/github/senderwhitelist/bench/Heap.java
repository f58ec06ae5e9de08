package io.github.senderwhitelist.bench;

import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.function.Supplier;

/** The heap that sets of addresses take. */
final class Heap {
    /** A difference of this many bytes may be due to other threads. */
    private static final long NOISE = 1 << 14;

    private static final int TRIES = 4;

    /** Copies of a small set are made until they have this many addresses in all. */
    private static final int ADDRESSES = 100_000;

    private Heap() {}

    /** Returns the bits that a set of n addresses takes. */
    static long bits(int n, Supplier<?> maker) {
        Object[] made = new Object[Math.max(1, ADDRESSES / n)];
        long before = used();
        try {
            Arrays.setAll(made, i -> maker.get());
            return 8 * Math.max(0, used() - before) / made.length;
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
