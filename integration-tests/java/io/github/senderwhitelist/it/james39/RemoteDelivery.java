package io.github.senderwhitelist.it.james39;

import org.apache.james.core.MailAddress;
import org.apache.mailet.Mail;

/** In the place of James' mailet of this name: one try, no queue. */
public final class RemoteDelivery extends Delivery {
    @Override
    String address(Mail mail, MailAddress recipient) {
        return recipient.asString();
    }
}
