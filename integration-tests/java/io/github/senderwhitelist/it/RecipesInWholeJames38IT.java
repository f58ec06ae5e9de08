package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.it.scanner.GtubeScanner;
import io.github.senderwhitelist.tools.Docs;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The recipes in the whole James 3.8.1. */
class RecipesInWholeJames38IT extends RecipeContract {
    private static final Pattern SIEVE = Pattern.compile("(?ms)^```sieve\n(.*?)^```$");

    @Override
    ServerDirectory directory() throws IOException {
        return ServerDirectory.create(Path.of("target/it/recipes-38"), James38.JAR)
                .withExtension(GtubeScanner.class);
    }

    @Override
    JamesServer launch(ServerDirectory directory) throws IOException, InterruptedException {
        James38 server = James38.launch(directory, James38.Ports.free(), new Outside());
        await().until(() -> server.log().contains(James38.READY) || !server.process().alive());
        assertThat(server.process().alive()).as(server::log).isTrue();
        assertThat(server.log()).doesNotContain("neither SPF nor DKIMVerify");
        return server.withUsers();
    }

    @Override
    void sendAsUser(String recipient, String body) throws IOException {
        try (SmtpClient smtp = new SmtpClient(james().smtpPort())) {
            smtp.login(JamesServer.IVY, "secret");
            smtp.send(
                    JamesServer.IVY, List.of(recipient), letter(JamesServer.IVY, "", body).bytes());
        }
    }

    /** The users' rules are run by James' own Sieve. */
    @Test
    void inTheThirdRecipeSieveFilesByTheMark() throws Exception {
        start(Recipe.of(RECIPES, "## Only marked, for rules of users"));
        Matcher script = SIEVE.matcher(Docs.read(RECIPES));
        assertThat(script.find()).isTrue();
        assertThat(
                        ((James38) james())
                                .webAdmin(
                                        "PUT",
                                        "/sieve/"
                                                + JamesServer.IVY
                                                + "/scripts/known?activate=true",
                                        script.group(1))
                                .statusCode())
                .isEqualTo(204);
        Letter known = letter(ALICE, CONFIRMED, "Hello\r\n");
        send(ALICE, JamesServer.IVY, known);
        await().pollInSameThread()
                .until(
                        () ->
                                james().mails(JamesServer.IVY, "Known").stream()
                                        .anyMatch(mail -> mail.id().equals(known.id())));
        arrived(JamesServer.INBOX, ALICE, LISTED + ": yes\r\n", "Hello\r\n");
    }
}
