package io.github.senderwhitelist.it.james39;

import org.apache.james.core.MailAddress;
import org.apache.mailet.AttributeUtils;
import org.apache.mailet.Mail;

/** In the place of James' mailet of this name: the folder becomes a tag of the address. */
public final class LocalDelivery extends Delivery {
    @Override
    String address(Mail mail, MailAddress recipient) {
        return AttributeUtils.getValueAndCastFromMail(
                        mail, WithStorageDirective.FOLDER, String.class)
                .map(
                        folder ->
                                recipient.getLocalPart()
                                        + "+"
                                        + folder
                                        + "@"
                                        + recipient.getDomain().asString())
                .orElseGet(recipient::asString);
    }
}
