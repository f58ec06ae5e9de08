package io.github.senderwhitelist.it;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;

/** The mailet container of James 3.9.0 with the plugin going all its ways of Java 21. */
class James39AsOnJava21IT extends James39IT {
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
