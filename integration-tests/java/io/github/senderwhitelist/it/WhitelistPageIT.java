package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.mailet.SenderWhitelist;
import io.github.senderwhitelist.mailet.TestLists;
import io.github.senderwhitelist.mailet.TestServer;
import io.github.senderwhitelist.mailet.WebAdmin;
import io.github.senderwhitelist.mailet.WebAdmin.Passwords;
import io.github.senderwhitelist.tools.Folders;

import org.apache.mailet.base.test.FakeMail;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** The page of WebAdmin in a real browser, over the real routes. */
class WhitelistPageIT {
    private static final String AXE = "/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js";
    private static final String USER = "bob@tenant.example";

    /** What would become an element, a script or another direction of writing. */
    private static final String HOSTILE = "<img src=x onerror=hacked=1>${1}'\"&";

    /** Fills in fields of a form and sends it, as a person does with its button. */
    static final String HANDS =
            """
            window.fill = (form, values) => {
              for (const [name, value] of Object.entries(values)) {
                const field = form.elements[name];
                if (field.type === 'checkbox') field.checked = value; else field.value = value;
                field.dispatchEvent(new Event('change', {bubbles: true}));
              }
              form.requestSubmit();
            };
            window.press = text => [...document.querySelectorAll('button')]
              .find(button => button.textContent.trim() === text).click();
            window.says = text => document.body.innerText.includes(text);
            """;

    private static final String CHOOSE_ENDING =
            "{const show = document.querySelector('[name=filter]'); show.value = 'ending';"
                    + " show.dispatchEvent(new Event('change', {bubbles: true}))}";

    private final WebAdmin server =
            new WebAdmin("<whitelist name='base'><source>file://base.txt</source></whitelist>");
    private final List<SenderWhitelist> mailets = new ArrayList<>();
    private Browser browser;

    private final Path folder = Folders.ofThisJava("page");

    @BeforeEach
    void startBrowser() throws Exception {
        browser = new Browser(folder);
        browser.look(1280, "light");
    }

    @AfterEach
    void stop() throws IOException {
        mailets.forEach(SenderWhitelist::destroy);
        server.close();
        if (browser != null) {
            browser.close();
        }
    }

    private void open(String place) throws Exception {
        browser.open("http://127.0.0.1:" + server.port() + "/whitelist-ui" + place);
        browser.await("document.querySelector('main')");
        browser.run(HANDS);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private void put(String list, String entry, String body) throws Exception {
        String path = "/whitelists/" + list + "/entries/" + entry;
        assertThat(server.send("PUT", path, body).statusCode()).isEqualTo(201);
    }

    private String lines(String list) throws Exception {
        return server.send("GET", "/whitelists/" + list + "/entries").body();
    }

    /** Judges mails by a list in a file, of which one line is bad. */
    private void judge() throws Exception {
        judge("carol@partner.example");
    }

    private void judge(String entry) throws Exception {
        Files.writeString(folder.resolve("base.txt"), entry + "\n\n" + HOSTILE + "\n");
        SenderWhitelist mailet = TestLists.mailet(folder, server, "base", "sender", "either");
        mailets.add(mailet);
        for (String sender : List.of("carol@partner.example", "eve@evil.example", "")) {
            FakeMail mail =
                    TestServer.mail(
                            sender,
                            TestServer.message("From: " + sender + "\r\n\r\nText\r\n"),
                            USER);
            mail.setAttribute(TestServer.SPF);
            mailet.service(mail);
        }
    }

    /** Looks at a screen in both widths and colours, and draws it. */
    private void lookAt(String name, String place, String shown) throws Exception {
        for (int width : List.of(375, 1280)) {
            for (String scheme : List.of("light", "dark")) {
                browser.look(width, scheme);
                open(place);
                browser.await(shown);
                browser.run("document.querySelectorAll('details').forEach(d => d.open = true)");
                String as = name + "-" + width + "-" + scheme;
                requireUsable(as);
                draw(as, width);
            }
        }
        assertThat(browser.complaints()).as(name).isEmpty();
    }

    /** Draws all of a screen; the manual has some of the pictures. */
    private void draw(String name, int width) throws Exception {
        String end =
                "Math.ceil(scrollY +"
                        + " document.querySelector('main').getBoundingClientRect().bottom)";
        Path pictures = Files.createDirectories(Path.of("target/it/page"));
        int height = Integer.parseInt(browser.run(end));
        browser.draw(pictures.resolve(name + ".png"), width, Math.min(height, 1600));
    }

    /** Looks for what some people could not use, and for what does not fit. */
    private void requireUsable(String as) throws Exception {
        assertThat(browser.run("document.documentElement.scrollWidth <= innerWidth"))
                .as("fits, %s", as)
                .isEqualTo("true");
        browser.run(resource());
        String found =
                "axe.run().then(r => r.violations.flatMap(v =>"
                        + " v.nodes.map(n => v.id + ' ' + n.target)).join('\\n'))";
        assertThat(browser.run(found)).as(as).isEmpty();
    }

    private static String resource() throws IOException {
        try (InputStream in = WhitelistPageIT.class.getResourceAsStream(AXE)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8) + "; 0";
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 20})
    void firstScreenShouldBeForEverybody(int lists) throws Exception {
        for (int i = 0; i < lists; i++) {
            server.open("list" + i);
        }
        if (lists > 1) {
            judge();
        }
        String shown = "document.querySelectorAll('.card.list').length >= " + lists;
        lookAt("first-" + lists, "", "document.querySelector('h1') && " + shown);
    }

    @Test
    void otherScreensShouldBeForEverybody() throws Exception {
        server.open("friends");
        put("friends", "alice@example.com", "{\"auth\":\"dkim\",\"note\":\"asked for by Bob\"}");
        put("friends", "dan@example.com/for/" + USER, "{\"origin\":\"learned\"}");
        put("friends", "@evil.example", "{\"denied\":true}");
        judge();

        lookAt("list", "#/list/friends", "document.querySelector('tbody tr')");
        lookAt("file", "#/list/base", "document.querySelector('tbody tr')");
        lookAt("user", "#/user/" + encoded(USER), "document.querySelector('.kept')");
    }

    @Test
    void formShouldExplainAnAddressAndPastedHeaders() throws Exception {
        judge();
        open("");
        browser.await("document.querySelector('#who form')");

        browser.run("fill(document.querySelector('#who form'), {sender: 'carol@partner.example'})");
        browser.await("document.querySelector('.answer .badge.good')");
        requireUsable("answer");
        assertThat(browser.run("document.querySelector('.answer').innerText"))
                .contains("An entry lists this sender.", "for nobody in particular");

        browser.run("press('Mail headers')");
        browser.run(
                "fill(document.querySelector('#who form'), {headers: 'Return-Path:"
                        + " <carol@partner.example>\\nFrom: carol@partner.example\\n',"
                        + " recipient: 'bob@tenant.example'})");
        browser.await("says('Read from the headers: sender carol@partner.example')");
        browser.run("fill(document.querySelector('#who form'), {recipient: 'nobody'})");
        browser.await("document.querySelector('#who [role=alert]')");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void clickOnAMailShouldExplainIt() throws Exception {
        judge("carol@partner.example auth=spf");
        open("");
        browser.await("document.querySelectorAll('.mail').length === 3");

        browser.run("document.querySelectorAll('.mail')[1].click()");
        browser.await("document.querySelector('.answer')");
        draw("overview", 1280);

        assertThat(browser.run("document.querySelector('.answer').innerText"))
                .contains("Not listed", "for bob@tenant.example", "No entry is about this sender");
        assertThat(browser.run("document.activeElement.id")).isEqualTo("who-title");

        browser.run("document.querySelectorAll('.mail')[2].click()");
        browser.await("says('carol@partner.example auth=spf')");
        assertThat(
                        browser.run(
                                "[...document.querySelectorAll('#who [type=checkbox]:checked')]"
                                        + ".map(box => box.name).join()"))
                .isEqualTo("spf");
    }

    @Test
    void entriesShouldBeAddedAfterAPreviewAndChanged() throws Exception {
        server.open("friends");
        put("friends", "alice@example.com", "{\"note\":\"before\"}");
        open("#/list/friends");
        browser.await("document.querySelector('tbody tr')");
        browser.run("document.querySelector('.add summary').click()");

        browser.run(
                "fill(document.querySelector('.add form'), {sender: 'alice@example.com', until:"
                        + " '2036-01-31', note: `%s`})".formatted(HOSTILE.replace("$", "\\$")));
        browser.await("document.querySelector('.preview')");
        assertThat(browser.run("document.querySelector('.preview').innerText"))
                .contains("until 31 Jan 2036", "Takes the place of", "note=before");
        requireUsable("preview");
        assertThat(lines("friends")).contains("before");
        browser.run("press('Add it')");
        browser.await("says('Added: ')");

        assertThat(lines("friends"))
                .contains("until=2036-01-31", "onerror")
                .doesNotContain("before");
        browser.await(
                "document.querySelector('tbody .note').textContent === `%s`"
                        .formatted(HOSTILE.replace("$", "\\$")));
        assertThat(browser.run("String(window.hacked)")).isEqualTo("undefined");

        browser.run("document.querySelector('.entry').click()");
        browser.await("document.querySelector('dialog[open]') && says('webadmin')");
        requireUsable("dialog");
        browser.run("press('Change')");
        browser.await("!document.querySelector('dialog')");
        assertThat(browser.run("document.querySelector('.add form').elements.until.value"))
                .isEqualTo("2036-01-31");

        put(
                "friends",
                "soon@example.com",
                "{\"until\":\"" + LocalDate.now(ZoneOffset.UTC).plusDays(9) + "\"}");
        browser.run(CHOOSE_ENDING);
        browser.await("says('soon@example.com')");
        assertThat(browser.run("document.querySelector('tbody').innerText"))
                .contains("ends in")
                .doesNotContain("alice@example.com");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void severalEntriesShouldBeRemovedAndAddedAgain() throws Exception {
        server.open("friends");
        for (String each : List.of("a@example.com", "b@example.com", "c@example.net")) {
            put("friends", each, "{}");
        }
        open("#/list/friends");
        browser.await("document.querySelectorAll('tbody tr').length === 3");
        browser.run("fill(document.querySelector('main [role=search]'), {search: '@example.com'})");
        browser.await("document.querySelectorAll('tbody tr').length === 2");

        browser.run("document.querySelectorAll('tbody input').forEach(box => box.click())");
        browser.await("says('2 entries chosen')");
        browser.run("press('Remove')");
        browser.await("document.querySelector('.message textarea')");
        requireUsable("removed");
        assertThat(browser.run("document.querySelector('.message textarea').value"))
                .isEqualTo("a@example.com\nb@example.com");
        assertThat(lines("friends")).contains("c@example.net").doesNotContain("@example.com");

        browser.run("press('Add again now')");
        browser.await("document.querySelectorAll('tbody tr').length === 2");
        assertThat(lines("friends")).contains("a@example.com", "b@example.com");
    }

    @Test
    void userShouldBeShownChangedAndErased() throws Exception {
        server.open("friends");
        server.open("partners");
        put("friends", "dan@example.com/for/" + USER, "{\"origin\":\"learned\"}");
        put("partners", "eve@example.com/for/" + USER, "{\"origin\":\"user\"}");
        put("partners", "eve@example.com/for/other@tenant.example", "{}");
        open("");
        browser.await("document.querySelector('.top form')");
        browser.run("fill(document.querySelector('.top form'), {search: '" + USER + "'})");
        browser.await("document.querySelectorAll('.kept').length === 2");

        browser.run("document.querySelector('.add summary').click()");
        browser.run("fill(document.querySelector('.add form'), {sender: 'new@example.com'})");
        browser.await("says('Lists mail from new@example.com to " + USER + ".')");
        browser.run("press('Add it')");
        browser.await("document.querySelectorAll('.kept').length === 3");
        browser.run("document.querySelector('.kept button').click()");
        browser.await("document.querySelectorAll('.kept').length === 2");
        assertThat(lines("friends")).contains("new@example.com").doesNotContain("dan@");

        browser.run("press('Erase…')");
        browser.await("says('Erase all of')");
        browser.run("press('Erase all of " + USER + "')");
        browser.await("says('Nothing is kept in any list.')");
        assertThat(lines("friends") + lines("partners"))
                .contains("other@tenant.example")
                .doesNotContain(USER);
        assertThat(browser.complaints()).isEmpty();
    }

    /** Holds back the answers to what is asked from now on. */
    private static final String HOLD_BACK =
            """
            window.late = [];
            window.real = fetch;
            window.fetch = (...all) => new Promise(answer => late.push(() => {
              const said = real(...all);
              answer(said);
              return said;
            }));
            """;

    private void answerLate() throws Exception {
        browser.run(
                """
                Promise.all(late.map(answer => answer()))
                  .then(() => new Promise(done => setTimeout(done, 300)))
                """);
        browser.run("document.dispatchEvent(new Event('redraw'))");
    }

    /** Whoever goes on before an answer has come stays where they went. */
    @Test
    void lateAnswerShouldNotLeadBack() throws Exception {
        server.open("friends");
        open("#/list/friends");
        browser.await("document.querySelector('h1')?.innerText === 'friends'");
        browser.await("!says('Reading')");
        browser.run(HOLD_BACK + "location.hash = '#/'");
        browser.await("late.length >= 2");
        browser.run("window.fetch = real; location.hash = '#/list/friends'");

        answerLate();

        assertThat(browser.run("document.querySelector('h1').innerText")).isEqualTo("friends");
        assertThat(browser.run("document.title")).startsWith("friends");
    }

    @Test
    void lateAnswerShouldNotReplaceThatToALaterQuestion() throws Exception {
        server.open("friends");
        put("friends", "alice@example.com", "{}");
        put("friends", "bob@example.org", "{}");
        judge();
        open("#/list/friends");
        browser.await("document.querySelectorAll('tbody tr').length === 2");
        String search = "fill(document.querySelector('main [role=search]'), {search: '%s'})";
        browser.run(HOLD_BACK + search.formatted("@example.com"));
        browser.await("late.length === 1");
        browser.run("window.fetch = real; " + search.formatted("bob"));
        browser.await("says('bob@example.org') && !says('alice@example.com')");

        answerLate();

        assertThat(browser.run("document.querySelector('tbody').innerText"))
                .contains("bob@example.org")
                .doesNotContain("alice@example.com");

        open("");
        browser.await("document.querySelectorAll('.mail').length === 3");
        browser.run(HOLD_BACK + "document.querySelectorAll('.mail')[2].click()");
        browser.await("late.length === 1");
        browser.run("window.fetch = real; document.querySelectorAll('.mail')[1].click()");
        browser.await("document.querySelector('.answer')");

        answerLate();

        assertThat(browser.run("document.querySelector('.answer').innerText"))
                .contains("Not listed", "No entry is about this sender");
    }

    @Test
    void exportShouldHaveAllLines() throws Exception {
        server.open("friends");
        put("friends", "alice@example.com", "{}");
        put("friends", "bob@example.com", "{}");
        open("#/list/friends");
        browser.await("document.querySelector('tbody tr')");

        browser.run("URL.createObjectURL = blob => (blob.text().then(t => kept = t), 'blob:x')");
        assertThat(exported()).isEqualTo("alice@example.com\nbob@example.com\n");

        String until = LocalDate.now(ZoneOffset.UTC).plusDays(9).toString();
        put("friends", "soon@example.com", "{\"until\":\"" + until + "\"}");
        browser.run(CHOOSE_ENDING);
        browser.await("says('soon@example.com')");
        assertThat(exported()).isEqualTo("soon@example.com until=" + until + "\n");
    }

    private String exported() throws Exception {
        browser.run("kept = ''; press('Export')");
        browser.await("kept");
        return browser.run("kept");
    }

    @Test
    void listInAFileShouldSayTheLineToEdit() throws Exception {
        judge();
        open("#/list/base");
        browser.await("document.querySelector('.entry')");

        browser.run("document.querySelector('.entry').click()");
        browser.await("says('edit line 1')");

        assertThat(browser.run("document.querySelectorAll('.add, .pick, .danger').length"))
                .isEqualTo("0");
    }

    @ParameterizedTest
    @EnumSource
    void passwordShouldBeAskedForAndKeptInMemoryOnly(Passwords rules) throws Exception {
        server.open("friends");
        put("friends", "alice@example.com", "{}");
        open("");
        browser.await("says('WebAdmin has no password')");
        server.requirePassword(rules);
        open("#/list/friends");
        lookAt("login", "#/list/friends", "document.querySelector('[type=password]')");

        logIn("wrong");
        browser.await("says('James does not take this one')");
        takeNoLateRefusalForThatOfTheNextPassword();
        if (rules == Passwords.OF_MASTER) {
            logIn(Passwords.READ_ONLY);
            removeFirst();
            browser.await("says('This password may not change this.')");
            open("#/list/friends");
            browser.await("document.querySelector('[type=password]')");
            logIn(Passwords.NO_DELETE);
            removeFirst();
            browser.await("says('This password may not change this.')");
            browser.run("document.querySelector('.add summary').click()");
            browser.run("fill(document.querySelector('.add form'), {sender: 'bob@example.com'})");
            browser.await("document.querySelector('.preview')");
            browser.run("press('Add it')");
            browser.await("says('Added: ')");
            open("#/list/friends");
            browser.await("document.querySelector('[type=password]')");
        }
        logIn(Passwords.ALL);
        removeFirst();
        browser.await("document.querySelector('.message textarea')");
        browser.run("location.hash = ''");
        browser.await("says('All is well.')");
        assertThat(browser.run("says('WebAdmin has no password')")).isEqualTo("false");

        assertThat(browser.run("document.cookie + JSON.stringify([localStorage, sessionStorage])"))
                .isEqualTo("[{},{}]");
        open("");
        browser.await("document.querySelector('[type=password]')");
    }

    private void takeNoLateRefusalForThatOfTheNextPassword() throws Exception {
        browser.run(HOLD_BACK);
        logIn("wrong again");
        browser.await("late.length === 2");
        browser.run("window.fetch = real; late.shift()()");
        browser.await("document.querySelector('[type=password]')");
        logIn(Passwords.ALL);
        browser.await("document.querySelector('tbody input')");

        answerLate();

        assertThat(browser.run("document.querySelectorAll('[type=password]').length"))
                .isEqualTo("0");
        open("#/list/friends");
        browser.await("document.querySelector('[type=password]')");
    }

    private void removeFirst() throws Exception {
        browser.await("document.querySelector('tbody input')");
        browser.run("document.querySelector('tbody input').click()");
        browser.run("press('Remove')");
    }

    private void logIn(String password) throws Exception {
        String fields = "{password: '" + password + "'}";
        browser.run("fill(document.querySelector('.login form'), " + fields + ")");
    }
}
