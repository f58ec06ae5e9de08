package io.github.senderwhitelist.mailet.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.refresh.FileList;

import org.apache.james.webadmin.utils.ErrorResponder;
import org.apache.james.webadmin.utils.ErrorResponder.ErrorType;
import org.jspecify.annotations.Nullable;

import spark.HaltException;
import spark.Request;

import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A request to a route: the parameters of its path and of its query, its body and its caller. One
 * that cannot be understood, or that a browser sends for a page of another server, ends with an
 * error in the form of James' own routes.
 *
 * <p>Spark decodes paths, alike in James 3.8 and 3.9; what they do not agree on is refused. Queries
 * are read here, since Spark takes the body of a form for parameters, too.
 */
public final class WebRequest {
    private static final int MAX_BODY = 1 << 20;

    /** The parameters of queries in which a space is right; others are addresses or words. */
    private static final Set<String> MAY_HAVE_SPACES = Set.of("as", "after");

    private final Request request;
    private final Map<String, String> query = new HashMap<>();

    /** Reads the path and the query. A parameter that is not allowed may be a mistake. */
    public WebRequest(Request request, String... allowed) {
        this.request = request;
        requireOwnPage();
        String path = request.uri();
        decoded(path.replace("+", "%2B"));
        if (path.contains(";") || path.contains("//")) {
            throw refused("the path has ';' or '//'; allowed: %3B, and one slash at a time");
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
            throw error(
                    403,
                    "The request comes from a web page of another server",
                    "Origin: %s, Sec-Fetch-Site: %s; a proxy must pass Host on as it was sent",
                    origin,
                    site);
        }
    }

    private void readParameter(String parameter, List<String> allowed) {
        String[] sides = parameter.split("=", 2);
        String name = decoded(sides[0]);
        String value = sides.length == 1 ? "" : sides[1];
        if (!allowed.contains(name)) {
            throw refused(
                    "unknown parameter '%s'; allowed: %s",
                    name, allowed.isEmpty() ? "none" : String.join(", ", allowed));
        }
        if (value.contains("+") && !MAY_HAVE_SPACES.contains(name)) {
            throw refused(
                    "%s=%s: a plus sign stands for a space; allowed: %%2B for it, %%20 for a space",
                    name, value);
        }
        if (query.put(name, decoded(value)) != null) {
            throw refused("parameter '%s' is there twice; allowed: once", name);
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
        throw refused(
                "'%s' has a %% without two hexadecimal digits, or is not UTF-8; a percent sign is"
                        + " written %%25",
                text);
    }

    /** Returns a parameter of the path; null if there is none. */
    public String path(String name) {
        return request.params(":" + name);
    }

    public LivingList living(SharedLists lists) {
        String name = path("list");
        LivingList list = lists.living(name);
        if (list != null) {
            return list;
        }
        FileList file = lists.files().get(name);
        throw file == null
                ? unknown(name, lists)
                : refused(
                        "'%s' is the list in the file %s: look there, and edit it there; James"
                                + " follows the file",
                        name, file.settings().file());
    }

    public static HaltException unknown(String name, SharedLists lists) {
        Set<String> names = new TreeSet<>(lists.files().keySet());
        names.addAll(lists.living().keySet());
        return error(
                404,
                "There is no open list of this name",
                "'%s'; open are: " + (names.isEmpty() ? "none" : String.join(", ", names)),
                name);
    }

    public @Nullable String query(String name) {
        return query.get(name);
    }

    /** Returns a parameter of the query, or the value of another text if it is not there. */
    public <T> T query(String name, ValueType<T> type, String defaultValue) {
        String written = Objects.requireNonNullElse(query.get(name), defaultValue);
        return type.parse(written)
                .orElseThrow(() -> refused("%s='%s'; allowed: %s", name, written, type.allowed()));
    }

    public Key sender() {
        return key("sender", path("sender"));
    }

    /** Returns the recipients that an entry is for, or null for all. */
    public @Nullable Key recipients() {
        String written = path("recipient");
        return written == null ? null : key("recipient", written);
    }

    public static Key key(String name, String written) {
        if (HiddenCharacters.strip(written).startsWith("!")) {
            throw refused(
                    "%s '%s' begins with '!'; an entry that denies has {\"denied\":true} in its"
                            + " body; an address that begins so is written in quotes,"
                            + " \"!name\"@domain",
                    name, written);
        }
        try {
            return ListLine.parseKey(written);
        } catch (IllegalArgumentException e) {
            throw refused(name + ": " + e.getMessage());
        }
    }

    /** Returns the key that is written as a parameter and may not be a domain. */
    public static Key address(String name, String written) {
        Key key = key(name, written);
        if (key.isDomain()) {
            throw refused("%s '%s' is a domain; allowed: an address", name, written);
        }
        return key;
    }

    /** Returns the body, which must not be empty; messages say what curl should be told. */
    public String body(String curl) {
        byte[] body = bytes(MAX_BODY, curl);
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
        } catch (CharacterCodingException e) {
            throw refused("the body is not UTF-8");
        }
    }

    /** Returns the body as it was sent, of at most so many bytes, as {@link #body} does. */
    byte[] bytes(int max, String curl) {
        byte[] body = request.bodyAsBytes();
        if (body == null || new String(body, UTF_8).isBlank()) {
            throw refused(
                    request.headers("Transfer-Encoding") != null
                            ? "the body is empty; send it with a Content-Length: James 3.8 loses a"
                                    + " body in chunks"
                            : "the body is empty; say "
                                    + curl
                                    + " to curl: its default content type, that of a form, leaves"
                                    + " an empty body in James 3.9.0");
        }
        if (body.length > max) {
            throw error(
                    413, "The body is too long", "allowed: " + max + " bytes; send less at once");
        }
        return body;
    }

    /** Returns the caller: the login that James' filter found proved, else the client's address. */
    public String who() {
        Object login = request.attribute("LOGIN");
        return login == null ? "webadmin " + request.ip() : Text.shown(login.toString());
    }

    /** Returns the {@link #error}, in James' words, that something is not understood. */
    public static HaltException refused(String details, Object... found) {
        return error(400, "Invalid arguments supplied in the user request", details, found);
    }

    /**
     * Returns an error that ends a request.
     *
     * @param message what is wrong, without text from the request
     * @param details what was found and what is allowed, with {@code %s} for what was found if any
     * @param found text from the request, of which a part is shown, on one line
     */
    public static HaltException error(int status, String message, String details, Object... found) {
        ErrorType type =
                status == 404
                        ? ErrorType.NOT_FOUND
                        : status < 500 ? ErrorType.INVALID_ARGUMENT : ErrorType.SERVER_ERROR;
        Object[] shown = Stream.of(found).map(each -> Text.shown(String.valueOf(each))).toArray();
        String cause = shown.length == 0 ? details : details.formatted(shown);
        return ErrorResponder.builder()
                .statusCode(status)
                .type(type)
                .message(message)
                .cause(new IllegalArgumentException(cause))
                .haltError();
    }
}
