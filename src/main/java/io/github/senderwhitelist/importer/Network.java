package io.github.senderwhitelist.importer;

import java.util.regex.Pattern;

/** Recognizes addresses of clients where addresses of senders are expected. */
final class Network {
    private static final String IPV4 = "[0-9]{1,3}(?:\\.[0-9]{1,3}){0,3}\\.?";
    private static final String IPV6 = "[0-9a-fA-F]*:[0-9a-fA-F:.]*";
    private static final Pattern NETWORK =
            Pattern.compile("!?\\[?(?:" + IPV4 + "|" + IPV6 + ")\\]?(?:/[0-9]{1,3})?");

    private Network() {}

    /**
     * Returns whether a text is an IP address, the beginning of one, or a network: {@code 10.1},
     * {@code 192.0.2.0/24}, {@code 2001:db8::/32}.
     */
    static boolean matches(String text) {
        return NETWORK.matcher(text).matches();
    }
}
