package io.github.senderwhitelist.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Just enough IMAP to read the mails of a folder byte by byte. */
final class ImapClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final Pattern UID = Pattern.compile("\\bUID (\\d+)");
    private static final Pattern LITERAL = Pattern.compile("\\{(\\d+)}$");

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    /** A mail in a folder. */
    record Fetched(long uid, Letter letter) {}

    ImapClient(int port, String user, String password) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
        line();
        send("a LOGIN " + user + " " + password);
        String reply = untilTagged();
        if (!reply.startsWith("a OK")) {
            throw new IOException("IMAP login of " + user + ": " + reply);
        }
    }

    /**
     * The mails of the folder with a UID over {@code after}; none when there is no such folder
     * (yet).
     */
    List<Fetched> fetch(String folder, long after) throws IOException {
        send("a EXAMINE \"" + folder + "\"");
        if (!untilTagged().startsWith("a OK")) {
            return List.of();
        }
        send("a UID FETCH " + (after + 1) + ":* (UID BODY.PEEK[])");
        List<Fetched> fetched = new ArrayList<>();
        for (String line = line(); !line.startsWith("a "); line = line()) {
            Matcher literal = LITERAL.matcher(line);
            if (!literal.find()) {
                continue;
            }
            byte[] content = in.readNBytes(Integer.parseInt(literal.group(1)));
            Matcher uid = UID.matcher(line + line());
            if (!uid.find()) {
                throw new IOException("IMAP: no UID in " + line);
            }
            // "7:*" also names the last mail when that is number 6 (RFC 3501, section 6.4.8).
            long number = Long.parseLong(uid.group(1));
            if (number > after) {
                fetched.add(new Fetched(number, Letter.read(content)));
            }
        }
        return fetched;
    }

    /**
     * Does something with mails of a folder, such as {@code MOVE} or {@code STORE}.
     *
     * @param uids a set of UIDs, such as {@code 3:7}
     * @param argument what follows the set
     */
    void uid(String folder, String command, String uids, String argument) throws IOException {
        command("SELECT \"" + folder + "\"");
        command("UID " + command + " " + uids + " " + argument);
    }

    private void command(String command) throws IOException {
        send("a " + command);
        String reply = untilTagged();
        if (!reply.startsWith("a OK")) {
            throw new IOException("IMAP: " + command + ": " + reply);
        }
    }

    private void send(String command) throws IOException {
        out.write((command + "\r\n").getBytes(ISO_8859_1));
        out.flush();
    }

    private String untilTagged() throws IOException {
        String line = line();
        while (!line.startsWith("a ")) {
            line = line();
        }
        return line;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException(
                        "the IMAP server hung up after: " + line.toString(ISO_8859_1));
            }
            line.write(b);
        }
        return line.toString(ISO_8859_1).stripTrailing();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
