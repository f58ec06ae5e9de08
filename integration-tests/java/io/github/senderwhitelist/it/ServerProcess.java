package io.github.senderwhitelist.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A program in a process of its own, its output in a file.
 *
 * <p>It ends with {@link #close()}, at the latest with this process.
 */
final class ServerProcess implements AutoCloseable {
    /** Java writes an archive of classes at the end of a process. */
    private static final int GRACE_SECONDS = 60;

    private static final Set<ServerProcess> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Thread end = new Thread(() -> RUNNING.forEach(ServerProcess::close), "end of servers");
        Runtime.getRuntime().addShutdownHook(end);
    }

    private final Process process;
    private final Path log;

    private ServerProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
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
        ServerProcess server = new ServerProcess(process, log);
        RUNNING.add(server);
        return server;
    }

    /** Returns everything that the program has written so far. */
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

    /** Returns the exit code of the program, which must have ended. */
    int exitCode() {
        return process.exitValue();
    }

    /** Kills the program, so that it can save nothing. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        RUNNING.remove(this);
    }
}
