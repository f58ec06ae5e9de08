package io.github.senderwhitelist.it.scanner;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A scanner in the place of {@code RspamdScanner}: it asks the Rspamd at {@code rspamdUrl}. */
public final class RspamdAsker extends StandInScanner {
    private static final Pattern ANSWER =
            Pattern.compile("\"score\":([^,]+),\"required_score\":([^,]+),\"action\":\"([^\"]+)\"");
    private static final Set<String> SPAM = Set.of("reject", "add header", "rewrite subject");

    @Override
    String prefix() {
        return "org.apache.james.rspamd";
    }

    @Override
    Result scan(byte[] message) throws IOException {
        URI uri = URI.create(getInitParameter("rspamdUrl") + "/checkv2");
        HttpURLConnection rspamd = (HttpURLConnection) uri.toURL().openConnection();
        rspamd.setDoOutput(true);
        try (OutputStream out = rspamd.getOutputStream()) {
            out.write(message);
        }
        try (InputStream in = rspamd.getInputStream()) {
            String text = new String(in.readAllBytes(), UTF_8);
            Matcher answer = ANSWER.matcher(text);
            if (!answer.find()) {
                throw new IOException("Rspamd: " + text);
            }
            return new Result(
                    SPAM.contains(answer.group(3)),
                    "actions=%s score=%s requiredScore=%s"
                            .formatted(answer.group(3), answer.group(1), answer.group(2)));
        }
    }
}
