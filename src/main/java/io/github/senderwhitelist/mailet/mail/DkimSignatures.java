package io.github.senderwhitelist.mailet.mail;

import com.google.common.collect.Iterators;

import io.github.senderwhitelist.address.AddressSyntax;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.mailet.Mail;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

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
    private static final String[] HEADER = {"DKIM-Signature"};
    private static final Pattern NEXT =
            Pattern.compile(" \\(identity [^()\\s]*@([A-Za-z0-9._-]++)\\)");
    private static final Pattern WHITE_SPACE = Pattern.compile("\\s++");
    private static final Pattern PLAIN =
            Pattern.compile("i=[A-Za-z0-9!#$%&'*+/?^_`{|}~.-]*+@[A-Za-z0-9._-]++");

    private DkimSignatures() {}

    /** Returns whether a mail has more signatures than that, valid or not. */
    public static boolean areMoreThan(long max, Mail mail) throws MessagingException {
        Iterator<String> lines = lines(mail);
        return Iterators.advance(lines, Math.toIntExact(max)) == max && lines.hasNext();
    }

    /** Returns the signatures. {@code getHeader} would copy all of them, however many there are. */
    private static Iterator<String> lines(Mail mail) throws MessagingException {
        MimeMessage message = mail.getMessage();
        return message == null
                ? Collections.emptyIterator()
                : message.getMatchingHeaderLines(HEADER).asIterator();
    }

    /** Returns the canonical domains of the signers in a result; none if it has another form. */
    static List<String> signers(Mail mail, String result) {
        List<String> signers = new ArrayList<>();
        if (!result.startsWith(PASS) || result.length() > MAX_CHARACTERS || !arePlain(mail)) {
            return signers;
        }
        Matcher next = NEXT.matcher(result);
        for (int at = PASS.length(); at < result.length(); at = next.end()) {
            if (!next.region(at, result.length()).lookingAt() || signers.size() == MAX_SIGNATURES) {
                return List.of();
            }
            String domain = AddressSyntax.parseDomain(next.group(1));
            if (domain != null) {
                signers.add(domain);
            }
        }
        return signers;
    }

    /** Returns whether the mail has signatures, within the limits, all of which are plain. */
    private static boolean arePlain(Mail mail) {
        try {
            int count = 0;
            int left = MAX_CHARACTERS;
            for (Iterator<String> lines = lines(mail); lines.hasNext(); count++) {
                String line = lines.next();
                left -= line.length();
                if (count == MAX_SIGNATURES || left < 0 || !isPlain(line)) {
                    return false;
                }
            }
            return count > 0;
        } catch (MessagingException e) {
            LOGGER.debug("mail={}: its signatures cannot be read", mail.getName(), e);
            return false;
        }
    }

    private static boolean isPlain(String line) {
        String signature = WHITE_SPACE.matcher(line).replaceAll("");
        return Stream.of(signature.substring(signature.indexOf(':') + 1).split(";", -1))
                .filter(tag -> tag.startsWith("i="))
                .allMatch(tag -> PLAIN.matcher(tag).matches());
    }
}
