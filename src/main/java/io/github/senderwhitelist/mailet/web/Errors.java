package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Text;

import org.apache.james.webadmin.utils.ErrorResponder;
import org.apache.james.webadmin.utils.ErrorResponder.ErrorType;
import org.jspecify.annotations.Nullable;

import spark.HaltException;

import java.util.Arrays;

/** Errors that end a request, in the form of James' own routes. */
public final class Errors {
    private Errors() {}

    /**
     * Returns the error of a request that cannot be understood.
     *
     * @param message what is wrong, without text from the request
     * @param details what was found and what is allowed, with {@code %s} for what was found
     * @param found text from the request, of which a part is shown, on one line
     */
    static HaltException badRequest(String message, String details, Object... found) {
        Object[] shown =
                Arrays.stream(found).map(each -> Text.shown(String.valueOf(each))).toArray();
        return of(400, message, details.formatted(shown));
    }

    /** Returns an error with a status of HTTP. The details must be fit for one line. */
    public static HaltException of(int status, String message, @Nullable String details) {
        ErrorType type =
                status == 404
                        ? ErrorType.NOT_FOUND
                        : status < 500 ? ErrorType.INVALID_ARGUMENT : ErrorType.SERVER_ERROR;
        ErrorResponder error =
                ErrorResponder.builder().statusCode(status).type(type).message(message);
        return (details == null ? error : error.cause(new IllegalArgumentException(details)))
                .haltError();
    }
}
