package io.github.senderwhitelist.mailet;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.mime4j.MimeException;
import org.apache.james.mime4j.stream.EntityState;
import org.apache.james.mime4j.stream.MimeConfig;
import org.apache.james.mime4j.stream.MimeTokenStream;
import org.apache.james.mime4j.stream.RecursionMode;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.util.Locale;
import java.util.Objects;

/**
 * Reads the first plain text in a mail that is no attachment.
 *
 * <p>Whoever sends the mail chooses its size and structure. So only its beginning is read, in one
 * pass and without recursion.
 */
final class PlainText {
    /** How much of a mail is read, in bytes. */
    private static final int MOST_OF_MAIL = 256 << 10;

    /** How much of the text is read, in bytes. */
    private static final int MOST_OF_TEXT = 64 << 10;

    /** How deep parts may lie in parts. Mail programs need three levels. */
    private static final int DEEPEST = 20;

    private final ByteArrayInputStream in;

    /** Whether the mail goes on after what was read. */
    private final boolean goesOn;

    private PlainText(Beginning beginning) {
        this.in = new ByteArrayInputStream(beginning.bytes.toByteArray());
        this.goesOn = beginning.isFull();
    }

    /**
     * Returns the text, without a last line that may be cut. Returns null when there is none within
     * what is read.
     */
    static @Nullable String of(MimeMessage message) throws IOException, MessagingException {
        Beginning beginning = new Beginning();
        try {
            message.writeTo(beginning);
        } catch (IOException e) {
            if (!beginning.isFull()) {
                throw e;
            }
        }
        try {
            return new PlainText(beginning).first();
        } catch (MimeException e) {
            return null;
        }
    }

    /** Keeps the first bytes that are written, and ends the writing by an exception. */
    private static final class Beginning extends OutputStream {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        boolean isFull() {
            return bytes.size() == MOST_OF_MAIL;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
            int room = MOST_OF_MAIL - bytes.size();
            bytes.write(from, offset, Math.min(room, length));
            if (length > room) {
                throw new IOException("enough is read");
            }
        }
    }

    private @Nullable String first() throws IOException, MimeException {
        MimeTokenStream parts = new MimeTokenStream(MimeConfig.PERMISSIVE);
        // Mails within the mail are of others.
        parts.setRecursionMode(RecursionMode.M_NO_RECURSE);
        parts.parse(in);
        boolean attached = false;
        int depth = 0;
        for (EntityState state = parts.getState();
                state != EntityState.T_END_OF_STREAM;
                state = parts.next()) {
            switch (state) {
                case T_START_HEADER -> attached = false;
                case T_FIELD -> attached |= saysAttached(parts);
                case T_START_MULTIPART -> {
                    if (++depth > DEEPEST) {
                        return null;
                    }
                }
                case T_END_MULTIPART -> depth--;
                case T_BODY -> {
                    if (!attached && parts.getBodyDescriptor().getMimeType().equals("text/plain")) {
                        return text(parts);
                    }
                }
                default -> {}
            }
        }
        return null;
    }

    private static boolean saysAttached(MimeTokenStream parts) {
        return parts.getField().getName().equalsIgnoreCase("Content-Disposition")
                && Objects.requireNonNullElse(parts.getField().getBody(), "")
                        .strip()
                        .toLowerCase(Locale.ROOT)
                        .startsWith("attachment");
    }

    private String text(MimeTokenStream part) throws IOException {
        byte[] bytes = part.getDecodedInputStream().readNBytes(MOST_OF_TEXT + 1);
        boolean cut = bytes.length > MOST_OF_TEXT || (goesOn && in.available() == 0);
        String text = new String(bytes, charset(part.getBodyDescriptor().getCharset()));
        return cut ? text.substring(0, text.lastIndexOf('\n') + 1) : text;
    }

    /** Returns the character set, or UTF-8 for an unknown one and for ASCII, which it includes. */
    private static Charset charset(@Nullable String name) {
        try {
            return name == null || name.equalsIgnoreCase("us-ascii")
                    ? UTF_8
                    : Charset.forName(name);
        } catch (IllegalArgumentException e) {
            return UTF_8;
        }
    }
}
