package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.senderwhitelist.store.JavaVersion;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What tests have in common that run the plugin as on Java 21, whatever Java they run on. */
final class AsOnJava21 {
    static final List<String> OPTIONS = List.of("-D" + JavaVersion.AS_JAVA_21 + "=true");

    /** Fewer than elsewhere: that refreshes lose no mail is shown there. */
    static final int MAILS = 2_000;

    private AsOnJava21() {}

    /** Newer versions of Java map the snapshots in force; Linux tells what a process has mapped. */
    static void assertMapsNoSnapshot(ServerProcess process) throws IOException {
        Path maps = Path.of("/proc", Long.toString(process.pid()), "maps");
        assumeThat(maps).exists();
        assertThat(Files.readString(maps)).contains("libjvm").doesNotContain(".swl");
    }
}
