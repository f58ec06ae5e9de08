package io.github.senderwhitelist.cli;

import java.io.IOException;
import java.util.regex.Pattern;

/**
 * A header that logs a client in to WebAdmin. Its value is a secret, so messages have its name
 * only.
 */
final class WebLogin {
    /** What the client of Java sends and WebAdmin reads alike. */
    private static final Pattern SENDABLE = Pattern.compile("[!-~]([ -~]*[!-~])?");

    private final String header;
    private final String value;
    private final String name;

    private WebLogin(String header, String prefix, String secret, String name) throws IOException {
        if (!SENDABLE.matcher(secret).matches()) {
            throw new IOException(
                    name
                            + " cannot be sent; allowed: letters, digits and signs of ASCII, at"
                            + " least one");
        }
        this.header = header;
        this.value = prefix + secret;
        this.name = name;
    }

    /**
     * Returns the login with WebAdmin's password, which James 3.9.0 and later know.
     *
     * @param option the option that it was given with
     * @throws IOException if no header can have it
     */
    static WebLogin password(String password, String option) throws IOException {
        return new WebLogin("Password", "", password, "the password of " + option);
    }

    /**
     * Returns the login with a token.
     *
     * @param option the option that it was given with
     * @throws IOException if no header can have it
     */
    static WebLogin token(String token, String option) throws IOException {
        return new WebLogin("Authorization", "Bearer ", token, "the token of " + option);
    }

    String header() {
        return header;
    }

    String value() {
        return value;
    }

    /** Returns the name of the login, fit for messages. */
    @Override
    public String toString() {
        return name;
    }
}
