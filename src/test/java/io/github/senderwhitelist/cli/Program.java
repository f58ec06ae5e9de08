package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.tools.ChildJava;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs the command line as processes of their own, as a shell does.
 *
 * @param folder that F/ stands for in commands
 * @param missing the beginning of the name of a jar that is left out, or an empty string
 * @param javaOptions options of Java
 */
record Program(Path folder, String missing, String locale, List<String> javaOptions) {
    /** The result of a process. */
    record Result(int exit, String out, String err) {}

    Program(Path folder, String missing, String locale, String... javaOptions) {
        this(folder, missing, locale, List.of(javaOptions));
    }

    Program(Path folder) {
        this(folder, "", "C.UTF-8");
    }

    /** Runs a line for the shell, in which {@code whitelist} is the program. */
    Result run(String line) throws IOException, InterruptedException {
        List<String> java = ChildJava.command(javaOptions.toArray(String[]::new));
        // As the manifest of the jar says it.
        java.add("--enable-native-access=ALL-UNNAMED");
        java.add("-cp");
        java.add(
                Stream.of(System.getProperty("java.class.path").split(":", -1))
                        .filter(jar -> missing.isEmpty() || !jar.contains("/" + missing))
                        .collect(Collectors.joining(":")));
        java.add(Main.class.getName());
        String program = java.stream().map(it -> "'" + it + "'").collect(Collectors.joining(" "));
        String shell = "whitelist() { " + program + " \"$@\"; }; " + line;
        Path out = Files.createTempFile(folder, "stdout", "");
        Path err = Files.createTempFile(folder, "stderr", "");
        ProcessBuilder builder =
                new ProcessBuilder("sh", "-c", shell.replace("F/", folder + "/"))
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile());
        builder.environment().putAll(Map.of("LC_ALL", locale));
        int exit = builder.start().waitFor();
        return new Result(exit, Files.readString(out), Files.readString(err));
    }
}
