package io.github.senderwhitelist.it.james39;

import org.apache.james.core.MailAddress;
import org.apache.mailet.Mail;
import org.apache.mailet.base.GenericMatcher;

import java.util.Collection;
import java.util.Locale;

/**
 * In the place of James' matcher of this name: matches recipients who have a header of the name in
 * the condition whose value begins with yes.
 */
public final class IsMarkedAsSpam extends GenericMatcher {
    @Override
    public Collection<MailAddress> match(Mail mail) {
        return mail.getRecipients().stream().filter(recipient -> isSpam(mail, recipient)).toList();
    }

    private boolean isSpam(Mail mail, MailAddress recipient) {
        return mail.getPerRecipientSpecificHeaders().getHeadersForRecipient(recipient).stream()
                .filter(header -> header.getName().equals(getCondition()))
                .anyMatch(header -> header.getValue().toLowerCase(Locale.ROOT).startsWith("yes"));
    }
}
