package io.github.senderwhitelist.mailet.mail;

import io.github.senderwhitelist.address.AddressSyntax;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.mailet.Mail;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The signers of a mail, from the attribute that James' mailet {@code DKIMVerify} sets: one line of
 * text with the identities ({@code i=}, RFC 6376, section 3.5) of all valid signatures.
 *
 * <p>A signer chooses what stands before the last {@code @} of an identity, and could make it look
 * like another identity in that line. So the line is believed only if every signature of the mail
 * has a plain identity or none. A mail with more than {@value #MAX_SIGNATURES} signatures, or
 * signatures of more than {@value #MAX_CHARACTERS} characters together, counts as unsigned.
 */
public final class DkimSignatures {
    private static final Logger LOGGER = LoggerFactory.getLogger(DkimSignatures.class);

    private static final int MAX_SIGNATURES = 50;
    private static final int MAX_CHARACTERS = 100_000;

    private static final String PASS = "pass";
    private static final String BEGIN = " (identity ";
    private static final String[] HEADER = {"DKIM-Signature"};
    private static final Pattern WHITE_SPACE = Pattern.compile("\\s++");
    private static final Pattern IDENTITY = Pattern.compile("[^()\\s]*@[A-Za-z0-9._-]++");
    private static final Pattern PLAIN_IDENTITY =
            Pattern.compile("[A-Za-z0-9!#$%&'*+/?^_`{|}~.-]*+@[A-Za-z0-9._-]++");

    private DkimSignatures() {}

    /** Returns whether a mail has more signatures than that, valid or not. */
    public static boolean areMoreThan(long most, Mail mail) throws MessagingException {
        MimeMessage message = mail.getMessage();
        if (message == null) {
            return false;
        }
        long count = 0;
        Enumeration<String> lines = message.getMatchingHeaderLines(HEADER);
        while (count <= most && lines.hasMoreElements()) {
            lines.nextElement();
            count++;
        }
        return count > most;
    }

    /**
     * Returns the canonical domains of the valid signatures.
     *
     * @param result the line that {@code DKIMVerify} has written
     */
    static List<String> signers(Mail mail, String result) {
        List<String> identities = identities(result);
        if (identities.isEmpty() || !arePlain(mail)) {
            return List.of();
        }
        List<String> signers = new ArrayList<>();
        for (String identity : identities) {
            byte[] domain =
                    AddressSyntax.parseDomain(identity.substring(identity.lastIndexOf('@') + 1));
            if (domain != null) {
                signers.add(new String(domain, StandardCharsets.UTF_8));
            }
        }
        return List.copyOf(signers);
    }

    /** Returns the identities in the line, or none when the line has any other form. */
    private static List<String> identities(String result) {
        if (!result.startsWith(PASS) || result.length() > MAX_CHARACTERS) {
            return List.of();
        }
        List<String> identities = new ArrayList<>();
        for (int at = PASS.length(); at < result.length(); ) {
            int end = result.startsWith(BEGIN, at) ? result.indexOf(')', at) : -1;
            String identity = end < 0 ? "" : result.substring(at + BEGIN.length(), end);
            if (!IDENTITY.matcher(identity).matches() || identities.size() == MAX_SIGNATURES) {
                return List.of();
            }
            identities.add(identity);
            at = end + 1;
        }
        return identities;
    }

    /**
     * Returns whether the mail has signatures, within the limits, and each of them has a plain
     * identity or none.
     */
    private static boolean arePlain(Mail mail) {
        try {
            MimeMessage message = mail.getMessage();
            if (message == null) {
                return false;
            }
            // getHeader would copy all signatures first, however many there are.
            Enumeration<String> lines = message.getMatchingHeaderLines(HEADER);
            int count = 0;
            int characters = 0;
            while (lines.hasMoreElements()) {
                String line = lines.nextElement();
                if (++count > MAX_SIGNATURES
                        || line.length() > MAX_CHARACTERS - characters
                        || !isPlain(line)) {
                    return false;
                }
                characters += line.length();
            }
            return count > 0;
        } catch (MessagingException e) {
            LOGGER.debug("mail={}: its signatures cannot be read", mail.getName(), e);
            return false;
        }
    }

    /** Returns whether a signature has a plain identity or none. */
    private static boolean isPlain(String line) {
        String signature = WHITE_SPACE.matcher(line).replaceAll("");
        for (String tag : signature.substring(signature.indexOf(':') + 1).split(";", -1)) {
            if (tag.startsWith("i=") && !PLAIN_IDENTITY.matcher(tag.substring(2)).matches()) {
                return false;
            }
        }
        return true;
    }
}
