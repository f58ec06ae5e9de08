package io.github.senderwhitelist.it;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;

/** The whole James 3.8.1 with the plugin going all its ways of Java 21. */
class James38AsOnJava21IT extends James38IT {
    @Override
    List<String> javaOptions() {
        return AsOnJava21.OPTIONS;
    }

    @Override
    int manyMails() {
        return AsOnJava21.MAILS;
    }

    @Test
    void itMapsNoFileOfAList() throws IOException {
        AsOnJava21.assertMapsNoSnapshot(process());
    }
}
