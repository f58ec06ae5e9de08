package io.github.senderwhitelist.mailet.mail;

import jakarta.mail.internet.MimeMessage;

import org.apache.james.mailbox.model.MailboxId;

import java.util.ArrayList;
import java.util.List;

/**
 * A mail in the folders of a user. It is no record, because the components of a record keep their
 * types in the jar for James 3.8, which has none of {@code jakarta.mail}.
 */
public final class FiledMail {
    /** The mail without its content. */
    public final MimeMessage headers;

    /** Where it lies now. */
    public final List<Place> places = new ArrayList<>();

    /** The mark that mail programs give to spam. Flags ignore the case of letters. */
    public static final String JUNK = "$Junk";

    public FiledMail(MimeMessage headers) {
        this.headers = headers;
    }

    /** What a folder is for. */
    public enum Kind {
        SPAM,
        TRASH,
        OTHER
    }

    /**
     * A folder that the mail lies in.
     *
     * @param isJunk whether the mail is marked as spam in this folder
     */
    public record Place(MailboxId folder, Kind kind, boolean isJunk) {}
}
