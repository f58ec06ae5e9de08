package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.refresh.FileList;

import org.apache.mailet.base.test.FakeMail;
import org.apache.mailet.base.test.FakeMailetConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;

/** Lets servers look at their files now, over WebAdmin. */
class ReloadRouteTest {
    private static final String XML =
            """
            <whitelists>
              <whitelist name="base">
                <source>file://base.txt</source>
                <reloadInterval>1h</reloadInterval>
              </whitelist>
            </whitelists>
            """;

    @TempDir Path folder;
    private final WebAdmin server = new WebAdmin();
    private SharedLists shared = TestLists.defined(XML);
    private SenderWhitelist mailet = new SenderWhitelist(new TestFiles(Path.of("")), shared);

    @BeforeEach
    void open() throws Exception {
        Files.writeString(folder.resolve("base.txt"), "alice@example.com\nbob@example.com\n");
        Files.writeString(folder.resolve("other.txt"), "carol@example.com\n");
        shared = TestLists.defined(XML);
        mailet = new SenderWhitelist(new TestFiles(folder), shared);
        mailet.init(
                FakeMailetConfig.builder()
                        .setProperty("whitelist", "base,file://other.txt")
                        .build());
        server.files().putAll(shared.files());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        mailet.destroy();
        assertThat(shared.files()).isEmpty();
    }

    private HttpResponse<String> reload(String name) throws IOException, InterruptedException {
        return server.send("POST", "/whitelists/" + name + "/reload");
    }

    /** Renames a finished file into place. */
    private void write(String text) throws IOException {
        Path next = folder.resolve("next");
        Files.writeString(next, text);
        Files.move(next, folder.resolve("base.txt"), StandardCopyOption.REPLACE_EXISTING);
    }

    private FileList base() {
        return Objects.requireNonNull(shared.files().get("base"));
    }

    @Test
    void shouldBringTheFileIntoForce() throws Exception {
        write("alice@example.com\nbob@example.com\ndave@example.com\n");

        HttpResponse<String> answer = reload("base");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .startsWith("{\"list\":\"base\",\"reloaded\":true,\"entries\":3,\"built\":\"20")
                .endsWith("\"problem\":null}");
        FakeMail mail =
                FakeMail.builder()
                        .name("m")
                        .sender("dave@example.com")
                        .recipient("u@here.ex")
                        .build();
        mailet.service(mail);
        assertThat(mail.attributes().toList().toString()).contains("listed");
    }

    @Test
    void shouldReadAFileThatHasNotChanged() throws Exception {
        long before = base().status().done();

        assertThat(reload("base").body()).contains("\"reloaded\":true,\"entries\":2,");

        assertThat(base().status().done()).isGreaterThan(before);
    }

    @Test
    void shouldReportWhyAFileIsNotTaken() throws Exception {
        write("no address\n");

        HttpResponse<String> answer = reload("base");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .contains("\"list\":\"base\",\"reloaded\":false,\"entries\":2,")
                .contains("base.txt");
        Files.delete(folder.resolve("base.txt"));
        assertThat(reload("base").body()).contains("\"reloaded\":false", "\"entries\":2");
    }

    @Test
    void shouldReportThatAListWasClosed() throws Exception {
        base().close();

        HttpResponse<String> answer = reload("base");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).contains("\"reloaded\":false", "the list is closed");
    }

    @Test
    void shouldKnowListsByTheNamesInMetrics() throws Exception {
        String name =
                shared.files().keySet().stream()
                        .filter(each -> !each.equals("base"))
                        .findFirst()
                        .orElseThrow();

        assertThat(name).startsWith("other.txt-");
        assertThat(reload(name).body()).contains("\"reloaded\":true,\"entries\":1,");
        assertThat(reload("enemies").body()).contains("'enemies'; open are: base, " + name);
    }
}
