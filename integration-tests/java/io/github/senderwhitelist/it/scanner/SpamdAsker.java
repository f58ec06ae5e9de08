package io.github.senderwhitelist.it.scanner;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A scanner in the place of {@code SpamAssassin}: it asks the spamd at {@code port}. */
public final class SpamdAsker extends StandInScanner {
    private static final Pattern ANSWER =
            Pattern.compile("(?m)^Spam: (True|False) ; (\\S+) / (\\S+)");

    @Override
    String prefix() {
        return "org.apache.james.spamassassin";
    }

    @Override
    Result scan(byte[] message) throws IOException {
        int port = Integer.parseInt(getInitParameter("port"));
        try (Socket spamd = new Socket(InetAddress.getLoopbackAddress(), port)) {
            OutputStream out = spamd.getOutputStream();
            out.write("CHECK SPAMC/1.2\r\n\r\n".getBytes(US_ASCII));
            out.write(message);
            spamd.shutdownOutput();
            String text = new String(spamd.getInputStream().readAllBytes(), US_ASCII);
            Matcher answer = ANSWER.matcher(text);
            if (!answer.find()) {
                throw new IOException("spamd: " + text);
            }
            return new Result(
                    answer.group(1).equals("True"),
                    "hits=%s required=%s".formatted(answer.group(2), answer.group(3)));
        }
    }
}
