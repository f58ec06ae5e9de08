package io.github.senderwhitelist.it;

import java.io.IOException;
import java.nio.file.Path;

/** The plugin in the mailet container of James 3.9.0: SMTP in, SMTP out. */
class James39IT extends WhitelistContract {
    @Override
    Path jar() {
        return James39.JAR;
    }

    @Override
    JamesServer launch(ServerDirectory directory) throws IOException {
        return new James39(directory, new Outside());
    }

    @Override
    boolean alwaysSetsHeaders() {
        return false;
    }

    @Override
    void prepare(JamesServer james) {
        // The users exist from the start.
    }
}
