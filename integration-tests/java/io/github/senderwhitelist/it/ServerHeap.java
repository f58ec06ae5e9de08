package io.github.senderwhitelist.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The heap of a server, as its own log of garbage collections tells it: what is used right after a
 * collection. After a full one that is what lives; after any other, garbage not yet found comes on
 * top. All in MB.
 */
final class ServerHeap {
    private static final Pattern PAUSE =
            Pattern.compile("Pause (\\S+).* \\d+M->(\\d+)M\\(\\d+M\\)");

    private final ServerProcess process;
    private final Path log;

    private ServerHeap(ServerProcess process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** Returns the options that a server needs for its heap to be measured. */
    static List<String> options(ServerDirectory directory) {
        return List.of("-Xlog:gc:file=" + log(directory).toAbsolutePath() + ":uptime:filecount=0");
    }

    static ServerHeap of(ServerProcess process, ServerDirectory directory) {
        return new ServerHeap(process, log(directory));
    }

    private static Path log(ServerDirectory directory) {
        return directory.path().resolve("gc.log");
    }

    /** Collects all garbage and returns the live heap in MB. */
    int live() throws IOException, InterruptedException {
        Process jcmd =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                                Long.toString(process.pid()),
                                "GC.run")
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        if (!jcmd.waitFor(1, TimeUnit.MINUTES) || jcmd.exitValue() != 0) {
            throw new IOException("jcmd GC.run did not work");
        }
        int live = -1;
        for (String line : Files.readAllLines(log)) {
            Matcher pause = PAUSE.matcher(line);
            if (pause.find() && pause.group(1).equals("Full")) {
                live = Integer.parseInt(pause.group(2));
            }
        }
        if (live < 0) {
            throw new IOException(log + " tells of no full collection");
        }
        return live;
    }

    /** Returns the current end of the log, for {@link #most}. */
    int mark() throws IOException {
        return Files.readAllLines(log).size();
    }

    /**
     * Returns the most heap that was in use after a collection since the mark, in MB; 0 when there
     * was no collection.
     */
    int most(int mark) throws IOException {
        int most = 0;
        List<String> lines = Files.readAllLines(log);
        for (String line : lines.subList(mark, lines.size())) {
            Matcher pause = PAUSE.matcher(line);
            if (pause.find()) {
                most = Math.max(most, Integer.parseInt(pause.group(2)));
            }
        }
        return most;
    }
}
