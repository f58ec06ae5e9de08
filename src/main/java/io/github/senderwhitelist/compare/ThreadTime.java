package io.github.senderwhitelist.compare;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** The processor time of this thread, which does not go on while other programs run. */
final class ThreadTime {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final boolean KNOWN = THREADS.isCurrentThreadCpuTimeSupported();

    private ThreadTime() {}

    /** Nanoseconds since some time; where nobody counts them, those of the clock. */
    static long nanos() {
        return KNOWN ? THREADS.getCurrentThreadCpuTime() : System.nanoTime();
    }
}
