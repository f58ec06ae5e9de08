package io.github.senderwhitelist.it;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The plugin in the whole James 3.8.1 server: SMTP in, mailboxes over IMAP, other servers by SMTP.
 */
class James38IT extends WhitelistContract {
    @Override
    Path jar() {
        return James38.JAR;
    }

    @Override
    Running launch(ServerDirectory directory) throws IOException {
        James38 james =
                James38.launch(directory, James38.Ports.free(), new Outside(), javaOptions());
        return new Running(james, james.process(), James38.READY);
    }

    @Override
    boolean alwaysSetsHeaders() {
        // Its RemoveMimeHeader, which every pipeline must have, does.
        return true;
    }

    @Override
    void prepare(JamesServer james) throws IOException, InterruptedException {
        ((James38) james).withUsers();
    }
}
