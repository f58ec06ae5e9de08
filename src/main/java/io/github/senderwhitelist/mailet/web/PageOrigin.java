package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

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
     * Refuses a request that a browser sends for a page of another server.
     *
     * @param origin the header Origin
     * @param site the header Sec-Fetch-Site, also there where a request has no origin
     * @param host the header Host
     */
    public static void check(@Nullable String origin, @Nullable String site, @Nullable String host)
            throws WebException {
        if (origin != null
                && !origin.equalsIgnoreCase("http://" + host)
                && !origin.equalsIgnoreCase("https://" + host)) {
            throw foreign("Origin", origin);
        }
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            throw foreign("Sec-Fetch-Site", site);
        }
    }

    private static WebException foreign(String header, String value) {
        return new WebException(
                403,
                "The request comes from a web page of another server",
                header + ": " + Text.shown(value) + "; a proxy must pass Host on as it was sent");
    }
}
