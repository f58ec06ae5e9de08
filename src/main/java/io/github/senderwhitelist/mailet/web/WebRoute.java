package io.github.senderwhitelist.mailet.web;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A route: a kind of request, and its handler.
 *
 * @param verb the HTTP method
 * @param path the path, with names in braces for its parameters
 * @param query the names of the parameters that the query may have
 * @param handler answers
 */
public record WebRoute(String verb, String path, Set<String> query, Handler handler) {
    /** Answers requests. */
    @FunctionalInterface
    public interface Handler {
        /**
         * Answers a request.
         *
         * @throws WebException if the client has made a mistake
         * @throws IOException if the database fails
         */
        WebAnswer answer(WebRequest request) throws WebException, IOException;
    }

    /**
     * Returns the parameters that a path has by their names, or null when it is another path.
     *
     * @param segments the decoded parts of the path
     */
    public @Nullable Map<String, String> match(List<String> segments) {
        String[] wanted = path.substring(1).split("/", -1);
        if (wanted.length != segments.size()) {
            return null;
        }
        Map<String, String> parameters = new HashMap<>();
        for (int i = 0; i < wanted.length; i++) {
            if (wanted[i].startsWith("{")) {
                parameters.put(wanted[i].substring(1, wanted[i].length() - 1), segments.get(i));
            } else if (!wanted[i].equals(segments.get(i))) {
                return null;
            }
        }
        return parameters;
    }
}
