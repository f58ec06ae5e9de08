package io.github.senderwhitelist;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.mailet.SenderWhitelist;
import io.github.senderwhitelist.tools.Docs;

import org.apache.commons.configuration2.AbstractConfiguration;
import org.apache.commons.configuration2.PropertiesConfiguration;
import org.apache.james.server.core.configuration.FileConfigurationProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The configuration in {@code conf/} and the image in {@code docker/}, which has it inside. */
class SamplesTest {
    private static final Path CONF = Path.of("conf");
    private static final Path DOCKER = Path.of("docker");
    private static final String COMPOSE = Docs.read(DOCKER.resolve("compose.yaml"));

    @Test
    void shouldAskAboutTheSendersThatTheRecipeAsksAbout() throws Exception {
        String fromOthers = "(?s)(<matcher name=\"from-others\".+?)<mailet ";

        assertThat(one(fromOthers, Docs.read(CONF.resolve("mailetcontainer.xml"))))
                .isEqualToIgnoringWhitespace(one(fromOthers, Docs.page("recipes.md")));
    }

    @Test
    void shouldLogALineForAMailAndNoMore() {
        assertThat(
                        all(
                                "name=\"(.+?)\" level=\"(?:DEBUG|TRACE)\"",
                                Docs.read(CONF.resolve("logback.xml"))))
                .containsExactly(SenderWhitelist.class.getName());
    }

    /** Neither mails nor users' passwords are encrypted on their way, nor is WebAdmin's. */
    @ParameterizedTest
    @CsvSource({
        "smtpserver.xml, smtpserver.bind, 2525",
        "imapserver.xml, imapserver.bind, 1143",
        "webadmin.properties, host, 8000"
    })
    void shouldListenToThisMachineOnly(String file, String key, int port) throws Exception {
        AbstractConfiguration conf = conf(file);
        conf.getInterpolator().registerLookup("env", name -> null);
        assertThat(listensAt(conf, key)).isEqualTo("127.0.0.1:" + port);
        conf.getInterpolator().registerLookup("env", SamplesTest::inContainer);
        assertThat(listensAt(conf, key)).isEqualTo("0.0.0.0:" + port);
        if (key.equals("host")) {
            // No web page can have the name, and none is at an origin without a scheme.
            assertThat(conf.getString("cors.origin")).isEqualTo("none");
        }
        assertThat(all("^ +- \"(.+:\\d+)\"$", COMPOSE))
                .contains("127.0.0.1:" + port + ":" + port)
                .allMatch(published -> published.startsWith("127.0.0.1:"));
    }

    private static AbstractConfiguration conf(String file) throws Exception {
        try (InputStream stream = Files.newInputStream(CONF.resolve(file))) {
            if (file.endsWith(".xml")) {
                return FileConfigurationProvider.getConfig(stream);
            }
        }
        PropertiesConfiguration properties = new PropertiesConfiguration();
        try (var reader = Files.newBufferedReader(CONF.resolve(file))) {
            properties.read(reader);
        }
        return properties;
    }

    /** Returns the value of an environment variable, or null. */
    private static @Nullable String inContainer(String name) {
        String line = "^ +" + Pattern.quote(name) + ": (.+)$";
        return all(line, COMPOSE).stream().findFirst().orElse(null);
    }

    private static String listensAt(AbstractConfiguration conf, String key) {
        String port = conf.getString("port");
        return conf.getString(key) + (port == null ? "" : ":" + port);
    }

    @Test
    void shouldGiveTheImageWhatItCopiesAndNothingElse() {
        Path dockerfile =
                DOCKER.resolve(one("context: (.+)", COMPOSE))
                        .resolve(one("dockerfile: (.+)", COMPOSE));
        String ignored = Docs.read(Path.of(".dockerignore"));
        String jar = "target/" + one("<finalName>(.+)</", Docs.read(Path.of("pom.xml"))) + ".jar";

        assertThat(all("^COPY ([^-\\s]\\S+?)/? ", Docs.read(dockerfile)))
                .containsExactly("conf", jar);
        assertThat(all("^([^#].*)$", ignored)).containsExactly("*", "!conf", "!" + jar);
    }

    /** A password that stood in the sources would be known to everybody. */
    @Test
    void shouldMakeAnotherPasswordForWebAdminInEachImage(@TempDir Path folder) throws Exception {
        String shipped = Docs.read(CONF.resolve("webadmin.properties"));
        String make = one("^RUN (.+)$", Docs.read(DOCKER.resolve("Dockerfile")));
        Set<String> passwords = new HashSet<>();
        for (int image = 0; image < 2; image++) {
            Path file = folder.resolve("webadmin.properties");
            Files.writeString(file, shipped);
            String made = make.replace("/conf/", folder + "/");
            assertThat(new ProcessBuilder("sh", "-c", made).start().waitFor()).isZero();
            passwords.addAll(all("^password=([\\w-]{32})$", Files.readString(file)));
        }

        assertThat(shipped).doesNotContainPattern("(?m)^(password|jwt)");
        assertThat(passwords).hasSize(2);
    }

    /** A mount over the image's conf/ would hide the files that only the image has. */
    @Test
    void shouldKeepTheListsAndHideNothingOfTheImage() {
        String lists = Docs.read(CONF.resolve("whitelists.xml"));
        String own = one("<source>jdbc:sqlite:file://([^<]+)/", lists);

        assertThat(all("^ +- \\S+:(/\\S+)$", COMPOSE)).containsExactly("/root/" + own);
    }

    private static String one(String pattern, String text) {
        return all(pattern, text).getFirst();
    }

    private static List<String> all(String pattern, String text) {
        return Pattern.compile(pattern, Pattern.MULTILINE)
                .matcher(text)
                .results()
                .map(result -> result.group(1))
                .toList();
    }
}
