package io.github.senderwhitelist.cli;

/** Stub. */
public final class Main {
    private Main() {}

    public static void main(String... arguments) {}
}
