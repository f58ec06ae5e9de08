package io.github.senderwhitelist.mailet.bymail;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;

import org.apache.james.core.Domain;
import org.apache.james.core.MailAddress;

import java.util.function.Predicate;

/**
 * The address to which users write commands.
 *
 * @param address the address; if {@code anyDomain}, only its local part counts
 * @param anyDomain whether it has this local part at each domain of this server
 */
public record CommandAddress(Address address, boolean anyDomain) {
    private static final String NAME = "address";
    private static final String SOME_DOMAIN = "@any.example";
    private static final ValueType<String> TYPE =
            ValueType.text(
                    "an address, or what stands before its '@'",
                    "an address, or what stands before its `@` at each domain");

    /** Reads the parameter of a mailet. */
    public static CommandAddress read(Parameters parameters) throws SettingException {
        String written = parameters.value(NAME, TYPE, "whitelist");
        boolean anyDomain = written.indexOf('@') < 0;
        return switch (AddressSyntax.parse(anyDomain ? written + SOME_DOMAIN : written)) {
            case WellFormed(Address address) -> new CommandAddress(address, anyDomain);
            case Malformed malformed -> throw parameters.wrong(NAME, written, TYPE.allowed());
        };
    }

    /**
     * Returns whether a recipient is this address.
     *
     * @param isLocal returns whether a domain is one of this server's
     */
    public boolean is(MailAddress recipient, Predicate<Domain> isLocal) {
        if (!(AddressSyntax.parse(recipient.asString()) instanceof WellFormed(Address other))) {
            return false;
        }
        return anyDomain
                ? other.local().equals(address.local()) && isLocal.test(recipient.getDomain())
                : other.equals(address);
    }
}
