package io.github.senderwhitelist.it.james39;

import org.apache.mailet.Attribute;
import org.apache.mailet.AttributeName;
import org.apache.mailet.AttributeValue;
import org.apache.mailet.Mail;
import org.apache.mailet.base.GenericMailet;

/** In the place of James' mailet of this name: remembers the folder for {@link LocalDelivery}. */
public final class WithStorageDirective extends GenericMailet {
    static final AttributeName FOLDER = AttributeName.of("it.folder");

    @Override
    public void service(Mail mail) {
        mail.setAttribute(
                new Attribute(FOLDER, AttributeValue.of(getInitParameter("targetFolderName"))));
    }
}
