package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.ValueType;

/**
 * The programs whose lists can be imported: access(5) tables of Postfix; SpamAssassin's {@code
 * welcomelist_from} and related settings, in files and in its database as CSV; maps of Rspamd;
 * senders of Microsoft 365 as CSV; plain lists; senders of Amavis; rules of MailScanner; and
 * address books.
 */
public enum ForeignFormat implements ValueType.Word {
    POSTFIX,
    SPAMASSASSIN,
    SPAMASSASSIN_SQL,
    RSPAMD,
    M365,
    LIST,
    AMAVIS,
    MAILSCANNER,
    VCARD,
    CSV,
    LDIF;

    /** Returns whether it is the address book of one user, who must be named. */
    public boolean isAddressBook() {
        return this == VCARD || this == CSV || this == LDIF;
    }

    /** Returns whether an address also stands for the same with a tag, as it does here. */
    public boolean knowsTags() {
        return this == RSPAMD || this == LIST || isAddressBook();
    }
}
