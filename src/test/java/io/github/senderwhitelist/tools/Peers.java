package io.github.senderwhitelist.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Programs of other projects that we are compared with; see {@link Needs} where one is missing. */
public final class Peers {
    private Peers() {}

    /** The program; {@code debian} is the package that has it. */
    public static Path program(String name, String debian) {
        Optional<Path> found =
                Stream.concat(
                                Stream.of(System.getenv("PATH").split(":", -1)),
                                Stream.of("/usr/sbin"))
                        .map(folder -> Path.of(folder, name))
                        .filter(Files::isExecutable)
                        .findFirst();
        Needs.require(
                found.isPresent(),
                name + " is not installed (Debian: " + debian + "); nothing compared with it");
        return found.orElseThrow();
    }

    /** Runs a command that reads these lines, and returns what it prints. */
    public static List<String> run(Path folder, List<String> input, List<String> command)
            throws IOException, InterruptedException {
        Path in = Files.write(folder.resolve("in"), input);
        Path err = folder.resolve("err");
        Process process =
                new ProcessBuilder(command)
                        .redirectInput(in.toFile())
                        .redirectError(err.toFile())
                        .start();
        try (InputStream out = process.getInputStream()) {
            List<String> lines = new String(out.readAllBytes(), UTF_8).lines().toList();
            // postmap -q ends with 1 when the last key was not found
            if (process.waitFor() > 1) {
                throw new IOException(command + ": " + Files.readString(err));
            }
            return lines;
        }
    }
}
