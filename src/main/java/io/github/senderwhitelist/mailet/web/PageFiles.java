package io.github.senderwhitelist.mailet.web;

import org.jspecify.annotations.Nullable;

import spark.Response;
import spark.Service;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * The page for administrators: files of fixed names, the same for everybody. What the page shows it
 * asks the other routes for, with the login that these want, so the files want none.
 */
public final class PageFiles {
    /** Outside the path of the lists: James puts a login before all that is below that. */
    private static final String BASE = "/whitelist-ui";

    private static final String FOLDER = "/io/github/senderwhitelist/ui/";
    private static final String FILES =
            "index.html style.css icon.svg lit-html.js add.js api.js app.js explain.js home.js"
                    + " list.js ui.js user.js";

    /** Only files of this server, no script within a page, no frame around it, no form sent. */
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
                    + " connect-src 'self'; require-trusted-types-for 'script';"
                    + " trusted-types lit-html; base-uri 'none'; form-action 'none';"
                    + " frame-ancestors 'none'";

    private PageFiles() {}

    /** Defines a route for each file. */
    public static void define(Service service) {
        for (String name : FILES.split(" ", -1)) {
            byte[] content = content(name);
            service.get(
                    name.equals("index.html") ? BASE : BASE + "/" + name,
                    (request, response) -> {
                        addHeaders(response);
                        response.type(type(name));
                        return content;
                    });
        }
        // With a slash at its end, the links of the page would lead elsewhere.
        service.get(
                BASE + "/",
                (request, response) -> {
                    addHeaders(response);
                    response.header("Location", "../whitelist-ui");
                    response.status(302);
                    return "";
                });
    }

    private static String type(String name) {
        return switch (name.substring(name.lastIndexOf('.'))) {
            case ".html" -> "text/html;charset=utf-8";
            case ".css" -> "text/css;charset=utf-8";
            case ".svg" -> "image/svg+xml";
            default -> "text/javascript;charset=utf-8";
        };
    }

    private static void addHeaders(Response response) {
        response.header("Cache-Control", "no-cache");
        response.header("X-Content-Type-Options", "nosniff");
        response.header("Referrer-Policy", "no-referrer");
        response.header("Content-Security-Policy", POLICY);
    }

    private static byte[] content(String name) {
        try (@Nullable InputStream in = PageFiles.class.getResourceAsStream(FOLDER + name)) {
            if (in == null) {
                throw new IllegalStateException("the jar lacks " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("a file of the page cannot be read from the jar", e);
        }
    }
}
