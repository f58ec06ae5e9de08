package io.github.senderwhitelist.importer;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;

import org.jspecify.annotations.Nullable;

/**
 * Settings of the other program that its lists do not contain.
 *
 * @param parentDomains for Postfix: whether a domain matches its subdomains, too
 * @param recipientDelimiter for Postfix: the delimiter of tags
 * @param auth for Rspamd: what must confirm the senders of maps of the whitelist module; {@code
 *     NONE} means that the maps belong to a multimap
 * @param user for address books: the user whose address book it is; null for other formats
 */
public record ImportSettings(
        boolean parentDomains,
        Subaddressing recipientDelimiter,
        AuthRequirement auth,
        @Nullable Address user) {}
