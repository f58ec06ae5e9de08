package io.github.senderwhitelist.cli;

/** A check whether features newer than Java 21 may be used. The jar is compiled for Java 21. */
public final class JavaVersion {
    /**
     * The name of a system property for tests. With the value {@code true}, newer versions behave
     * like Java 21.
     */
    public static final String AS_JAVA_21 = "io.github.senderwhitelist.java21";

    private JavaVersion() {}

    /** Returns whether the running Java is newer than 21. */
    static boolean isAfter21() {
        return Runtime.version().feature() > 21 && !Boolean.getBoolean(AS_JAVA_21);
    }
}
