package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.Folders;

import org.junit.jupiter.api.Test;

import java.net.http.HttpResponse;
import java.nio.file.Path;

/**
 * The page of WebAdmin in a whole James 3.8.1 that wants a token, as the quick start sets it up.
 */
class WhitelistPageInJames38IT extends OneJames38 {
    @Test
    void pageShouldNeedNoLoginAndAskForTheTokenThatItsAnswersNeed() throws Exception {
        ServerDirectory directory = RunJames.directory(Path.of("target/it/whitelist-page"));
        try (Browser browser = new Browser(Folders.ofThisJava("page"))) {
            start(directory, null);
            HttpResponse<String> page = james().webAdmin("GET", "/whitelist-ui", "", "");
            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(page.headers().firstValue("Content-Type").orElse(""))
                    .startsWith("text/html");

            browser.look(1280, "light");
            browser.open("http://127.0.0.1:" + james().webAdminPort() + "/whitelist-ui#/list/own");
            browser.await("document.querySelector('.login form')");
            browser.run(WhitelistPageIT.HANDS);
            browser.run("fill(document.querySelector('.login form'), {password: 'wrong'})");
            browser.await("says('James does not take this one')");
            browser.run(
                    "fill(document.querySelector('.login form'), {password: '%s'})"
                            .formatted(WebAdminLogin.token(directory)));
            browser.await("document.querySelector('.add form')");
            browser.run(
                    "fill(document.querySelector('.add form'), {sender: 'new@friends.example'})");
            browser.await("document.querySelector('.preview')");
            browser.run("press('Add it')");
            browser.await("[...document.querySelectorAll('tbody tr')].length === 1");
            browser.run("location.hash = '#/'");
            browser.await("says('All is well.')");

            assertThat(browser.run("says('WebAdmin has no password')")).isEqualTo("false");
            assertThat(browser.complaints()).isEmpty();
            assertThat(james().webAdmin("/whitelists/own/entries/new@friends.example/history"))
                    .contains("root@here.example");
        }
    }
}
