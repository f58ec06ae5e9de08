package io.github.senderwhitelist.mailet.mail;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.mime4j.MimeException;
import org.apache.james.mime4j.message.DefaultBodyDescriptorBuilder;
import org.apache.james.mime4j.message.MaximalBodyDescriptor;
import org.apache.james.mime4j.stream.EntityState;
import org.apache.james.mime4j.stream.MimeConfig;
import org.apache.james.mime4j.stream.MimeTokenStream;
import org.apache.james.mime4j.stream.RecursionMode;
import org.apache.james.mime4j.util.CharsetUtil;
import org.apache.james.server.core.MimeMessageInputStream;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;

/**
 * What the beginning of a mail holds. Its sender chooses size and structure, so no more is read, in
 * one pass and without recursion, and of its parts only texts.
 */
public final class MailContent {
    private static final int MAX_BYTES = 256 << 10;
    private static final int MAX_TEXT_BYTES = 64 << 10;

    /** How deep parts may lie in parts. Mail programs need three levels. */
    private static final int MAX_DEPTH = 20;

    private @Nullable String plain;
    private @Nullable String html;
    private boolean hasCalendar;

    /** Whether there is something else than the text, or something that is not read. */
    private boolean hasMore;

    private MailContent() {}

    /** Reads the beginning of a mail. */
    public static MailContent of(MimeMessage message) throws IOException, MessagingException {
        byte[] beginning;
        try (InputStream in = new MimeMessageInputStream(message)) {
            beginning = in.readNBytes(MAX_BYTES);
        }
        MailContent content = new MailContent();
        content.hasMore = beginning.length == MAX_BYTES;
        try {
            content.read(beginning);
        } catch (MimeException e) {
            content.hasMore = true;
        }
        return content;
    }

    /** Returns the first plain text that is no attachment, else that of HTML; null if neither. */
    public @Nullable String text() {
        return html != null && (plain == null || plain.isBlank()) ? html : plain;
    }

    /**
     * Returns whether there is nothing that a user may have written: no text but a signature (RFC
     * 3676, section 4.3), and no other part.
     */
    public boolean isEmpty() {
        String text = text();
        return !hasMore
                && (text == null
                        || text.lines()
                                .map(line -> line.replace('\u00a0', ' ').strip())
                                .takeWhile(line -> !line.equals("--"))
                                .allMatch(String::isEmpty));
    }

    /** Returns whether a calendar has written a part of it, such as the answer to an invitation. */
    public boolean hasCalendar() {
        return hasCalendar;
    }

    private void read(byte[] beginning) throws IOException, MimeException {
        MimeTokenStream parts =
                new MimeTokenStream(MimeConfig.PERMISSIVE, new DefaultBodyDescriptorBuilder());
        // Mails within the mail are of others.
        parts.setRecursionMode(RecursionMode.M_NO_RECURSE);
        parts.parse(new ByteArrayInputStream(beginning));
        int depth = 0;
        for (EntityState state = parts.getState();
                state != EntityState.T_END_OF_STREAM;
                state = parts.next()) {
            switch (state) {
                case T_START_MULTIPART -> {
                    if (++depth > MAX_DEPTH) {
                        hasMore = true;
                        return;
                    }
                }
                case T_END_MULTIPART -> depth--;
                case T_BODY -> part(parts, (MaximalBodyDescriptor) parts.getBodyDescriptor());
                default -> {}
            }
        }
    }

    private void part(MimeTokenStream part, MaximalBodyDescriptor described) throws IOException {
        String type = described.getMimeType();
        boolean isAttached = "attachment".equalsIgnoreCase(described.getContentDispositionType());
        hasCalendar |= type.equals("text/calendar");
        if (type.equals("text/plain") && !isAttached && plain == null) {
            plain = text(part, described);
        } else if (type.equals("text/html") && !isAttached) {
            html = html == null || html.isEmpty() ? HtmlText.of(text(part, described)) : html;
        } else {
            hasMore = true;
        }
    }

    /** Returns a text. An unknown character set is taken for UTF-8, and so is ASCII. */
    private String text(MimeTokenStream part, MaximalBodyDescriptor described) throws IOException {
        byte[] bytes = part.getDecodedInputStream().readNBytes(MAX_TEXT_BYTES);
        hasMore |= bytes.length == MAX_TEXT_BYTES;
        Charset charset = CharsetUtil.lookup(described.getCharset());
        return new String(bytes, charset == null || charset.equals(US_ASCII) ? UTF_8 : charset);
    }
}
