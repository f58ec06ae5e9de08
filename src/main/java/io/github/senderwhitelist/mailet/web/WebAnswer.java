package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Json;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * An answer to a request.
 *
 * @param status the HTTP status
 * @param body JSON, or an empty string
 * @param headers headers by their names
 */
public record WebAnswer(int status, String body, Map<String, String> headers) {
    /** Says that it was done, or is there. */
    static final WebAnswer NO_CONTENT = new WebAnswer(204, "", Map.of());

    /** Returns an answer with a value as JSON. */
    static WebAnswer of(Object value) {
        return new WebAnswer(200, Json.compact(value), Map.of());
    }

    /** Returns an error in the form that James' own routes give it. */
    public static WebAnswer error(int status, String message, @Nullable String details) {
        Object error =
                WebLines.ordered(
                        "statusCode",
                        status,
                        "type",
                        type(status),
                        "message",
                        message,
                        "details",
                        details);
        return new WebAnswer(status, Json.compact(error), Map.of());
    }

    /** Returns James' name for what kind of error a status is. */
    private static String type(int status) {
        if (status >= 500) {
            return "ServerError";
        }
        return switch (status) {
            case 404 -> "notFound";
            case 409 -> "WrongState";
            default -> "InvalidArgument";
        };
    }

    /** Returns this answer with a header. */
    public WebAnswer with(String name, String value) {
        return new WebAnswer(status, body, Map.of(name, value));
    }
}
