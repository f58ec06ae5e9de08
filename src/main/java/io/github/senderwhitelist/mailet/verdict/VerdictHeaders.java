package io.github.senderwhitelist.mailet.verdict;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Confirmation;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.server.RecipientAliases;
import io.github.senderwhitelist.mailet.verdict.MailVerdicts.Judged;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.MailAddress;
import org.apache.james.server.core.MimeMessageWrapper;
import org.apache.mailet.Mail;
import org.apache.mailet.PerRecipientHeaders.Header;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The headers {@link VerdictHeader} of a mail, one for each recipient. James adds it to the mail
 * when it delivers it to a mailbox of this server, and to no mail for other servers.
 *
 * @param tags which character begins a tag that James itself does not take off
 */
public record VerdictHeaders(HeaderSeal seal, Subaddressing tags, RecipientUsers users) {
    private static final Logger LOGGER = LoggerFactory.getLogger(VerdictHeaders.class);
    private static final String[] NAMES = {VerdictHeader.NAME};

    /**
     * The most recipients of a mail with headers; a mail to more gets none. James keeps the headers
     * in a hash map, which many recipients with the same hash code would make very slow.
     */
    private static final int MAX_RECIPIENTS = 1_000;

    /**
     * Removes the headers of this name that a sender has written. A mail without them is not
     * touched. James would set other headers, too, and make a broken mail undeliverable if they
     * were removed from the message itself. So the message is copied, unless that fails.
     */
    public static void removeForged(Mail mail) {
        try {
            MimeMessage message = mail.getMessage();
            if (message != null && message.getMatchingHeaderLines(NAMES).hasMoreElements()) {
                if (!(message instanceof MimeMessageWrapper whole) || !copyWithout(mail, whole)) {
                    message.removeHeader(VerdictHeader.NAME);
                }
            }
        } catch (Throwable e) {
            Harmless.log("Removing a forged header", e);
        }
    }

    private static boolean copyWithout(Mail mail, MimeMessageWrapper message) {
        try {
            mail.setMessage(new Without(message));
            return true;
        } catch (Throwable e) {
            Harmless.log("Copying a mail without a forged header", e);
            return false;
        }
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
     */
    public void add(Mail mail, List<Judged> part, MailVerdicts verdicts) throws MessagingException {
        if (part.size() > MAX_RECIPIENTS) {
            LOGGER.debug("mail={}: no header, since it has too many recipients", mail.getName());
            return;
        }
        byte[] fingerprint = VerdictHeader.fingerprint(mail.getMessage());
        Set<Confirmation> confirmed = verdicts.confirmed().get();
        for (Map.Entry<MailAddress, Judged> each : byAddress(part).entrySet()) {
            Verdict verdict = each.getValue().verdict();
            MailAddress to = each.getKey();
            VerdictHeader header = VerdictHeader.of(verdict, verdicts.identity(), confirmed);
            put(mail, to, header.sealed(fingerprint, to.asString(), seal));
        }
    }

    private static void put(Mail mail, MailAddress to, String value) {
        mail.getPerRecipientSpecificHeaders()
                .getHeadersForRecipient(to)
                .removeIf(old -> old.getName().equalsIgnoreCase(VerdictHeader.NAME));
        mail.addSpecificHeaderForRecipient(
                Header.builder().name(VerdictHeader.NAME).value(value).build(), to);
    }

    /**
     * Returns whose verdict the header for each address has. The header for a recipient has its own
     * verdict. Another address that several recipients can become has that of one for whom the
     * sender is not listed, if there is one.
     */
    private Map<MailAddress, Judged> byAddress(List<Judged> part) {
        Map<MailAddress, Judged> others = new LinkedHashMap<>();
        Map<MailAddress, Judged> addresses = new LinkedHashMap<>();
        for (Judged each : part) {
            addresses.putIfAbsent(each.recipient(), each);
            for (MailAddress other : others(each.recipient())) {
                others.merge(other, each, (old, now) -> old.isListed() ? now : old);
            }
        }
        others.forEach(addresses::putIfAbsent);
        return addresses;
    }

    /** Returns what a recipient can become on delivery: itself without its tag, and its user. */
    private Set<MailAddress> others(MailAddress recipient) {
        Set<MailAddress> others = new LinkedHashSet<>();
        if (AddressSyntax.parse(recipient.asString()) instanceof Address address) {
            add(others, address.keyWithoutTag(tags));
            try {
                Address user = users.userOf(address);
                if (user != null) {
                    add(others, user.key());
                    add(others, user.keyWithoutTag(tags));
                }
            } catch (IOException e) {
                LOGGER.debug("The user of recipient {} is not known", recipient, e);
            }
        }
        return others;
    }

    private static void add(Set<MailAddress> others, @Nullable Key key) {
        MailAddress address = key == null ? null : RecipientAliases.mailAddress(key.toString());
        if (address != null) {
            others.add(address);
        }
    }
}
