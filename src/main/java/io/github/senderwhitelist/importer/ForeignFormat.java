package io.github.senderwhitelist.importer;

import java.util.Locale;

/** The programs whose lists can be imported. */
public enum ForeignFormat {
    /** Postfix: access(5) tables, as {@code postmap} reads them. */
    POSTFIX,
    /** SpamAssassin: {@code welcomelist_from} and related settings in configuration files. */
    SPAMASSASSIN,
    /** Rspamd: map files with senders. */
    RSPAMD,
    /** Microsoft 365: allowed and blocked senders as CSV. */
    M365,
    /** James up to 3.8: the whitelist table of its database as CSV. */
    JAMES38,
    /** Address books: vCards. */
    VCARD;

    /** Returns the name that the command line uses. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
