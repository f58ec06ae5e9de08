package io.github.senderwhitelist.importer;

import java.util.Locale;

/** The programs whose lists can be imported. */
public enum ForeignFormat {
    /** Postfix: access(5) tables, as {@code postmap} reads them. */
    POSTFIX,
    /** SpamAssassin: {@code welcomelist_from} and related settings in configuration files. */
    SPAMASSASSIN,
    /** SpamAssassin: the table of preferences of its database as CSV. */
    SPAMASSASSIN_SQL,
    /** Rspamd: map files with senders. */
    RSPAMD,
    /** Microsoft 365: allowed and blocked senders as CSV. */
    M365,
    /** Plain lists: one address or domain a line. */
    LIST,
    /** Amavis: files of senders, one a line. */
    AMAVIS,
    /** MailScanner: rules of welcome senders. */
    MAILSCANNER,
    /** Address books: vCards. */
    VCARD,
    /** Address books as CSV. */
    CSV,
    /** Address books as LDIF. */
    LDIF;

    /** Returns whether it is the address book of one user, who must be named. */
    public boolean isAddressBook() {
        return this == VCARD || this == CSV || this == LDIF;
    }

    /** Returns whether an address also stands for the same with a tag, as it does here. */
    public boolean knowsTags() {
        return this == RSPAMD || this == LIST || isAddressBook();
    }

    /** Returns the name that the command line uses. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
