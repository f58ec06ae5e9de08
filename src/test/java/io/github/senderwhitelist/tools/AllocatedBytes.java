package io.github.senderwhitelist.tools;

import com.sun.management.ThreadMXBean;

import java.lang.management.ManagementFactory;

/** The bytes that this thread has allocated. */
public final class AllocatedBytes {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private AllocatedBytes() {}

    /** Returns all since the thread started. */
    public static long now() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }
}
