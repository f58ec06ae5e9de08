package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.decision.FromHeader;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The headers of a mail that an administrator asks about, read as those of a mail are.
 *
 * @param returnPath the envelope sender, empty for the null sender; null if no header has it
 * @param from the mailbox in the header From:; null if it is unclear
 * @param confirmed what the nearest server found confirmed, as {@code confirmed=} takes it. To
 *     judge a mail, no header is believed; to explain one, these are what is left of it
 */
record PastedHeaders(@Nullable String returnPath, @Nullable Address from, String confirmed) {
    /** The header that the mailet writes, and the words in it. */
    private static final String OWN = "X-Sender-Whitelist";

    private static final Pattern OWN_RESULT =
            Pattern.compile("; confirmed=(none|(?:(?:spf|dkim|login|network),?)++)(?:;|$)");

    /** What confirms in Authentication-Results (RFC 8601), in which semicolons separate results. */
    private static final Pattern PASS = Pattern.compile(" ?(spf|dkim) ?= ?pass\\b.*");

    private static final Pattern SIGNER =
            Pattern.compile("header\\.(?:d=|i=[^\\s@=]*+@)([\\w.-]++)");

    /** Reads headers, after which a mail's content may follow. */
    static PastedHeaders parse(byte[] text) {
        int start = 0;
        while (start < text.length && Character.isWhitespace(text[start])) {
            start++;
        }
        try {
            MimeMessage mail =
                    new MimeMessage(
                            Session.getInstance(new Properties()),
                            new ByteArrayInputStream(text, start, text.length - start));
            String[] froms = mail.getHeader("From");
            String path = first(mail, "Return-Path");
            return new PastedHeaders(
                    path == null
                            ? null
                            : FromHeader.readable(path).strip().replaceAll("^<(.*)>$", "$1"),
                    froms == null ? null : FromHeader.mailbox(List.of(froms)),
                    confirmed(mail));
        } catch (MessagingException e) {
            throw WebRequest.refused(
                    "the headers cannot be read: %s", String.valueOf(e.getMessage()));
        }
    }

    /** Returns the uppermost header, which the last server has written. */
    private static @Nullable String first(MimeMessage mail, String name) throws MessagingException {
        String[] values = mail.getHeader(name);
        return values == null ? null : values[0].replaceAll("\\s+", " ");
    }

    private static String confirmed(MimeMessage mail) throws MessagingException {
        Matcher own = OWN_RESULT.matcher(String.valueOf(first(mail, OWN)));
        if (own.find()) {
            return own.group(1).equals("none") ? "" : own.group(1);
        }
        Set<String> confirmed = new LinkedHashSet<>();
        if (String.valueOf(first(mail, "Received-SPF")).strip().startsWith("pass")) {
            confirmed.add("spf");
        }
        String results = String.valueOf(first(mail, "Authentication-Results"));
        for (String result : results.split(";", -1)) {
            Matcher pass = PASS.matcher(result);
            Matcher signer = SIGNER.matcher(result);
            if (!pass.matches()) {
                continue;
            }
            if (pass.group(1).equals("spf")) {
                confirmed.add("spf");
            } else if (signer.find() && AddressSyntax.parseDomain(signer.group(1)) != null) {
                confirmed.add("dkim:" + signer.group(1));
            }
        }
        return String.join(",", confirmed);
    }
}
