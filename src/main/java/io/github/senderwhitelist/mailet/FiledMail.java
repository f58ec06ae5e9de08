package io.github.senderwhitelist.mailet;

import jakarta.mail.internet.MimeMessage;

import org.apache.james.mailbox.model.MailboxId;

import java.util.List;

/**
 * A mail in the folders of a user.
 *
 * @param headers the mail without its content
 * @param places where it lies now
 */
record FiledMail(MimeMessage headers, List<Place> places) {
    /** The mark that mail programs give to spam. Flags ignore the case of letters. */
    static final String JUNK = "$Junk";

    /** What a folder is for. */
    enum Kind {
        SPAM,
        TRASH,
        OTHER
    }

    /**
     * A folder that the mail lies in.
     *
     * @param isJunk whether the mail is marked as spam in this folder
     */
    record Place(MailboxId folder, Kind kind, boolean isJunk) {}
}
