package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

import spark.HaltException;
import spark.Request;
import spark.Response;

/**
 * The web page for which a browser sends a request.
 *
 * <p>James allows the pages of all servers to send and to read whatever they want, unless it is
 * told otherwise. What is no browser sends neither header. Reading is refused as changing is, since
 * lists are addresses of people.
 */
public final class PageOrigin {
    private PageOrigin() {}

    /**
     * Refuses a request that a browser sends for a page of another server. The header
     * Sec-Fetch-Site is also there where a request has no Origin.
     */
    public static void check(Request request, Response response) {
        String host = request.headers("Host");
        @Nullable String origin = request.headers("Origin");
        if (origin != null
                && !origin.equalsIgnoreCase("http://" + host)
                && !origin.equalsIgnoreCase("https://" + host)) {
            throw foreign("Origin", origin);
        }
        @Nullable String site = request.headers("Sec-Fetch-Site");
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            throw foreign("Sec-Fetch-Site", site);
        }
    }

    private static HaltException foreign(String header, String value) {
        return Errors.of(
                403,
                "The request comes from a web page of another server",
                header + ": " + Text.shown(value) + "; a proxy must pass Host on as it was sent");
    }
}
