package io.github.senderwhitelist.it.james39;

import jakarta.inject.Inject;
import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.james.rrt.lib.Mapping;
import org.apache.mailet.Mail;
import org.apache.mailet.base.GenericMailet;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** In the place of James' mailet of this name: replaces recipients by what the table has. */
public final class RecipientRewriteTable extends GenericMailet {
    private final org.apache.james.rrt.api.RecipientRewriteTable table;

    /** Called by James' injector. */
    @Inject
    public RecipientRewriteTable(org.apache.james.rrt.api.RecipientRewriteTable table) {
        this.table = table;
    }

    @Override
    public void service(Mail mail) throws MessagingException {
        Set<MailAddress> recipients = new LinkedHashSet<>();
        for (MailAddress recipient : mail.getRecipients()) {
            recipients.addAll(mapped(recipient));
        }
        mail.setRecipients(recipients);
    }

    private List<MailAddress> mapped(MailAddress recipient) throws MessagingException {
        try {
            List<MailAddress> mapped =
                    table.getResolvedMappings(recipient.getLocalPart(), recipient.getDomain())
                            .asStream()
                            .map(Mapping::asMailAddress)
                            .flatMap(Optional::stream)
                            .toList();
            return mapped.isEmpty() ? List.of(recipient) : mapped;
        } catch (Exception e) {
            throw new MessagingException("rewriting " + recipient, e);
        }
    }
}
