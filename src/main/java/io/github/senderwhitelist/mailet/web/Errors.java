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
     * Returns an error with a status of HTTP.
     *
     * @param message what is wrong, without text from the request
     * @param details what was found and what is allowed, on one line, with {@code %s} for what was
     *     found if anything is; null if there is nothing to say
     * @param found text from the request, of which a part is shown, on one line
     */
    public static HaltException of(
            int status, String message, @Nullable String details, Object... found) {
        ErrorType type =
                status == 404
                        ? ErrorType.NOT_FOUND
                        : status < 500 ? ErrorType.INVALID_ARGUMENT : ErrorType.SERVER_ERROR;
        ErrorResponder error =
                ErrorResponder.builder().statusCode(status).type(type).message(message);
        if (details != null) {
            Object[] shown =
                    Arrays.stream(found).map(each -> Text.shown(String.valueOf(each))).toArray();
            String cause = found.length == 0 ? details : details.formatted(shown);
            error.cause(new IllegalArgumentException(cause));
        }
        return error.haltError();
    }
}
