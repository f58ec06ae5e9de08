package io.github.senderwhitelist.cli;

/** Tells whether more may be used than Java 21 has, for which the jar is compiled. */
public final class JavaVersion {
    /**
     * The system property for tests: {@code true} makes a newer Java go all the ways of Java 21.
     */
    public static final String AS_JAVA_21 = "io.github.senderwhitelist.java21";

    private JavaVersion() {}

    /** Returns whether the running Java is newer than 21. */
    static boolean isAfter21() {
        return Runtime.version().feature() > 21 && !Boolean.getBoolean(AS_JAVA_21);
    }
}
