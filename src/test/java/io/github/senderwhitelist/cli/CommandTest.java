package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A test that runs commands in this process, and keeps what they print. */
abstract class CommandTest {
    @TempDir Path folder;
    final ByteArrayOutputStream out = new ByteArrayOutputStream();
    final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final PrintStream realOut = System.out;
    private final PrintStream realErr = System.err;
    private final InputStream realIn = System.in;

    @BeforeEach
    final void capture() {
        System.setOut(new PrintStream(out, true, UTF_8));
        System.setErr(new PrintStream(err, true, UTF_8));
    }

    @AfterEach
    final void release() {
        System.setOut(realOut);
        System.setErr(realErr);
        System.setIn(realIn);
    }

    /** Runs a command, and returns its exit code. */
    static int run(String... line) {
        return Main.run(System.out, line);
    }

    /** Makes James' folder, with elements {@code whitelist} that define lists. */
    final void define(String lists) throws IOException {
        Files.createDirectory(folder.resolve("conf"));
        Files.writeString(
                folder.resolve("conf/whitelists.xml"), "<whitelists>" + lists + "</whitelists>");
    }

    /** Runs a command in James' folder, of which alone is kept what it prints. */
    final int inJames(String... line) {
        out.reset();
        err.reset();
        List<String> all = new ArrayList<>(List.of(line));
        all.addAll(1, List.of("--conf", path("conf")));
        return Main.run(out, all.toArray(new String[0]));
    }

    final String out() {
        return out.toString(UTF_8);
    }

    final String err() {
        return err.toString(UTF_8);
    }

    final String path(String name) {
        return folder.resolve(name).toString();
    }
}
