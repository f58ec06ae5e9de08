package io.github.senderwhitelist.bench;

/** The heap that objects take. */
final class Heap {
    /** A difference of this many bytes may be due to other threads. */
    private static final long NOISE = 1 << 14;

    private static final int TRIES = 4;

    private Heap() {}

    /** Returns the heap in use, after garbage was collected until it hardly changed. */
    static long used() {
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
