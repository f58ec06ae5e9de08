package io.github.senderwhitelist.importer;

import java.util.Locale;

/** Whose lists can be read. */
public enum ForeignFormat {
    /** Postfix: access(5) tables, as {@code postmap} reads them. */
    POSTFIX,
    /** SpamAssassin: {@code welcomelist_from} and its kin in configuration files. */
    SPAMASSASSIN,
    /** Rspamd: map files of senders. */
    RSPAMD,
    /** Microsoft 365: allowed and blocked senders as CSV. */
    M365,
    /** James up to 3.8: the whitelist table of its database as CSV. */
    JAMES38;

    /** The name as the command line writes it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
