package io.github.senderwhitelist.mailet;

import jakarta.mail.internet.MimeMessage;

import org.apache.james.mailbox.model.MailboxId;

import java.util.ArrayList;
import java.util.List;

/**
 * A mail in the folders of a user. It is no record, because the components of a record keep their
 * types in the jar for James 3.8, which has none of {@code jakarta.mail}.
 */
final class FiledMail {
    /** The mail without its content. */
    final MimeMessage headers;

    /** Where it lies now. */
    final List<Place> places = new ArrayList<>();

    /** The mark that mail programs give to spam. Flags ignore the case of letters. */
    static final String JUNK = "$Junk";

    FiledMail(MimeMessage headers) {
        this.headers = headers;
    }

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
