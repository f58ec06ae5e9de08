package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.list.ListLine.ParsedKey;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * A request that has a route.
 *
 * @param parameters those of the path and those of the query, decoded, by their names
 * @param body the body of a PUT or PATCH, else an empty string
 * @param who the caller, for the history
 */
public record WebRequest(Map<String, String> parameters, String body, String who) {
    /** Returns a parameter, or null when it is not there. */
    @Nullable String optional(String name) {
        return parameters.get(name);
    }

    /**
     * Returns a parameter.
     *
     * @throws WebException if it is not there
     */
    String required(String name) throws WebException {
        String value = parameters.get(name);
        if (value == null) {
            throw WebException.badRequest("A parameter is missing", name + "=");
        }
        return value;
    }

    /** Returns the sender that an entry is about. */
    Key sender() throws WebException {
        return key("sender", required("sender"));
    }

    /** Returns the recipients that an entry is for, or null for all. */
    @Nullable Key recipients() throws WebException {
        String inPath = optional("recipient");
        String written = inPath == null ? optional("for") : inPath;
        return written == null ? null : key("recipient", written);
    }

    /** Returns the address of the user that a request is about. */
    Key user() throws WebException {
        String written = required("user");
        Key user = key("user", written);
        if (user.isDomain()) {
            throw WebException.badRequest(
                    "The user is a domain", "'" + Text.shown(written) + "'; allowed: an address");
        }
        return user;
    }

    /** Returns the key that a parameter names. */
    static Key key(String name, String written) throws WebException {
        if (HiddenCharacters.strip(written).startsWith("!")) {
            throw WebException.badRequest(
                    "The " + name + " begins with '!'",
                    "'"
                            + Text.shown(written)
                            + "'; an entry that denies has {\"denied\":true} in its body; an"
                            + " address that begins so is written in quotes, \"!name\"@domain");
        }
        return switch (ListLine.parseKey(written)) {
            case ParsedKey.Good(Key key) -> key;
            case ParsedKey.Bad(String reason) ->
                    throw WebException.badRequest(
                            "The " + name + " is no address and no domain", reason);
        };
    }

    /**
     * Returns the body.
     *
     * @param contentType the content type that the client should have sent, for messages
     * @param example a body that says little, for messages
     * @throws WebException if the body is empty
     */
    String bodyOf(String contentType, String example) throws WebException {
        if (body.isBlank()) {
            throw WebException.badRequest(
                    "The body is empty",
                    "say -H 'Content-Type: "
                            + contentType
                            + "' and "
                            + example
                            + " to curl: its default content type, that of a form, leaves an empty"
                            + " body in James 3.9.0");
        }
        return body;
    }
}
