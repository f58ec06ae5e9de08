package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.it.scanner.GtubeScanner;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What is on the disk when a whole James 3.8.1 has stopped whose matcher is within And and Not, as
 * in the main recipe. James never destroys such a matcher.
 */
class StopIT extends OneJames38 {
    private static final List<String> SENDERS =
            IntStream.range(0, 300).mapToObj(i -> "a" + i + "@stranger.example").toList();

    @Test
    void theFileAloneHasAllEntries() throws Exception {
        ServerDirectory directory =
                ServerDirectory.create(Path.of("target/it/stop"), James38.JAR)
                        .withExtension(GtubeScanner.class);
        Files.copy(
                Recipe.SPAM_FOLDER,
                directory.conf("mailetcontainer.xml"),
                StandardCopyOption.REPLACE_EXISTING);
        // A mailet that James destroys would close the list.
        directory.mailetContainer(
                conf ->
                        conf.replace(
                                        "class",
                                        Map.of(
                                                "org.apache.james.rspamd.RspamdScanner",
                                                GtubeScanner.class.getName()))
                                .remove("io.github.senderwhitelist.mailet.LearnCorrespondents"));
        start(directory, null);
        for (String sender : SENDERS) {
            james().change("PUT", "/whitelists/own/entries/" + sender, "{}");
        }
        james().close();
        assertThat(james().log()).contains("JAMES server stopped");

        Path var = directory.path().resolve("var/whitelist");
        Path log = var.resolve("lists.db-wal");
        assertThat(Files.exists(log) ? Files.size(log) : 0).isZero();
        assertThat(
                        entries(
                                Files.copy(
                                        var.resolve("lists.db"),
                                        directory.path().resolve("copy.db"))))
                .containsExactlyInAnyOrderElementsOf(SENDERS);
    }

    private static List<String> entries(Path database) throws IOException {
        List<String> senders = new ArrayList<>();
        try (Database opened = Database.sqlite(database, Duration.ofSeconds(20))) {
            opened.record("own")
                    .page(null, 100_000)
                    .forEach(entry -> senders.add(entry.key().toString()));
        }
        return senders;
    }
}
