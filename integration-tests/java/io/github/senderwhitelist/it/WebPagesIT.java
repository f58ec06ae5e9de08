package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * What a web page of another server can do to the WebAdmin of a whole James 3.8.1 with the shipped
 * configuration. A real browser on the same machine opens the page.
 */
class WebPagesIT extends OneJames38 {
    private static final Path DIRECTORY = Path.of("target/it/web-pages");
    private static final String ENTRIES = "/whitelists/own/entries";
    private static final String ALICE = ENTRIES + "/alice@friends.example";

    /** Sends all that a script can send, then two forms, and hands in what it could read. */
    private static final String PAGE =
            """
            <!doctype html>
            <iframe name="answer"></iframe>
            <form method="post" enctype="text/plain" target="answer"><input name="a"></form>
            <script>
            const requests = [
              ['GET', '/whitelists/own/entries'],
              ['HEAD', '/whitelists/own/entries/eve@evil.example'],
              ['PUT', '/whitelists/own/entries/eve@evil.example', '{}'],
              ['PATCH', '/whitelists/own/entries', 'mallory@evil.example'],
              ['DELETE', '/whitelists/own/entries/alice@friends.example'],
              ['POST', '/whitelists/whitelist/reload', ''],
              ['GET', '/domains'], ['PUT', '/domains/evil.example', ''],
              ['DELETE', '/domains/friends.example'],
              ['POST', '/mappings/address/sam@friends.example/targets/eve@evil.example', '']];
            const types = [null, 'text/plain', 'application/json'];
            const simple = ['GET', 'HEAD', 'POST'];
            (async () => {
              const said = [];
              for (const [method, path, body] of requests) {
                for (const type of types) {
                  for (const mode of simple.includes(method) ? ['cors', 'no-cors'] : ['cors']) {
                    const request = {method, mode};
                    if (body !== undefined) request.body = new Blob([body], type ? {type} : {});
                    const read = await fetch('WEBADMIN' + path, request).then(
                      async answer => answer.status + ' ' + await answer.text(), () => 'nothing');
                    said.push([method, path, type, mode, read.trim()].join(' '));
                  }
                }
              }
              const form = document.forms[0];
              for (const path of ['/whitelists/whitelist/reload', '/mailboxes?task=createMissingParents']) {
                form.action = 'WEBADMIN' + path;
                await new Promise(loaded => {
                  document.querySelector('iframe').onload = loaded;
                  form.submit();
                });
              }
              fetch('/said', {method: 'POST', body: said.join('\\n')});
            })();
            </script>
            """;

    private final CompletableFuture<String> said = new CompletableFuture<>();
    private final HttpServer pages;

    WebPagesIT() throws IOException {
        pages = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    @BeforeEach
    void servePage() {
        pages.createContext(
                "/",
                exchange -> {
                    String url = "http://127.0.0.1:" + james().webAdminPort();
                    byte[] page = PAGE.replace("WEBADMIN", url).getBytes(StandardCharsets.UTF_8);
                    exchange.getResponseHeaders().set("Content-Type", "text/html");
                    exchange.sendResponseHeaders(200, page.length);
                    exchange.getResponseBody().write(page);
                    exchange.close();
                });
        pages.createContext(
                "/said",
                exchange -> {
                    said.complete(
                            new String(
                                    exchange.getRequestBody().readAllBytes(),
                                    StandardCharsets.UTF_8));
                    exchange.sendResponseHeaders(204, -1);
                    exchange.close();
                });
        pages.start();
    }

    @AfterEach
    void stopPage() {
        pages.stop(0);
    }

    private void start(ServerDirectory directory) throws Exception {
        start(directory, null);
        james().change("PUT", "/domains/friends.example", "");
        james().change("PUT", ALICE, "{}");
    }

    /** Opens the page at a name of this machine, and returns what it could read. */
    private List<String> open(String host) throws Exception {
        Path folder = james().directory().path().toAbsolutePath();
        ServerProcess process =
                Browser.start(folder, "http://" + host + ":" + pages.getAddress().getPort());
        try {
            return said.get(3, TimeUnit.MINUTES).lines().toList();
        } finally {
            process.close();
        }
    }

    /** James allows all this as long as nothing is configured, but for the routes of lists. */
    @Test
    void routesOfListsRefuseWhatAPageSendsThoughJamesAllowsIt() throws Exception {
        ServerDirectory directory = ServerDirectory.create(DIRECTORY, James38.JAR);
        directory.set("webadmin.properties", "cors.origin=none", "");
        start(directory);

        List<String> read = open("127.0.0.1");

        assertThat(read.stream().filter(line -> line.contains(" /whitelists/")))
                .hasSizeGreaterThan(20)
                // What a browser asks leave for first is not even sent.
                .allMatch(line -> line.matches(".* (cors (403.*|nothing)|no-cors 0)"));
        assertThat(james().webAdmin(ENTRIES)).contains("alice").doesNotContain("evil");
        assertThat(read).anyMatch(line -> line.matches("GET /domains .*200.*friends.*"));
        assertThat(james().webAdmin("/domains")).contains("evil").doesNotContain("friends");
    }

    /** A form is sent unasked, so that only a login is left against it, as the quick start has. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shippedConfigurationKeepsPagesFromAllAndALoginFromForms(boolean login) throws Exception {
        start(
                login
                        ? RunJames.directory(DIRECTORY)
                        : ServerDirectory.create(DIRECTORY, James38.JAR));

        assertThat(open("localhost"))
                .isNotEmpty()
                .allMatch(line -> line.endsWith(" cors nothing") || line.endsWith(" no-cors 0"));

        assertThat(james().webAdmin(ENTRIES)).contains("alice").doesNotContain("evil");
        assertThat(james().webAdmin("/domains")).contains("friends").doesNotContain("evil");
        // What any page may send without asking gets through to James itself.
        assertThat(james().webAdmin("/mappings").contains("eve@evil.example")).isNotEqualTo(login);
        assertThat(james().webAdmin("/tasks").contains("CreateMissing")).isNotEqualTo(login);
        assertThat(james().webAdmin("GET", "/whitelists", "", "").body())
                .contains(login ? "No Bearer header" : "own");
    }
}
