package io.github.senderwhitelist.mailet.verdict;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.decision.Confirmation;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts.Judged;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.MailAddress;
import org.apache.james.server.core.MimeMessageWrapper;
import org.apache.mailet.Mail;
import org.apache.mailet.PerRecipientHeaders.Header;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The headers {@link VerdictHeader} of a mail, one for each recipient. James adds it to the mail
 * when it delivers it to a mailbox of this server, and to no mail for other servers.
 *
 * <p>A mail goes on without the header when this fails.
 */
public final class VerdictHeaders {
    private static final String[] NAMES = {VerdictHeader.NAME};

    /**
     * The most recipients with the same hash code that get a header. James keeps the headers in a
     * hash map, which thousands of such recipients would make very slow. Only a sender who wants
     * that chooses them so.
     */
    private static final int MAX_ALIKE = 10;

    private final HeaderSeal seal;
    private final Destinations destinations;

    /** Makes a writer of headers with this server's seal. */
    public VerdictHeaders(HeaderSeal seal, Destinations destinations) {
        this.seal = seal;
        this.destinations = destinations;
    }

    /**
     * Removes the headers of this name that a sender has written. Nothing else in the mail changes.
     * A mail without them is not touched.
     */
    public static void removeForged(Mail mail) {
        try {
            MimeMessage message = mail.getMessage();
            if (message != null && message.getMatchingHeaderLines(NAMES).hasMoreElements()) {
                remove(mail, message);
            }
        } catch (Throwable e) {
            Harmless.log("Removing a forged header", e);
        }
    }

    /**
     * Removes the headers. James would set other headers, too, and make a broken mail undeliverable
     * if they were removed from the message itself. So the message is copied, unless that fails.
     */
    private static void remove(Mail mail, MimeMessage message) throws MessagingException {
        if (message instanceof MimeMessageWrapper whole) {
            try {
                mail.setMessage(new Without(whole));
                return;
            } catch (Throwable e) {
                Harmless.log("Copying a mail without a forged header", e);
            }
        }
        message.removeHeader(VerdictHeader.NAME);
    }

    /** A message without headers of this name. It can only be copied. */
    private static final class Without extends MimeMessage {
        private final MimeMessageWrapper message;

        Without(MimeMessageWrapper message) throws MessagingException {
            super((Session) null);
            this.message = message;
            setFlags(message.getFlags(), true);
        }

        /** Writes the bytes as they are. James itself replaces bytes over 127 in headers. */
        @Override
        public void writeTo(OutputStream out) throws IOException, MessagingException {
            for (String line : Collections.list(message.getNonMatchingHeaderLines(NAMES))) {
                out.write((line + "\r\n").getBytes(ISO_8859_1));
            }
            out.write('\r');
            out.write('\n');
            message.writeTo(OutputStream.nullOutputStream(), out);
        }
    }

    /**
     * Adds the header of each recipient, in place of the one from an earlier round. James may
     * deliver the mail to another address of the recipient, so that has a header, too.
     *
     * @param part the recipients of the mail
     * @param verdicts what was found out about its sender
     */
    public void add(Mail mail, List<Judged> part, MailVerdicts verdicts) {
        try {
            byte[] fingerprint = HeaderSeal.fingerprint(mail.getMessage());
            Set<Confirmation> confirmed = verdicts.confirmed().get();
            for (Map<MailAddress, Judged> alike : byHashCode(part).values()) {
                alike.forEach(
                        (address, judged) -> {
                            VerdictHeader header =
                                    VerdictHeader.of(
                                            judged.verdict(), verdicts.identity(), confirmed);
                            put(mail, address, header, fingerprint);
                        });
            }
        } catch (Throwable e) {
            Harmless.log("Adding a header", e);
        }
    }

    /**
     * Returns whose verdict the header for each address has, by the hash codes of the addresses.
     * The header for a recipient has its own verdict. Another address that several recipients can
     * become has that of one for whom the sender is not listed, if there is one.
     */
    private Map<Integer, Map<MailAddress, Judged>> byHashCode(List<Judged> part) {
        Map<Integer, Map<MailAddress, Judged>> addresses = new LinkedHashMap<>();
        for (Judged each : part) {
            add(addresses, each.recipient(), each);
        }
        for (Judged each : part) {
            destinations.of(each.recipient()).forEach(other -> add(addresses, other, each));
        }
        return addresses;
    }

    private static void add(
            Map<Integer, Map<MailAddress, Judged>> addresses, MailAddress address, Judged each) {
        Map<MailAddress, Judged> alike =
                addresses.computeIfAbsent(address.hashCode(), code -> new LinkedHashMap<>());
        Judged old = alike.get(address);
        if (old == null ? alike.size() < MAX_ALIKE : saysLess(old, address)) {
            alike.put(address, each);
        }
    }

    /** Returns whether the verdict is not the address's own, and another may be worse. */
    private static boolean saysLess(Judged old, MailAddress address) {
        return old.isListed() && !old.recipient().equals(address);
    }

    private void put(Mail mail, MailAddress to, VerdictHeader header, byte[] fingerprint) {
        String sealed = seal.sign(header, fingerprint, to.asString());
        mail.getPerRecipientSpecificHeaders()
                .getHeadersForRecipient(to)
                .removeIf(old -> old.getName().equalsIgnoreCase(VerdictHeader.NAME));
        mail.addSpecificHeaderForRecipient(
                Header.builder()
                        .name(VerdictHeader.NAME)
                        .value(header.sealed(sealed).print())
                        .build(),
                to);
    }
}
