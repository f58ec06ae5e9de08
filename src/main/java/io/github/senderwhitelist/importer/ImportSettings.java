package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;

/**
 * What the lists themselves do not say, but the configuration of the other program.
 *
 * @param parentDomains for Postfix: whether a domain matches its subdomains, too
 * @param recipientDelimiter for Postfix: what begins a tag
 * @param auth for Rspamd: what must confirm the senders of a map of its whitelist module; nothing:
 *     the map is of a multimap
 */
public record ImportSettings(
        boolean parentDomains, Subaddressing recipientDelimiter, AuthRequirement auth) {
    /** As the programs are when nothing was configured. */
    public static final ImportSettings DEFAULT =
            new ImportSettings(true, Subaddressing.NONE, AuthRequirement.NONE);
}
