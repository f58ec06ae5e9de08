package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.mailet.mail.DkimSignatures;
import io.github.senderwhitelist.mailet.server.Harmless;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.settings.Parameters;

import jakarta.inject.Inject;
import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.mailet.Mail;
import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.List;

/**
 * A matcher of mails whose sender may be listed, so that only these are verified: of all
 * recipients, or none if the filters of all lists know neither the envelope sender nor the header
 * From:.
 *
 * <pre>{@code
 * <mailet match="io.github.senderwhitelist.mailet.SenderMayBeWhitelisted=file://conf/whitelist.txt" class="SPF">
 *   <onMailetException>ignore</onMailetException>
 * </mailet>
 * }</pre>
 *
 * <p>It takes the parameters of {@link SenderIsWhitelisted}, and {@code maxSignatures}. Whom that
 * one matches when everything is confirmed, this one matches, too, whatever is confirmed, whichever
 * address is the sender, and also after an error. It looks nothing up, and marks and counts
 * nothing.
 */
public class SenderMayBeWhitelisted extends WhitelistMatcher {
    private @Nullable Long maxSignatures;

    @Inject
    public SenderMayBeWhitelisted(SharedLists shared) {
        super(shared);
    }

    @Override
    void open(Parameters parameters) {
        maxSignatures = parameters.given("maxSignatures", ValueType.whole(0, 1_000));
        check.load(parameters, this::isLocal);
    }

    @Override
    public Collection<MailAddress> match(Mail mail) {
        try {
            return check.mayBeListed(mail) && !hasTooManySignatures(mail)
                    ? mail.getRecipients()
                    : List.of();
        } catch (Throwable e) {
            Harmless.log("Matching a mail", e);
            return mail.getRecipients();
        }
    }

    private boolean hasTooManySignatures(Mail mail) throws MessagingException {
        return maxSignatures != null && DkimSignatures.areMoreThan(maxSignatures, mail);
    }
}
