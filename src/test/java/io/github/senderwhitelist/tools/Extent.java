package io.github.senderwhitelist.tools;

/**
 * Chooses how much a test does: what every build has time for, or with {@code -Dtests.long=true}
 * several times as much.
 */
public final class Extent {
    private Extent() {}

    /** Returns the first, or in the long form of the tests the second. */
    public static int of(int everyBuild, int atLength) {
        return isLong() ? atLength : everyBuild;
    }

    /** Returns whether tests are to run in their long form. */
    public static boolean isLong() {
        return Boolean.getBoolean("tests.long");
    }
}
