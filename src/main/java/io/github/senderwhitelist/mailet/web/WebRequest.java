package io.github.senderwhitelist.mailet.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.list.ListLine;

import org.jspecify.annotations.Nullable;

import spark.Request;

import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A request to a route: the parameters of its path and of its query, its body and its caller. One
 * that cannot be understood, or that a browser sends for a page of another server, is refused.
 *
 * <p>Spark decodes paths, alike in James 3.8 and 3.9; what they do not agree on is refused. Queries
 * are read here, since Spark takes the body of a form for parameters, too.
 */
public final class WebRequest {
    private static final int MAX_BODY = 1 << 20;
    private static final String MALFORMED = "The URL is not well-formed";

    /**
     * The parameters of queries in which a space is right; all others are of addresses or words.
     */
    private static final Set<String> MAY_HAVE_SPACES = Set.of("as", "after");

    private final Request request;
    private final Map<String, String> query = new HashMap<>();

    /**
     * Reads the path and the query.
     *
     * @param allowed the parameters that the query may have; an unknown one may be a mistake
     */
    public WebRequest(Request request, String... allowed) {
        this.request = request;
        requireOwnPage();
        decoded(request.uri().replace("+", "%2B"));
        if (request.uri().contains(";") || request.uri().contains("//")) {
            throw Errors.of(
                    400,
                    MALFORMED,
                    "its path has ';' or '//'; allowed: %3B, and one slash at a time");
        }
        String written = request.queryString();
        if (written != null && !written.isEmpty()) {
            for (String parameter : written.split("&", -1)) {
                readParameter(parameter, List.of(allowed));
            }
        }
    }

    /**
     * Refuses what a browser sends for a page of another server. James lets all pages send and read
     * whatever they want, unless it is told otherwise. What is no browser sends neither header, and
     * Sec-Fetch-Site is also there where a request has no Origin.
     */
    private void requireOwnPage() {
        String host = request.headers("Host");
        @Nullable String origin = request.headers("Origin");
        @Nullable String site = request.headers("Sec-Fetch-Site");
        boolean isForeign =
                origin != null
                        && !origin.equalsIgnoreCase("http://" + host)
                        && !origin.equalsIgnoreCase("https://" + host);
        if (isForeign || (site != null && !site.equals("same-origin") && !site.equals("none"))) {
            throw Errors.of(
                    403,
                    "The request comes from a web page of another server",
                    "Origin: %s, Sec-Fetch-Site: %s; a proxy must pass Host on as it was sent",
                    origin,
                    site);
        }
    }

    private void readParameter(String parameter, List<String> allowed) {
        int equals = parameter.indexOf('=');
        String name = decoded(equals < 0 ? parameter : parameter.substring(0, equals));
        String value = equals < 0 ? "" : parameter.substring(equals + 1);
        if (!allowed.contains(name)) {
            throw Errors.of(
                    400,
                    "The query has an unknown parameter",
                    "'%s'; allowed: %s",
                    name,
                    allowed.isEmpty() ? "none" : String.join(", ", allowed));
        }
        if (value.contains("+") && !MAY_HAVE_SPACES.contains(name)) {
            throw Errors.of(
                    400,
                    "A plus sign stands for a space in a query",
                    "%s=%s; allowed: %%2B for a plus sign, %%20 for a space",
                    name,
                    value);
        }
        if (query.put(name, decoded(value)) != null) {
            throw Errors.of(400, "A parameter is there twice", "'%s'; allowed: once", name);
        }
    }

    /** Returns text in which a plus sign stands for a space, as in forms, as it was meant. */
    private static String decoded(String text) {
        try {
            String decoded = URLDecoder.decode(text, UTF_8);
            if (decoded.indexOf('\uFFFD') < 0) {
                return decoded;
            }
        } catch (IllegalArgumentException e) {
            // As below.
        }
        throw Errors.of(
                400,
                MALFORMED,
                "'%s' has a %% without two hexadecimal digits, or is not UTF-8; a percent sign is"
                        + " written %%25",
                text);
    }

    /** Returns a parameter of the path. */
    String path(String name) {
        return request.params(":" + name);
    }

    /** Returns a parameter of the query, or null when it is not there. */
    @Nullable String query(String name) {
        return query.get(name);
    }

    /**
     * Returns the value of a parameter of the query, or that of another text if it is not there.
     */
    <T> T query(String name, ValueType<T> type, String defaultValue) {
        String written = Objects.requireNonNullElse(query.get(name), defaultValue);
        return type.parse(written)
                .orElseThrow(
                        () ->
                                Errors.of(
                                        400,
                                        "The value of a parameter is not allowed",
                                        name + "='%s'; allowed: " + type.allowed(),
                                        written));
    }

    /** Returns the sender that an entry is about. */
    Key sender() {
        return key("sender", path("sender"));
    }

    /** Returns the recipients that an entry is for, or null for all. */
    @Nullable Key recipients() {
        String written = path("recipient");
        return written == null ? null : key("recipient", written);
    }

    /** Returns the key that is written as a parameter. */
    static Key key(String name, String written) {
        if (HiddenCharacters.strip(written).startsWith("!")) {
            throw Errors.of(
                    400,
                    "The " + name + " begins with '!'",
                    "'%s'; an entry that denies has {\"denied\":true} in its body; an address that"
                            + " begins so is written in quotes, \"!name\"@domain",
                    written);
        }
        return switch (ListLine.parseKey(written)) {
            case ListLine.GoodKey(Key key) -> key;
            case ListLine.Bad(String reason) ->
                    throw Errors.of(400, "The " + name + " is no address and no domain", reason);
        };
    }

    /** Returns the key that is written as a parameter and may not be a domain. */
    static Key address(String name, String written) {
        Key key = key(name, written);
        if (key.isDomain()) {
            throw Errors.of(
                    400, "The " + name + " is a domain", "'%s'; allowed: an address", written);
        }
        return key;
    }

    /**
     * Returns the body, which must not be empty.
     *
     * @param curl what curl should be told, for messages
     */
    String body(String curl) {
        byte[] body = request.bodyAsBytes();
        if (body == null || new String(body, UTF_8).isBlank()) {
            throw Errors.of(
                    400,
                    "The body is empty",
                    request.headers("Transfer-Encoding") != null
                            ? "send it with a Content-Length: James 3.8 loses a body in chunks"
                            : "say "
                                    + curl
                                    + " to curl: its default content type, that of a form, leaves"
                                    + " an empty body in James 3.9.0");
        }
        if (body.length > MAX_BODY) {
            throw Errors.of(
                    413, "The body is too long", "allowed: 1048576 bytes; send less at once");
        }
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
        } catch (CharacterCodingException e) {
            throw Errors.of(400, "The body is not UTF-8", null);
        }
    }

    /** Returns the caller: the login that James' filter found proved, else the client's address. */
    String who() {
        Object login = request.attribute("LOGIN");
        return login == null ? "webadmin " + request.ip() : Text.shown(login.toString());
    }
}
