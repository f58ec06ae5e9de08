package io.github.senderwhitelist.mailet;

/** The main class of the plugin's jar, which reports where the commands are. */
final class NoCommand {
    private static final int USAGE = 2;

    private NoCommand() {}

    public static void main(String[] arguments) {
        System.err.println(
                "This jar is a plugin for Apache James: put it into extensions-jars/ of James'"
                    + " folder. The commands are in the file whitelist, which is built beside it");
        System.exit(USAGE);
    }
}
