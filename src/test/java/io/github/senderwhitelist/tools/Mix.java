package io.github.senderwhitelist.tools;

/** Makes numbers look random. */
public final class Mix {
    private Mix() {}

    /** Returns another number for each number (splitmix64). */
    public static long of(long value) {
        long z = value + 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
