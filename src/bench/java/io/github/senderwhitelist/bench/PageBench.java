package io.github.senderwhitelist.bench;

import static java.util.Objects.requireNonNull;

import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.it.Browser;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.WebAdmin;
import io.github.senderwhitelist.tools.Folders;
import io.github.senderwhitelist.tools.PairGenerator;

import java.nio.file.Path;
import java.util.List;

/**
 * The web page in a real browser, over a living list whose base is there: the time from a request
 * until its answer is drawn. Options: those of {@link FilledDatabases}, and rounds (7).
 */
final class PageBench {
    private static final String NAME = LivingBench.NAME;

    private static final String ALL_ROWS =
            "[...document.querySelectorAll('tbody tr')]"
                    + ".every((row, i, all) => all.length && row.innerText.includes('%s'))"
                    + " && document.querySelector('tbody tr')";

    private static final List<String> SHOWN =
            List.of("first screen", "list", "search for an address", "for a domain", "for nothing");

    private final int rounds = (int) BenchOptions.number("rounds", 7);
    private final RoundTimes times = new RoundTimes(rounds);
    private final Browser browser;
    private final String page;

    private PageBench(Browser browser, WebAdmin server) {
        this.browser = browser;
        this.page = "http://127.0.0.1:" + server.port() + "/whitelist-ui";
    }

    private static void measure(String url, Database database, Path folder) throws Exception {
        try (WebAdmin server = new WebAdmin();
                Browser browser = new Browser(Folders.ofThisJava("browser"))) {
            server.open(NAME, database.record(NAME));
            LivingList list = requireNonNull(server.living().get(NAME));
            while (list.status().asOf() == null) {
                Thread.sleep(100);
            }
            browser.look(1280, "light");
            new PageBench(browser, server).measure(url.split(":", 3)[1], list.status().entries());
        }
    }

    private void measure(String engine, long entries) throws Exception {
        String address = PairGenerator.sender(1000);
        String other = PairGenerator.sender(2000);
        String domain = other.substring(other.indexOf('@'));
        for (int round = -1; round < rounds; round++) {
            open(SHOWN.get(0), round, "", "document.querySelector('.card.list')");
            open(SHOWN.get(1), round, "#/list/" + NAME, ALL_ROWS.formatted("@"));
            search(SHOWN.get(2), round, address, ALL_ROWS.formatted(address));
            search(SHOWN.get(3), round, domain, ALL_ROWS.formatted(domain));
            String nothing = "document.body.innerText.includes('No such entry.')";
            search(SHOWN.get(4), round, "@nowhere.example", nothing);
        }
        for (String each : SHOWN) {
            RoundTimes.line(
                    "%s, %d entries: %s: %.0f ms", engine, entries, each, times.median(each));
        }
    }

    /** Opens a screen anew; its clock begins with the request. */
    private void open(String what, int round, String place, String shown) throws Exception {
        browser.open(page + place);
        browser.await("document.querySelector('main')");
        browser.run("var start = 0");
        await(what, round, shown);
    }

    private void search(String what, int round, String sought, String shown) throws Exception {
        browser.run(
                """
                var start = performance.now();
                document.querySelector('main [role=search]').elements.search.value = '%s';
                document.querySelector('main [role=search]').requestSubmit();
                """
                        .formatted(sought));
        await(what, round, shown);
    }

    /** Waits for a condition, and takes the time since the beginning. */
    private void await(String what, int round, String shown) throws Exception {
        String until =
                """
                new Promise(done => {
                  const look = () => (%s) ? done(performance.now() - start) : requestAnimationFrame(look);
                  look();
                })
                """
                        .formatted(shown);
        double time = Double.parseDouble(browser.run(until));
        if (round >= 0) {
            times.put(what, round, time);
        }
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        FilledDatabases.forEach(PageBench::measure);
    }
}
