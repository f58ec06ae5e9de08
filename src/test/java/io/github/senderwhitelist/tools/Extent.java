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

    /**
     * Returns the first in {@code mvn test}; the second once more in {@code mvn verify}, for tests
     * with the tag {@code more}; the third in the long form of the tests.
     */
    public static int of(int everyTest, int everyBuild, int atLength) {
        return of(Boolean.getBoolean("tests.more") ? everyBuild : everyTest, atLength);
    }

    /** Returns whether tests are to run in their long form. */
    public static boolean isLong() {
        return Boolean.getBoolean("tests.long");
    }
}
