package io.github.senderwhitelist.it;

import io.github.senderwhitelist.tools.ChildJava;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A server in a process of its own, its output in a file.
 *
 * <p>It ends with {@link #close()}, at the latest with this process.
 */
final class ServerProcess implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final Process process;
    private final Path log;
    private final Thread hook;

    private ServerProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
        this.hook = new Thread(this::end, "end of " + process.pid());
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Starts {@code main} in {@code directory} on the Java that runs this one; its output goes to
     * {@code server.log} there.
     */
    static ServerProcess start(Path directory, String classPath, String main, List<String> options)
            throws IOException {
        List<String> command = ChildJava.command("-Xmx512m");
        command.add("-Dfile.encoding=UTF-8");
        command.add("-Dworking.directory=" + directory.toAbsolutePath());
        command.add(
                "-Dlogback.configurationFile="
                        + directory.resolve("conf/logback.xml").toAbsolutePath());
        command.addAll(options);
        command.add("-cp");
        command.add(classPath);
        command.add(main);
        return start(directory, command, directory.resolve("server.log"));
    }

    /** Starts a command in {@code directory}; its output goes to {@code log}. */
    static ServerProcess start(Path directory, List<String> command, Path log) throws IOException {
        Process process =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        process.getOutputStream().close();
        return new ServerProcess(process, log);
    }

    /** Returns everything that the server has written so far. */
    String log() {
        try {
            return Files.exists(log) ? Files.readString(log, StandardCharsets.ISO_8859_1) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path logFile() {
        return log;
    }

    boolean alive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** Returns the exit code of the server, which must have ended. */
    int exitCode() {
        return process.exitValue();
    }

    private void end() {
        process.destroy();
        try {
            if (!process.waitFor(GRACE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // This process is ending already, and the hook runs.
        }
    }
}
