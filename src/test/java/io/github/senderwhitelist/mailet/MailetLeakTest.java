package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.tools.Extent;
import io.github.senderwhitelist.tools.Handles;

import org.apache.mailet.Mail;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Tests that a destroyed mailet leaves nothing behind. StressTest does so for refreshes. */
class MailetLeakTest {
    private static final String THREADS = "whitelist";

    @TempDir Path folder;
    private final SharedLists shared = TestLists.none();

    @Test
    void shouldLeaveNoHandleAndNoThreadWhenItIsDestroyed() throws Exception {
        assumeTrue(Handles.areTold());
        List<String> threads = Handles.threads(THREADS);
        Path list = Files.createDirectories(folder.resolve("conf")).resolve("whitelist.txt");
        Files.writeString(list, "alice@example.com\n");
        for (int round = 0; round < Extent.of(6, 20); round++) {
            SenderWhitelist mailet =
                    TestLists.mailet(
                            folder,
                            shared,
                            "file://conf/whitelist.txt",
                            "maxShrink",
                            "100%",
                            "onWhitelisted",
                            "transport");
            // A list that became shorter would be waited for.
            String sender = "sender-of-round-" + round + "@example.com";
            // Destroyed in the middle of a refresh, at rest, and after one.
            if (round % 3 > 0) {
                Files.writeString(list, sender + "\n");
            }
            if (round % 3 > 1) {
                await().atMost(Duration.ofSeconds(30)).until(() -> isListed(mailet, sender));
                assertThat(held()).isNotEmpty();
                assertThat(Handles.threads(THREADS)).hasSizeGreaterThan(threads.size());
            }
            mailet.destroy();
            assertThat(held()).isEmpty();
        }
        assertThat(Handles.threads(THREADS)).isEqualTo(threads);
    }

    private List<String> held() throws IOException {
        List<String> held = new ArrayList<>(Handles.files(folder.toString()));
        held.addAll(Handles.mappings(folder.toString()));
        return held;
    }

    private static boolean isListed(SenderWhitelist mailet, String sender) throws Exception {
        Mail mail = TestServer.mail(sender);
        mailet.service(mail);
        return mail.getState().equals("transport");
    }
}
