package io.github.senderwhitelist.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** The processor time of this thread, which stands still while other programs run. */
final class ThreadTime {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final boolean KNOWN = THREADS.isCurrentThreadCpuTimeSupported();

    private ThreadTime() {}

    /** Returns nanoseconds of processor time, or of the clock where that is not counted. */
    static long nanos() {
        return KNOWN ? THREADS.getCurrentThreadCpuTime() : System.nanoTime();
    }
}
