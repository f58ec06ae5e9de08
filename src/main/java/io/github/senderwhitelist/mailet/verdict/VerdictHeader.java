package io.github.senderwhitelist.mailet.verdict;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.decision.Confirmation;
import io.github.senderwhitelist.decision.Organisations;
import io.github.senderwhitelist.decision.SenderIdentity;
import io.github.senderwhitelist.decision.Verdict;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The header by which a recipient sees the verdict:
 *
 * <pre>
 * X-Sender-Whitelist: listed; reason=listed; sender=envelope; confirmed=spf,dkim; by=…
 * </pre>
 *
 * <p>It names no entry, because an entry may be another recipient's own. At its end is a {@link
 * HeaderSeal}, made over a byte 1, the length and the UTF-8 of verdict, reason, sender,
 * confirmation and recipient in this order, and the mail's {@linkplain #fingerprint fingerprint}.
 *
 * @param sender which address of the mail was asked for, a label of {@link SenderIdentity}
 * @param confirmed what has confirmed that address, or {@value #NOTHING}; labels of {@link
 *     Confirmation} with commas between them. Of two addresses, both are confirmed
 */
public record VerdictHeader(String verdict, String reason, String sender, String confirmed) {
    static final String NAME = "X-Sender-Whitelist";
    private static final byte SEALED = 1;
    private static final String NOTHING = "none";

    private static final Pattern FORM =
            Pattern.compile(
                    "([a-z-]++); reason=([a-z-]++); sender=([a-z]++); confirmed=([a-z,]++);"
                            + " by=([A-Za-z0-9_-]++)");

    static VerdictHeader of(Verdict verdict, SenderIdentity sender, Set<Confirmation> confirmed) {
        String labels =
                confirmed.stream().map(Confirmation::label).collect(Collectors.joining(","));
        return new VerdictHeader(
                verdict.word(),
                verdict.reason().label(),
                sender.label(),
                labels.isEmpty() ? NOTHING : labels);
    }

    /**
     * Returns the header that this server has sealed for a recipient of a mail. James' queue in
     * memory may have doubled it. Returns null when the mail has none, different ones, or one that
     * was written or changed by others.
     */
    public static @Nullable VerdictHeader proven(
            MimeMessage mail, String recipient, HeaderSeal seal) throws MessagingException {
        List<String> texts = values(mail, NAME).stream().distinct().toList();
        Matcher form = FORM.matcher(texts.size() == 1 ? texts.getFirst() : "");
        if (!form.matches()) {
            return null;
        }
        VerdictHeader header =
                new VerdictHeader(form.group(1), form.group(2), form.group(3), form.group(4));
        String right = header.sign(fingerprint(mail), recipient, seal);
        return HeaderSeal.isEqual(right, form.group(5)) ? header : null;
    }

    /** Returns the value of the header, on one line, because James' queue over JMS needs that. */
    String sealed(byte[] mail, String recipient, HeaderSeal seal) {
        return "%s; reason=%s; sender=%s; confirmed=%s; by=%s"
                .formatted(verdict, reason, sender, confirmed, sign(mail, recipient, seal));
    }

    private String sign(byte[] mail, String recipient, HeaderSeal seal) {
        String to =
                AddressSyntax.parse(recipient) instanceof Address address
                        ? address.toString()
                        : recipient.toLowerCase(Locale.ROOT);
        return seal.sign(SEALED, mail, verdict, reason, sender, confirmed, to);
    }

    /**
     * Returns the addresses of a mail's sender that, as the header of this server proves, were
     * confirmed when the mail came in: that in From:, and that of the envelope if it is another one
     * and more than a signature has confirmed it. Returns none if nothing proves that the mail came
     * from From:. If only the envelope sender was asked for, it must be the {@linkplain
     * Organisations#areOneSender same sender}: what has confirmed the one confirms the other then.
     */
    public static List<Address> confirmedSenders(
            MimeMessage mail, Address from, Address recipient, HeaderSeal seal)
            throws MessagingException {
        VerdictHeader header = proven(mail, recipient.toString(), seal);
        String path = returnPath(mail);
        Address envelope =
                path.matches("<.*>")
                                && AddressSyntax.parse(path.substring(1, path.length() - 1))
                                        instanceof Address sent
                                && Organisations.areOneSender(sent, from)
                        ? sent
                        : null;
        if (header == null
                || header.confirmed.equals(NOTHING)
                || (envelope == null && header.sender.equals(SenderIdentity.ENVELOPE.label()))) {
            return List.of();
        }
        return envelope == null
                        || envelope.equals(from)
                        || header.confirmed.equals(Confirmation.DKIM.label())
                ? List.of(from)
                : List.of(from, envelope);
    }

    /**
     * Returns the envelope sender in brackets. James writes it into the mail when it delivers it,
     * in place of what others wrote there.
     */
    public static String returnPath(MimeMessage mail) throws MessagingException {
        String[] values = mail.getHeader("Return-Path");
        return values == null || values.length != 1 ? "" : values[0].strip();
    }

    /**
     * Returns the fingerprint of a mail, which distinguishes it from others: the SHA-256 of its
     * headers Message-ID and From:, of which it may lack or have several.
     */
    static byte[] fingerprint(@Nullable MimeMessage mail) throws MessagingException {
        Hasher hasher = Hashing.sha256().newHasher();
        for (String name : List.of("Message-ID", "From")) {
            List<String> values = values(mail, name);
            hasher.putInt(values.size());
            values.forEach(value -> HeaderSeal.put(hasher, value.getBytes(US_ASCII)));
        }
        return hasher.hash().asBytes();
    }

    /**
     * Returns the values of a header, with one space for white space, and one question mark for
     * characters that are not ASCII and for question marks: mail servers fold headers again, and
     * James writes a question mark for each byte over 127.
     */
    private static List<String> values(@Nullable MimeMessage mail, String name)
            throws MessagingException {
        String[] values = mail == null ? null : mail.getHeader(name);
        return Stream.of(values == null ? new String[0] : values)
                .map(value -> value.replaceAll("[\\x00- ]+", " "))
                .map(value -> value.replaceAll("[\\x7f-\\x{10ffff}?]+", "?").strip())
                .toList();
    }
}
