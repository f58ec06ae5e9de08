package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/**
 * The page as a whole James 3.8.1 serves it, whose WebAdmin wants a token: the first minute of
 * somebody who has installed it.
 */
class WhitelistPageInJames38IT extends OneJames38 {
    private static final String SENDER = "stranger@elsewhere.example";

    /** The browser may still write when it is told to end. */
    @TempDir(cleanup = CleanupMode.NEVER)
    Path folder;

    @Test
    void shouldShowAMailAndListItsSenderOnceTheTokenIsTyped() throws Exception {
        ServerDirectory directory = RunJames.directory(Path.of("target/it/page-in-james"));
        start(directory, null);
        james().addUser("bob@here.example", "secret");
        Browser browser = new Browser(folder);
        try {
            browser.look(1280, "light");
            browser.open("http://127.0.0.1:" + james().webAdminPort() + "/whitelist-ui");
            browser.await("document.querySelector('[type=password]')");
            browser.run(
                    """
                    document.querySelector('[type=password]').value = '%s';
                    document.querySelector('.login form').requestSubmit()
                    """
                            .formatted(WebAdminLogin.token(directory)));
            browser.await(says("No mail was judged since James started"));
            assertThat(browser.run(says("WebAdmin has no password"))).isEqualTo("false");

            james().send(SENDER, List.of("bob@here.example"), Letter.simple("hello"));
            // It looks again by itself.
            browser.await(says(SENDER));
            browser.run("document.querySelector('.mail').click()");
            browser.await(says("No entry is about this sender"));

            browser.run("location.hash = '#/list/own'");
            browser.await("document.querySelector('main form [name=sender]')");
            browser.run(
                    """
                    document.querySelector('main details').open = true;
                    document.querySelector('main form [name=sender]').value = '%s';
                    document.querySelector('main form [name=sender]').form.requestSubmit()
                    """
                            .formatted(SENDER));
            browser.await(button("Add it"));
            browser.run(button("Add it") + ".click()");
            browser.await(says("Added: " + SENDER));
            assertThat(james().webAdmin("/whitelists/own/entries")).contains(SENDER);
            assertThat(browser.complaints()).isEmpty();
        } finally {
            browser.close();
        }
    }

    private static String says(String text) {
        return "document.body.innerText.includes('" + text + "')";
    }

    private static String button(String label) {
        return "[...document.querySelectorAll('button')].find(b => b.innerText === '"
                + label
                + "')";
    }
}
