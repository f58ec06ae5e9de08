package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.Docs;
import io.github.senderwhitelist.tools.Needs;

import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The login to the WebAdmin of a whole James 3.8.1, as the manual sets it. */
class WebAdminLoginIT extends OneJames38 {
    /** Pastes both blocks of the manual with openssl, one before the start and one after it. */
    @Test
    void aTokenMadeAsTheManualSaysLogsIn() throws Exception {
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
        ServerDirectory directory =
                ServerDirectory.create(Path.of("target/it/webadmin-login"), James38.JAR);
        assertThat(directory.shell(blocks.getFirst())).isEmpty();
        start(directory, null);
        String port = Integer.toString(james().webAdminPort());

        assertThat(james().webAdmin("/whitelists")).contains("No Bearer header");
        assertThat(directory.shell(blocks.getLast().replace("8000", port)))
                .contains("\"name\":\"own\"");
    }
}
