package io.github.senderwhitelist.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Base64;
import java.util.List;

/**
 * An SMTP client that sends bytes as they are: a mail library would put right what the tests want
 * to be wrong.
 */
public final class SmtpClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 60_000;

    private final Socket socket;
    private final BufferedReader in;
    private final OutputStream out;

    public SmtpClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
        out = new BufferedOutputStream(socket.getOutputStream());
        expect(220);
        command("EHLO client.example", 250);
    }

    /** Logs in (RFC 4616). */
    public void login(String user, String password) throws IOException {
        byte[] secret = ("\0" + user + "\0" + password).getBytes(UTF_8);
        command("AUTH PLAIN " + Base64.getEncoder().encodeToString(secret), 235);
    }

    /**
     * Sends one mail; the sender is empty for the null sender. Returns when the server has taken it
     * over.
     */
    public void send(String sender, List<String> recipients, byte[] message) throws IOException {
        command("MAIL FROM:<" + sender + ">", 250);
        for (String recipient : recipients) {
            command("RCPT TO:<" + recipient + ">", 250);
        }
        command("DATA", 354);
        out.write(stuffed(message));
        command("\r\n.", 250);
    }

    /**
     * Adds a dot before each line that begins with one (RFC 5321, section 4.5.2). The CRLF of the
     * last line is left to the end mark.
     */
    private static byte[] stuffed(byte[] message) {
        String text = new String(message, ISO_8859_1);
        String dotted = text.replace("\r\n.", "\r\n..");
        if (dotted.startsWith(".")) {
            dotted = "." + dotted;
        }
        return (dotted.endsWith("\r\n") ? dotted.substring(0, dotted.length() - 2) : dotted)
                .getBytes(ISO_8859_1);
    }

    private void command(String line, int expected) throws IOException {
        out.write((line + "\r\n").getBytes(UTF_8));
        out.flush();
        expect(expected);
    }

    private void expect(int expected) throws IOException {
        String reply;
        do {
            reply = in.readLine();
            if (reply == null) {
                throw new EOFException("the SMTP server hung up");
            }
        } while (reply.length() > 3 && reply.charAt(3) == '-');
        if (!reply.startsWith(Integer.toString(expected))) {
            throw new SmtpRefusal(reply);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** Signals that the server refused; the message is its answer. */
    public static final class SmtpRefusal extends IOException {
        private static final long serialVersionUID = 1L;

        SmtpRefusal(String reply) {
            super(reply);
        }
    }
}
