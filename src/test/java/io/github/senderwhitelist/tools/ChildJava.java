package io.github.senderwhitelist.tools;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts a Java process of the same JDK as this one. */
public final class ChildJava {
    private ChildJava() {}

    /**
     * Returns the beginning of a command, to which class path, main class and arguments are added.
     */
    public static List<String> command(String... options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Most of them do little, and soon end.
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-XX:+UseSerialGC");
        command.addAll(List.of(options));
        return command;
    }

    /**
     * Returns the beginning of a command that runs a class of this class path, to which arguments
     * are added.
     */
    public static List<String> running(Class<?> main, String... options) {
        List<String> command = command(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        return command;
    }
}
