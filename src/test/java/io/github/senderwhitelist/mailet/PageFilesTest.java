package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

class PageFilesTest {
    private static final Path FOLDER = Path.of("src/main/resources/io/github/senderwhitelist/ui");
    private static final Pattern LINK =
            Pattern.compile("(?:from '\\./|(?:src|href)=\"whitelist-ui/)([\\w.-]+)['\"]");

    private final WebAdmin server = new WebAdmin();

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private HttpResponse<String> get(String path) throws Exception {
        return server.send("GET", path);
    }

    private static String header(HttpResponse<String> answer, String name) {
        return String.join(",", answer.headers().allValues(name));
    }

    @ParameterizedTest
    @CsvSource({
        "'', text/html",
        "/style.css, text/css",
        "/app.js, text/javascript",
        "/lit-html.js, text/javascript",
        "/icon.svg, image/svg+xml"
    })
    void pageShouldSayWhatItsFilesAre(String path, String type) throws Exception {
        HttpResponse<String> answer = get("/whitelist-ui" + path);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isNotBlank();
        assertThat(header(answer, "Content-Type")).startsWith(type);
        assertThat(header(answer, "Cache-Control")).isEqualTo("no-cache");
        assertThat(header(answer, "X-Content-Type-Options")).isEqualTo("nosniff");
    }

    @Test
    void pageShouldAllowNothingButItsOwnFiles() throws Exception {
        assertThat(header(get("/whitelist-ui"), "Content-Security-Policy").split("; ?"))
                .containsExactlyInAnyOrder(
                        "default-src 'none'",
                        "script-src 'self'",
                        "style-src 'self'",
                        "img-src 'self'",
                        "connect-src 'self'",
                        "require-trusted-types-for 'script'",
                        "trusted-types lit-html",
                        "base-uri 'none'",
                        "form-action 'none'",
                        "frame-ancestors 'none'");
    }

    @Test
    void everyFileShouldBeServedAsItIsAndSoWhatItLinksTo() throws Exception {
        List<Path> files;
        try (Stream<Path> all = Files.list(FOLDER)) {
            files = all.filter(file -> !file.endsWith("index.html")).toList();
        }
        String page = Files.readString(FOLDER.resolve("index.html"));
        assertThat(get("/whitelist-ui").body()).isEqualTo(page);
        Stream<String> texts = Stream.of(page);
        for (Path file : files) {
            String text = Files.readString(file);
            assertThat(get("/whitelist-ui/" + file.getFileName()).body()).isEqualTo(text);
            texts = Stream.concat(texts, Stream.of(text));
        }
        List<String> links =
                texts.flatMap(text -> LINK.matcher(text).results())
                        .map(match -> match.group(1))
                        .distinct()
                        .toList();
        assertThat(links).contains("app.js", "style.css", "home.js", "lit-html.js");
        for (String link : links) {
            assertThat(get("/whitelist-ui/" + link).statusCode()).as(link).isEqualTo(200);
        }
    }

    @Test
    void pageShouldLeadToItselfWhenAskedWithSlash() throws Exception {
        HttpResponse<String> answer = get("/whitelist-ui/");

        assertThat(answer.statusCode()).isEqualTo(302);
        assertThat(header(answer, "Location")).isEqualTo("../whitelist-ui");
    }

    @ParameterizedTest
    @CsvSource({"/whitelist-ui/../whitelists", "/whitelist-ui/x.js", "/whitelist-ui/index.html"})
    void pageShouldHaveNoFileBeside(String path) throws Exception {
        assertThat(server.sendRaw("GET " + path)).doesNotContain("lit-html", "javascript");
    }
}
