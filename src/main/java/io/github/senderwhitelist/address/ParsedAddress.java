package io.github.senderwhitelist.address;

/**
 * The result of parsing text as an address: the {@link Address}, or the reason why there is none.
 */
public sealed interface ParsedAddress permits Address, ParsedAddress.Malformed {
    /**
     * The text is no address.
     *
     * @param reason what was found and what is allowed, in one line for people
     */
    record Malformed(String reason) implements ParsedAddress {}
}
