package io.github.senderwhitelist.mailet.mail;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.ContentType;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.ParseException;

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
import java.util.Set;

/**
 * What the beginning of a mail holds.
 *
 * <p>Whoever sends the mail chooses its size and structure. So only its beginning is read, in one
 * pass and without recursion, and of its parts only texts.
 *
 * @param text the first plain text that is no attachment, or if it is empty the text of the first
 *     HTML that is none, without a last line that may be cut; null when there is neither
 * @param isEmpty whether there is nothing that a user may have written: no text but a signature,
 *     and no other part
 * @param answersInvitation whether it has the answer of a calendar to an invitation
 */
public record MailContent(@Nullable String text, boolean isEmpty, boolean answersInvitation) {
    /** How much of a mail is read, in bytes. */
    private static final int MAX_BYTES = 256 << 10;

    /** How much of the text is read, in bytes. */
    private static final int MAX_TEXT_BYTES = 64 << 10;

    /** How deep parts may lie in parts. Mail programs need three levels. */
    private static final int MAX_DEPTH = 20;

    /** What the calendar of somebody who invites sends (RFC 5546). All else is an answer. */
    private static final Set<String> OF_ORGANIZERS =
            Set.of("publish", "request", "add", "cancel", "declinecounter");

    /** Reads the beginning of a mail. */
    public static MailContent of(MimeMessage message) throws IOException, MessagingException {
        Beginning beginning = new Beginning();
        try {
            message.writeTo(beginning);
        } catch (IOException e) {
            if (!beginning.isFull()) {
                throw e;
            }
        }
        Reader reader = new Reader(beginning);
        try {
            reader.read();
        } catch (MimeException e) {
            reader.hasMore = true;
        }
        return reader.content();
    }

    /** Keeps the first bytes that are written, and ends the writing by an exception. */
    private static final class Beginning extends OutputStream {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        boolean isFull() {
            return bytes.size() == MAX_BYTES;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
            int room = MAX_BYTES - bytes.size();
            bytes.write(from, offset, Math.min(room, length));
            if (length > room) {
                throw new IOException("enough is read");
            }
        }
    }

    /** Reads the parts of a mail. */
    private static final class Reader {
        private final ByteArrayInputStream in;

        /** Whether the mail goes on after what was read. */
        private final boolean goesOn;

        private @Nullable String text;
        private @Nullable String html;
        private boolean answersInvitation;

        /** Whether there is something else than the text, or something that is not read. */
        private boolean hasMore;

        Reader(Beginning beginning) {
            this.in = new ByteArrayInputStream(beginning.bytes.toByteArray());
            this.goesOn = beginning.isFull();
            this.hasMore = goesOn;
        }

        MailContent content() {
            String own = html != null && (text == null || text.isBlank()) ? html : text;
            boolean written = own != null && isWritten(own);
            return new MailContent(own, !written && !hasMore, answersInvitation);
        }

        void read() throws IOException, MimeException {
            MimeTokenStream parts = new MimeTokenStream(MimeConfig.PERMISSIVE);
            // Mails within the mail are of others.
            parts.setRecursionMode(RecursionMode.M_NO_RECURSE);
            parts.parse(in);
            boolean attached = false;
            String type = "";
            int depth = 0;
            for (EntityState state = parts.getState();
                    state != EntityState.T_END_OF_STREAM;
                    state = parts.next()) {
                switch (state) {
                    case T_START_HEADER -> {
                        attached = false;
                        type = "";
                    }
                    case T_FIELD -> {
                        attached |= field(parts, "Content-Disposition").startsWith("attachment");
                        type += field(parts, "Content-Type");
                    }
                    case T_START_MULTIPART -> {
                        if (++depth > MAX_DEPTH) {
                            hasMore = true;
                            return;
                        }
                    }
                    case T_END_MULTIPART -> depth--;
                    case T_BODY -> part(parts, type, attached);
                    default -> {}
                }
            }
        }

        /** Returns the body of a field in lower case, or nothing if it has another name. */
        private static String field(MimeTokenStream parts, String name) {
            return parts.getField().getName().equalsIgnoreCase(name)
                    ? Objects.requireNonNullElse(parts.getField().getBody(), "")
                            .strip()
                            .toLowerCase(Locale.ROOT)
                    : "";
        }

        private void part(MimeTokenStream part, String type, boolean attached) throws IOException {
            String kind = part.getBodyDescriptor().getMimeType();
            answersInvitation |= kind.equals("text/calendar") && !isOfOrganizer(type);
            if (kind.equals("text/plain") && !attached && text == null) {
                text = text(part);
            } else if (kind.equals("text/html") && !attached) {
                html = html == null || html.isEmpty() ? HtmlText.of(text(part)) : html;
            } else {
                hasMore = true;
            }
        }

        private static boolean isOfOrganizer(String type) {
            try {
                String method = new ContentType(type).getParameter("method");
                return method != null && OF_ORGANIZERS.contains(method);
            } catch (ParseException e) {
                return false;
            }
        }

        private String text(MimeTokenStream part) throws IOException {
            byte[] bytes = part.getDecodedInputStream().readNBytes(MAX_TEXT_BYTES + 1);
            boolean cut = bytes.length > MAX_TEXT_BYTES || (goesOn && in.available() == 0);
            hasMore |= cut;
            String text = new String(bytes, charset(part.getBodyDescriptor().getCharset()));
            return cut ? text.substring(0, text.lastIndexOf('\n') + 1) : text;
        }

        /** Returns whether a text has more than a signature (RFC 3676, section 4.3). */
        private static boolean isWritten(String text) {
            return text.lines()
                    .map(line -> line.replace('\u00a0', ' ').strip())
                    .takeWhile(line -> !line.equals("--"))
                    .anyMatch(line -> !line.isEmpty());
        }

        /** Returns the character set, or UTF-8 for an unknown one and for ASCII. */
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
}
