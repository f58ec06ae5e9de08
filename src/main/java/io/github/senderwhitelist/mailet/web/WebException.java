package io.github.senderwhitelist.mailet.web;

import org.jspecify.annotations.Nullable;

/** An error of the client's that ends a request. */
public final class WebException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final @Nullable String details;

    /**
     * Makes an error.
     *
     * @param status the HTTP status
     * @param message what is wrong, for people, without text from the request
     * @param details what exactly was found and what is allowed, fit for one line; null for nothing
     */
    public WebException(int status, String message, @Nullable String details) {
        super(message);
        this.status = status;
        this.details = details;
    }

    /** Returns the error of a request that cannot be understood. */
    public static WebException badRequest(String message, @Nullable String details) {
        return new WebException(400, message, details);
    }

    /** Returns the error of a request for what is not there. */
    static WebException notFound(String message, @Nullable String details) {
        return new WebException(404, message, details);
    }

    /** Returns what exactly was found and what is allowed, or null. */
    @Nullable String details() {
        return details;
    }

    /** Returns the answer for the client. */
    public WebAnswer answer() {
        return WebAnswer.error(status, String.valueOf(getMessage()), details);
    }
}
