package io.github.senderwhitelist.address;

/** The result of parsing text as an address: the {@link Address}, or why there is none. */
public sealed interface ParsedAddress permits Address, ParsedAddress.Malformed {
    /** No address; the reason is what was found and what is allowed, in one line for people. */
    record Malformed(String reason) implements ParsedAddress {}
}
