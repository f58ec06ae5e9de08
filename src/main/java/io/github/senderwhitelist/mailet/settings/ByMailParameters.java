package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.mailet.WhitelistByMail;

import org.apache.james.core.Domain;
import org.apache.james.core.MailAddress;

import java.util.function.Predicate;

import javax.crypto.SecretKey;

/**
 * The parameters of {@link WhitelistByMail}.
 *
 * @param address whom users write to; if {@code anyDomain}, only its local part counts
 * @param anyDomain whether the address has this local part at each domain of this server
 * @param maxPerHour how many mails of a user are answered in an hour
 * @param maxEntries how many entries a user may have added
 * @param maxNewPerDay how many new entries, however they come, a user may have in a day
 * @param sealKey seals the changes that users confirm
 */
public record ByMailParameters(
        Address address,
        boolean anyDomain,
        int maxPerHour,
        int maxEntries,
        int maxNewPerDay,
        SecretKey sealKey) {
    private static final String SOME_DOMAIN = "@any.example";

    /** Parses the parameters of a mailet. */
    public static ByMailParameters parse(Parameters parameters) throws SettingException {
        parameters.checkNames(Settings.OF_COMMANDS_BY_MAIL);
        String written = parameters.value(Settings.ADDRESS);
        boolean anyDomain = written.indexOf('@') < 0;
        return new ByMailParameters(
                address(parameters, written, anyDomain),
                anyDomain,
                Math.toIntExact(parameters.value(Settings.MAX_PER_HOUR)),
                Math.toIntExact(parameters.value(Settings.MAX_ENTRIES)),
                Math.toIntExact(parameters.value(Settings.MAX_NEW_PER_DAY)),
                HeaderKey.of(parameters, Disk.LOCAL));
    }

    private static Address address(Parameters parameters, String written, boolean anyDomain)
            throws SettingException {
        return switch (AddressSyntax.parse(anyDomain ? written + SOME_DOMAIN : written)) {
            case WellFormed(Address address) -> address;
            case Malformed malformed ->
                    throw parameters.wrong(
                            Settings.ADDRESS, written, Settings.ADDRESS.type().allowed());
        };
    }

    /**
     * Returns whether a recipient is the address that users write to.
     *
     * @param isLocal returns whether a domain is one of this server's
     */
    public boolean isFor(MailAddress recipient, Predicate<Domain> isLocal) {
        if (!(AddressSyntax.parse(recipient.asString()) instanceof WellFormed(Address other))) {
            return false;
        }
        return anyDomain
                ? other.local().equals(address.local()) && isLocal.test(recipient.getDomain())
                : other.equals(address);
    }
}
