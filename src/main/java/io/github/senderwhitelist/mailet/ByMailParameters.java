package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Text;

import jakarta.mail.MessagingException;

import org.apache.james.core.Domain;
import org.apache.james.core.MailAddress;
import org.apache.james.filesystem.api.FileSystem;

import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The parameters of {@link WhitelistByMail}.
 *
 * @param list the name of the living list
 * @param address whom users write to; if {@code anyDomain}, only its local part counts
 * @param anyDomain whether the address has this local part at each domain of this server
 * @param maxPerHour how many mails of a user are answered in an hour
 * @param maxEntries how many entries a user may have added
 */
record ByMailParameters(
        String list, Address address, boolean anyDomain, int maxPerHour, int maxEntries) {
    static final String LIST = "list";
    private static final String ADDRESS = "address";
    private static final String MAX_PER_HOUR = "maxPerHour";
    private static final String MAX_ENTRIES = "maxEntries";
    private static final Set<String> NAMES = Set.of(LIST, ADDRESS, MAX_PER_HOUR, MAX_ENTRIES);
    private static final String SOME_DOMAIN = "@any.example";
    private static final int MOST_MAILS = 1_000;
    private static final int MOST_ENTRIES = 10_000;

    /** Parses the values of a mailet. */
    static ByMailParameters parse(String owner, Map<String, String> values, FileSystem files)
            throws MessagingException {
        Parameters parameters = new Parameters(owner, values, files);
        parameters.checkNames(NAMES);
        String written = values.getOrDefault(ADDRESS, "whitelist").strip();
        boolean anyDomain = written.indexOf('@') < 0;
        return new ByMailParameters(
                values.getOrDefault(LIST, "").strip(),
                address(owner, written, anyDomain),
                anyDomain,
                (int) parameters.wholeNumber(MAX_PER_HOUR, 20, MOST_MAILS),
                (int) parameters.wholeNumber(MAX_ENTRIES, 1_000, MOST_ENTRIES));
    }

    private static Address address(String owner, String written, boolean anyDomain)
            throws MessagingException {
        return switch (AddressSyntax.parse(anyDomain ? written + SOME_DOMAIN : written)) {
            case WellFormed(Address address) -> address;
            case Malformed malformed ->
                    throw new MessagingException(
                            owner
                                    + ": parameter "
                                    + ADDRESS
                                    + " = '"
                                    + Text.shown(written)
                                    + "'; allowed: an address, or what stands before its '@'");
        };
    }

    /**
     * Returns whether a recipient is the address that users write to.
     *
     * @param isLocal tells whether a domain is one of this server's
     */
    boolean isFor(MailAddress recipient, Predicate<Domain> isLocal) {
        if (!(AddressSyntax.parse(recipient.asString()) instanceof WellFormed(Address other))) {
            return false;
        }
        return anyDomain
                ? other.local().equals(address.local()) && isLocal.test(recipient.getDomain())
                : other.equals(address);
    }
}
