package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpHandlers;
import com.sun.net.httpserver.HttpServer;

import io.github.senderwhitelist.tools.Docs;
import io.github.senderwhitelist.tools.Needs;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The WebAdmin of a whole James 3.8.1, in a real browser on the same machine: our page with the
 * login that the manual sets, and what a page of another server can do to it.
 */
class WebAdminIT extends OneJames38 {
    private static final String ENTRIES = "/whitelists/own/entries";
    private static final String ALICE = ENTRIES + "/alice@friends.example";
    private static final String SENDER = "stranger@elsewhere.example";

    private static final String FOREIGN_PAGE =
            """
            <!doctype html>
            <iframe name="answer"></iframe>
            <form method="post" enctype="text/plain" target="answer"><input name="a"></form>
            """;

    /** Sends all that a script can send, then two forms, and returns what it could read. */
    private static final String SCRIPT =
            """
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
              return said.join('\\n');
            })()
            """;

    private final ServerDirectory directory;
    private final Browser browser;
    private final HttpServer foreign =
            HttpServer.create(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    0,
                    "/",
                    HttpHandlers.of(200, Headers.of("Content-Type", "text/html"), FOREIGN_PAGE));

    WebAdminIT() throws Exception {
        directory = ServerDirectory.create(Path.of("target/it/webadmin"), James38.JAR);
        browser = new Browser(directory.path().toAbsolutePath());
        foreign.start();
    }

    @AfterEach
    void stopBrowser() {
        browser.close();
        foreign.stop(0);
    }

    /** Makes users, another domain and an entry, which pages try to change. */
    private void prepare() throws Exception {
        james().withUsers();
        james().change("PUT", "/domains/friends.example", "");
        james().change("PUT", ALICE, "{}");
    }

    /** Opens the page of another server at a name of this machine; returns what it could read. */
    private List<String> readByForeignPage(String host) throws Exception {
        browser.open("http://" + host + ":" + foreign.getAddress().getPort());
        browser.await("document.forms.length && document.readyState === 'complete'");
        return browser.run(SCRIPT.replace("WEBADMIN", url())).lines().toList();
    }

    private String url() {
        return "http://127.0.0.1:" + james().webAdminPort();
    }

    /** Pastes both blocks of the manual with openssl, one before the start and one after it. */
    @Test
    void withTheManualsLoginOnlyWhoHasItsTokenGetsIn() throws Exception {
        Needs.require(
                Files.exists(Path.of("/usr/bin/openssl")),
                "openssl is not installed; the manual's token was not made");
        List<String> blocks =
                Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL)
                        .matcher(Docs.page("webadmin.md"))
                        .results()
                        .map(block -> block.group(1))
                        .filter(block -> block.contains("openssl"))
                        .toList();
        assertThat(blocks).hasSize(2);
        assertThat(directory.shell(blocks.getFirst())).isEmpty();
        String token = "\nprintf %s \"$TOKEN\" > " + WebAdminLogin.FILE;
        start(directory, null);
        assertThat(james().webAdmin("/whitelists")).contains("No Bearer header");
        assertThat(
                        directory.shell(
                                blocks.getLast().replace("http://127.0.0.1:8000", url()) + token))
                .contains("\"name\":\"own\"");
        prepare();

        showAMailAndListItsSender();
        assertKeepsPagesOut(true);
    }

    /** The first minute of somebody who has installed it. */
    private void showAMailAndListItsSender() throws Exception {
        browser.look(1280, "light");
        browser.open(url() + "/whitelist-ui");
        browser.await("document.querySelector('[type=password]')");
        browser.run(WhitelistPageIT.HANDS);
        browser.run(
                "fill(document.querySelector('.login form'), {password: '%s'})"
                        .formatted(WebAdminLogin.token(directory)));
        browser.await("says('No mail was judged since James started')");
        assertThat(browser.run("says('WebAdmin has no password')")).isEqualTo("false");

        james().send(SENDER, List.of(JamesServer.SAM), Letter.simple("hello"));
        // It looks again by itself.
        browser.await("says('" + SENDER + "')");
        browser.run("document.querySelector('.mail').click()");
        browser.await("says('No entry is about this sender')");

        browser.run("location.hash = '#/list/own'");
        browser.await("document.querySelector('.add form')");
        browser.run("document.querySelector('.add summary').click()");
        browser.run("fill(document.querySelector('.add form'), {sender: '" + SENDER + "'})");
        browser.await("document.querySelector('.preview')");
        browser.run("press('Add it')");
        browser.await("says('Added: " + SENDER + "')");
        assertThat(james().webAdmin(ENTRIES)).contains(SENDER);
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void shippedConfigurationKeepsPagesOutButForForms() throws Exception {
        start(directory, null);
        prepare();

        assertKeepsPagesOut(false);
    }

    /** A form is sent unasked, so that only a login is left against it, as the quick start has. */
    private void assertKeepsPagesOut(boolean login) throws Exception {
        assertThat(readByForeignPage("localhost"))
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

    /** James allows all this as long as nothing is configured, but for the routes of lists. */
    @Test
    void routesOfListsRefuseWhatAPageSendsThoughJamesAllowsIt() throws Exception {
        directory.set("webadmin.properties", "cors.origin=none", "");
        start(directory, null);
        prepare();

        List<String> read = readByForeignPage("127.0.0.1");

        assertThat(read.stream().filter(line -> line.contains(" /whitelists/")))
                .hasSizeGreaterThan(20)
                // What a browser asks leave for first is not even sent.
                .allMatch(line -> line.matches(".* (cors (403.*|nothing)|no-cors 0)"));
        assertThat(james().webAdmin(ENTRIES)).contains("alice").doesNotContain("evil");
        assertThat(read).anyMatch(line -> line.matches("GET /domains .*200.*friends.*"));
        assertThat(james().webAdmin("/domains")).contains("evil").doesNotContain("friends");
    }
}
