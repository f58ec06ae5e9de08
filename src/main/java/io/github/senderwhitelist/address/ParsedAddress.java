package io.github.senderwhitelist.address;

/** What became of text that should be an address: the {@link Address}, or why it is none. */
public sealed interface ParsedAddress {

    /** Text that is an address. */
    record WellFormed(Address address) implements ParsedAddress {}

    /**
     * Text that is none.
     *
     * @param reason what was found and what is allowed, for a person to read
     */
    record Malformed(String reason) implements ParsedAddress {}
}
