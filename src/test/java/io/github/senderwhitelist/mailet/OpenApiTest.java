package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.Docs;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Holds the description of the routes, and the page of the manual, to the routes. */
class OpenApiTest {
    private static final Pattern PATH = Pattern.compile("  (/\\S*):");
    private static final Pattern VERB = Pattern.compile("    (get|head|put|post|patch|delete):");
    private static final Pattern QUERY = Pattern.compile(".*/parameters/(?:any-)?query-(\\w+)'");
    private static final Pattern ALLOWED =
            Pattern.compile("unknown parameter.*'unknown'; allowed: ([\\w, ]+)");
    private static final Pattern REFERENCE = Pattern.compile("'#/components/(\\w+)/([\\w-]+)'");

    private final WebAdmin server = new WebAdmin();

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    /** Returns the parameters of the query by method and path, as the server takes them. */
    private Map<String, Set<String>> routes() throws Exception {
        Map<String, Set<String>> routes = new TreeMap<>();
        for (String route : server.routes()) {
            String[] words = route.replaceAll("[{}]", "").split(" ", 2);
            String answer = server.send(words[0], words[1] + "?unknown", "{}").body();
            Matcher allowed = ALLOWED.matcher(answer);
            // The answers to HEAD have no text.
            boolean hasSome = allowed.find() && !allowed.group(1).equals("none");
            assertThat(answer.isEmpty()).as(route).isEqualTo(words[0].equals("HEAD"));
            routes.put(route, hasSome ? Set.of(allowed.group(1).split(", ", -1)) : Set.of());
        }
        return routes;
    }

    /** Returns the parameters of the query by method and path. */
    private static Map<String, Set<String>> described() throws IOException {
        Map<String, Set<String>> described = new TreeMap<>();
        String path = "";
        Set<String> query = new TreeSet<>();
        for (String line : Docs.page("webadmin.openapi.yaml").split("\n", -1)) {
            if (line.equals("components:")) {
                break;
            }
            Matcher pathLine = PATH.matcher(line);
            Matcher verb = VERB.matcher(line);
            Matcher parameter = QUERY.matcher(line);
            if (pathLine.matches()) {
                path = pathLine.group(1);
            } else if (verb.matches()) {
                query = new TreeSet<>();
                described.put(verb.group(1).toUpperCase(Locale.ROOT) + " " + path, query);
            } else if (parameter.matches()) {
                query.add(parameter.group(1));
            }
        }
        return described;
    }

    @Test
    void shouldDescribeExactlyTheRoutesThatThereAre() throws Exception {
        assertThat(described()).containsExactlyInAnyOrderEntriesOf(routes());
    }

    @Test
    void shouldReferToWhatIsDescribed() throws IOException {
        String yaml = Docs.page("webadmin.openapi.yaml");

        assertThat(REFERENCE.matcher(yaml).results().toList())
                .isNotEmpty()
                .allSatisfy(
                        reference ->
                                assertThat(yaml)
                                        .containsPattern(
                                                "\n  "
                                                        + reference.group(1)
                                                        + ":\n(?:    .*\n)*    "
                                                        + reference.group(2)
                                                        + ":"));
    }

    @Test
    void shouldNameEveryPathInTheManual() throws Exception {
        String page = Docs.page("webadmin.md");

        assertThat(routes().keySet())
                .allSatisfy(
                        route ->
                                assertThat(page)
                                        .contains("`" + route.substring(route.indexOf('/'))));
    }
}
