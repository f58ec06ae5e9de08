package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.tools.ChildJava;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs the command line as a separate process, as a shell does. */
final class Program {
    private final Path folder;
    private List<String> javaOptions = List.of();
    private Map<String, String> environment = Map.of();
    private Predicate<String> jars = jar -> true;

    /** The result of a process. */
    record Result(int exit, String out, String err) {}

    /**
     * Makes a runner.
     *
     * @param folder for the files with the output of processes
     */
    Program(Path folder) {
        this.folder = folder;
    }

    Program java(String... options) {
        javaOptions = List.of(options);
        return this;
    }

    Program environment(Map<String, String> variables) {
        environment = variables;
        return this;
    }

    Program withoutJar(String name) {
        jars = jar -> !Path.of(jar).getFileName().toString().startsWith(name);
        return this;
    }

    /**
     * Runs a command of the shell. In it, {@code "$@"} stands for the program with its arguments.
     */
    Result run(String shell, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", shell, "sh"));
        command.addAll(ChildJava.command(javaOptions.toArray(new String[0])));
        // As the manifest of the jar says it.
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-cp");
        command.add(
                Stream.of(System.getProperty("java.class.path").split(":", -1))
                        .filter(jars)
                        .collect(Collectors.joining(":")));
        command.add(Main.class.getName());
        command.addAll(List.of(arguments));
        Path out = folder.resolve("stdout");
        Path err = folder.resolve("stderr");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile());
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().putAll(environment);
        int exit = builder.start().waitFor();
        return new Result(exit, Files.readString(out), Files.readString(err));
    }
}
