package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;

/**
 * Runs commands of the program one after the other in one process, since most take less time than a
 * Java takes to start. Reads a line of arguments each from standard input. Writes {@link #END}
 * after what each command writes.
 */
public final class Commands {
    /** No command writes this byte. */
    public static final int END = 0;

    private Commands() {}

    /**
     * Runs a command and returns its exit code.
     *
     * @param out takes what it prints on standard output
     */
    public static int run(OutputStream out, String... arguments) {
        return Main.run(out, arguments);
    }

    /** Runs commands until the input ends. */
    public static void main(String... arguments) throws IOException {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                Main.run(System.out, line.split(" ", -1));
                System.err.flush();
                System.out.write(END);
                System.out.flush();
            }
        }
    }
}
