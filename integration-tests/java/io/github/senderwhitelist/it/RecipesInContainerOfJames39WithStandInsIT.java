package io.github.senderwhitelist.it;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The recipes in the mailet container of James 3.9.0. {@link James39} names what stands in for the
 * mailets and matchers that Maven Central lacks.
 */
class RecipesInContainerOfJames39WithStandInsIT extends RecipeContract {
    @Override
    ServerDirectory directory() throws IOException {
        return ServerDirectory.create(Path.of("target/it/recipes-39"), James39.JAR);
    }

    @Override
    JamesServer launch(ServerDirectory directory) throws IOException {
        James39 server = new James39(directory, new Outside());
        server.awaitReady();
        return server;
    }

    /** The front door takes no logins. */
    @Override
    void sendAsUser(String recipient, String body) throws IOException {
        james().send(JamesServer.IVY, List.of(recipient), letter(JamesServer.IVY, LOGGED_IN, body));
    }
}
