package io.github.senderwhitelist.cli;

import static spark.Spark.halt;

import spark.Filter;
import spark.Request;
import spark.Response;

import java.util.Set;

/**
 * A stand-in for the filter of passwords in James' WebAdmin, which is not on Maven Central since
 * 3.9.0. It is written from the rules of {@code PasswordFilter}.
 */
final class PasswordFilterStandIn implements Filter {
    private static final String BEARER = "Bearer ";
    private static final Set<String> READING = Set.of("GET", "HEAD");

    private final String password;
    private final String readOnly;
    private final String noDelete;
    private final boolean asBearer;

    private PasswordFilterStandIn(
            String password, String readOnly, String noDelete, boolean asBearer) {
        this.password = password;
        this.readOnly = readOnly;
        this.noDelete = noDelete;
        this.asBearer = asBearer;
    }

    /** Returns the filter of James 3.9.0, which knows a header and passwords for all. */
    static PasswordFilterStandIn of39(String password) {
        return new PasswordFilterStandIn(password, password, password, false);
    }

    /**
     * Returns the filter of James 3.10, which knows passwords for less, and takes a token's place.
     */
    static PasswordFilterStandIn of310(String password, String readOnly, String noDelete) {
        return new PasswordFilterStandIn(password, readOnly, noDelete, true);
    }

    @Override
    public void handle(Request request, Response response) {
        String given = request.headers("Password");
        String authorization = request.headers("Authorization");
        if (given == null
                && asBearer
                && authorization != null
                && authorization.startsWith(BEARER)) {
            given = authorization.substring(BEARER.length());
        }
        if (given == null) {
            halt(401, "No Password header.");
        }
        if (password.equals(given)) {
            return;
        }
        if (readOnly.equals(given)) {
            require(READING.contains(request.requestMethod()));
        } else if (noDelete.equals(given)) {
            require(!request.requestMethod().equals("DELETE"));
        } else {
            halt(401, "Wrong password.");
        }
    }

    private static void require(boolean allowed) {
        if (!allowed) {
            halt(403, "Insufficient permissions for this operation.");
        }
    }
}
