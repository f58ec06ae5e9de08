package io.github.senderwhitelist.mailet.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.living.LivingSettings;
import io.github.senderwhitelist.mailet.SenderIsWhitelisted;
import io.github.senderwhitelist.mailet.SenderWhitelist;
import io.github.senderwhitelist.mailet.TestFiles;
import io.github.senderwhitelist.mailet.TestLists;
import io.github.senderwhitelist.mailet.TestServer;
import io.github.senderwhitelist.mailet.settings.ListDefinition.DatabaseSource;
import io.github.senderwhitelist.mailet.settings.ListDefinition.Living;
import io.github.senderwhitelist.mailet.settings.ListDefinition.OfFile;
import io.github.senderwhitelist.refresh.ListSettings;
import io.github.senderwhitelist.tools.TableSource;

import org.apache.commons.configuration2.ex.ConfigurationException;
import org.apache.mailet.Mail;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lists that {@code conf/whitelists.xml} defines. */
class NamedListsTest {
    private static final String LISTS =
            """
            <whitelist name="partners">
              <source>file://conf/partners.txt</source>
              <cacheSize>7</cacheSize>
            </whitelist>
            <whitelist name="exceptions"><source>file://conf/exceptions.txt</source></whitelist>
            """;
    private static final String TWO = "<whitelists>" + LISTS + "</whitelists>";

    /** A list as messages give it for {@code conf/whitelists.xml}, and its name elsewhere. */
    private static final Pattern ADVICE =
            Pattern.compile("(<whitelist name=.*</whitelist>).*<list>(.*?)</list>");

    @RegisterExtension final TestServer server = new TestServer(LISTS);
    private final Path folder = server.folder;

    private List<ListSettings> lists(String xml, Map<String, String> values) {
        return definitions(xml, values).stream()
                .map(definition -> ((OfFile) definition).settings())
                .toList();
    }

    private List<ListDefinition> definitions(String xml, Map<String, String> values) {
        return ListParameters.asked(
                new Parameters("Mailet", values, new TestFiles(folder)), TestLists.named(xml));
    }

    @Test
    void shouldKnowListsInDatabases() throws Exception {
        Files.writeString(folder.resolve("secret"), "\ufeffhush\n");
        List<ListDefinition> lists =
                definitions(
                        """
                        <whitelists>
                          <whitelist name="own"><source>jdbc:sqlite:file://var/lists.db</source></whitelist>
                          <whitelist name="all">
                            <source>jdbc:postgresql://db.example/james</source>
                            <user>james</user>
                            <password>file://secret</password>
                            <pollInterval>1s</pollInterval>
                            <maxStaleness>10s</maxStaleness>
                            <whenBehind>unavailable</whenBehind>
                            <cacheSize>7</cacheSize>
                            <bitsPerAddress>8</bitsPerAddress>
                            <exactMemory>5</exactMemory>
                            <workDirectory>file://var/work</workDirectory>
                          </whitelist>
                        </whitelists>
                        """,
                        Map.of("whitelist", "own,all"));

        assertThat(lists)
                .containsExactly(
                        new Living(
                                new LivingSettings(
                                        "own",
                                        FilterSize.ofRate(0.001),
                                        100_000,
                                        32L << 20,
                                        Duration.ofSeconds(2),
                                        Duration.ofSeconds(30),
                                        true),
                                new DatabaseSource(
                                        folder.resolve("var/lists.db").toString(), "", ""),
                                folder.resolve("var/whitelist")),
                        new Living(
                                new LivingSettings(
                                        "all",
                                        FilterSize.ofBitsPerKey(8),
                                        7,
                                        5,
                                        Duration.ofSeconds(1),
                                        Duration.ofSeconds(10),
                                        false),
                                new DatabaseSource(
                                        "jdbc:postgresql://db.example/james", "james", "hush"),
                                folder.resolve("var/work")));
        assertThat(lists.toString()).doesNotContain("hush");
        assertThat(lists.getLast().title()).isEqualTo("all (jdbc:postgresql://db.example/james)");
    }

    /** What is usual for the size is no other parameter. */
    @ParameterizedTest
    @TableSource
    void shouldTakeTheKindOfFilterThatTheSizeSuggests(
            String parameter, String value, String filter, FilterKind kind) throws Exception {
        Map<String, String> values =
                new HashMap<>(Map.of("whitelist", "file://conf/own.txt", parameter, value));
        if (!filter.isEmpty()) {
            values.put("filter", filter);
        }

        assertThat(lists(TWO, values).getFirst().build().kind()).isEqualTo(kind);
    }

    /** Metrics keep the name, so it must not depend on other lists. */
    @Test
    void shouldNameAFileByItselfItsPathAndItsParameters() throws Exception {
        assertThat(name("file://conf/own.txt")).isEqualTo("own.txt");
        assertThat(name("file://conf/own.txt", "cacheSize", "100000")).isEqualTo("own.txt");
        assertThat(
                        List.of(
                                name("file://conf/own.txt", "cacheSize", "5"),
                                name("file://conf/own.txt", "cacheSize", "6"),
                                name("file://conf/own.txt", "maxShrink", "5%"),
                                name("file://var/own.txt"),
                                name("file://conf/own.txt "),
                                name("file://other/own.txt")))
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches("own\\.txt(-[0-9a-f]{6})?"));
        assertThat(name("file://conf/partners")).matches("partners-[0-9a-f]{6}");
        assertThat(name("file://conf/böse liste")).isEqualTo("b_se_liste");
    }

    private String name(String url, String... values) {
        Map<String, String> all = new HashMap<>(Map.of("whitelist", url));
        if (values.length > 0) {
            all.put(values[0], values[1]);
        }
        return lists(TWO, all).getFirst().name();
    }

    @Test
    void shouldTakeWhatBelongsToAListFromItsDefinition() throws Exception {
        List<ListSettings> lists =
                lists(
                        TWO,
                        Map.of(
                                "whitelist",
                                "partners, file://conf/own.txt,exceptions",
                                "cacheSize",
                                "9"));

        assertThat(lists)
                .extracting(ListSettings::name)
                .satisfiesExactly(
                        first -> assertThat(first).isEqualTo("partners"),
                        second -> assertThat(second).startsWith("own.txt-"),
                        third -> assertThat(third).isEqualTo("exceptions"));
        assertThat(lists).extracting(ListSettings::cacheSize).containsExactly(7L, 9L, 100_000L);
        assertThat(lists)
                .extracting(list -> list.file().getFileName().toString())
                .containsExactly("partners.txt", "own.txt", "exceptions.txt");
    }

    @ParameterizedTest
    @TableSource
    void shouldSayWhatIsWrongWithAName(String list, String cacheSize, String message) {
        Map<String, String> values = new HashMap<>(Map.of("whitelist", list));
        if (!cacheSize.isEmpty()) {
            values.put("cacheSize", cacheSize);
        }
        assertThatThrownBy(() -> lists(TWO, values)).hasMessageStartingWith(message);
    }

    /** The password is hush. */
    @ParameterizedTest
    @TableSource
    void shouldSayWhatIsWrongInTheFile(String lists, String message) {
        String xml = "<whitelists>" + lists + "</whitelists>";

        assertThatThrownBy(() -> lists(xml, Map.of("whitelist", "a")))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith(message.replace("~", "conf/whitelists.xml"))
                .hasMessageNotContaining("hush");
    }

    /** Who learns must change a list in a database; the message may say how to define one. */
    @ParameterizedTest
    @ValueSource(strings = {"", "text", "own", "file://conf/x.txt", "ui"})
    void messageShouldAdviseWhatWorks(String list) {
        String ofFiles =
                "<whitelist name=\"text\"><source>file://conf/x.txt</source></whitelist>"
                        + "<whitelist name=\"own\"><source>file://conf/y.txt</source></whitelist>";
        String living =
                "<whitelist"
                    + " name=\"people\"><source>jdbc:sqlite:file://var/p.db</source></whitelist>";
        for (String lists : List.of("", ofFiles, ofFiles + living)) {
            String problem = list.isEmpty() ? "is missing" : "= '" + list + "'";
            String message =
                    String.valueOf(
                            assertThatThrownBy(() -> changed(lists, list)).actual().getMessage());
            assertThat(message)
                    .startsWith("Mailet: parameter list " + problem + "; allowed: ")
                    .doesNotContain("\n");

            Matcher advice = ADVICE.matcher(message);
            if (advice.find()) {
                assertThat(lists).doesNotContain(living);
                changed(lists + advice.group(1), advice.group(2));
            } else {
                changed(lists, message.substring(message.lastIndexOf(' ') + 1));
            }
        }
    }

    private void changed(String lists, String list) {
        Map<String, String> values = list.isEmpty() ? Map.of() : Map.of("list", list);
        Parameters parameters = new Parameters("Mailet", values, new TestFiles(folder));
        NamedLists named = TestLists.named("<whitelists>" + lists + "</whitelists>");
        assertThat(ListParameters.changed(parameters, named).name()).isEqualTo(list);
    }

    @Test
    void shouldNotReadTheFileUnlessAListIsNamed() throws Exception {
        NamedLists unreadable =
                new NamedLists(
                        new TestFiles(folder),
                        (component, level) -> {
                            throw new ConfigurationException("no such file");
                        });
        Parameters parameters =
                new Parameters(
                        "Mailet", Map.of("whitelist", "file://conf/a.txt"), new TestFiles(folder));

        assertThat(ListParameters.asked(parameters, unreadable)).hasSize(1);
    }

    @Test
    void shouldShareOneListAmongAllWhoNameIt() throws Exception {
        server.write("conf/partners.txt", "alice@example.com\n");
        server.write("conf/exceptions.txt", "!alice@example.com\n");
        SenderWhitelist mailet = server.mailet("partners", "onWhitelisted", "transport");
        SenderIsWhitelisted matcher = server.matcher("partners");
        SenderIsWhitelisted both = server.matcher("partners,exceptions;sender=envelope");
        Mail mail = TestServer.mail("alice@example.com", "sam@here.example");

        assertThat(matcher.match(mail)).hasToString("[sam@here.example]");
        assertThat(both.match(mail)).isEmpty();
        mailet.service(mail);
        assertThat(mail.getState()).isEqualTo("transport");
        assertThat(server.shared.files()).hasSize(2);
        assertThat(server.shared.files().get("partners"))
                .extracting(list -> list.status().header().entries())
                .isEqualTo(1L);
        assertThat(server.shared.problems()).isEmpty();
    }
}
