package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.server.WhitelistMetrics;
import io.github.senderwhitelist.mailet.settings.NamedLists;
import io.github.senderwhitelist.mailet.settings.Parameters;

import jakarta.mail.MessagingException;

import org.apache.commons.configuration2.XMLConfiguration;
import org.apache.commons.configuration2.ex.ConfigurationException;
import org.apache.james.metrics.api.NoopGaugeRegistry;
import org.apache.james.metrics.tests.RecordingMetricFactory;
import org.apache.james.server.core.configuration.FileConfigurationProvider;
import org.apache.mailet.base.GenericMatcher;
import org.apache.mailet.base.test.FakeMatcherConfig;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;

/** Makes the lists of a server without running one. */
public final class TestLists {
    private static final TestFiles HERE = new TestFiles(Path.of(""));

    private TestLists() {}

    /** Returns lists of a server without {@code conf/whitelists.xml} whose metrics nobody reads. */
    public static SharedLists none() {
        return lists(HERE, "<whitelists/>", InstantSource.system());
    }

    /** Returns the same of a server with a folder at this time. */
    static SharedLists at(Path folder, Instant time) {
        return lists(new TestFiles(folder), "<whitelists/>", InstantSource.fixed(time));
    }

    /** Returns lists of a server whose {@code conf/whitelists.xml} holds this. */
    public static SharedLists defined(String xml) {
        return lists(HERE, xml, InstantSource.system());
    }

    /** Returns the same of a server with a folder. */
    public static SharedLists defined(Path folder, String xml) {
        return lists(new TestFiles(folder), xml, InstantSource.system());
    }

    private static SharedLists lists(TestFiles files, String xml, InstantSource clock) {
        return new SharedLists(
                new WhitelistMetrics(new RecordingMetricFactory(), new NoopGaugeRegistry()),
                named(files, xml),
                RecipientUsers.NONE,
                clock);
    }

    /** Returns the lists that {@code conf/whitelists.xml} defines if it holds this. */
    public static NamedLists named(String xml) {
        return named(HERE, xml);
    }

    private static NamedLists named(TestFiles files, String xml) {
        return new NamedLists(
                files,
                (component, level) -> {
                    if (!component.equals("whitelists")) {
                        throw new ConfigurationException("asked for " + component);
                    }
                    return configuration(xml);
                });
    }

    /** Returns what James makes of a file of its {@code conf/}. */
    static XMLConfiguration configuration(String xml) throws ConfigurationException {
        return FileConfigurationProvider.getConfig(
                new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
    }

    /** Returns a mailet of a list. Names and values of its other parameters take turns. */
    public static SenderWhitelist mailet(
            Path folder, SharedLists shared, String list, String... parameters) {
        Map<String, String> values = new HashMap<>(Map.of("whitelist", list));
        for (int i = 0; i < parameters.length; i += 2) {
            values.put(parameters[i], parameters[i + 1]);
        }
        SenderWhitelist mailet = new SenderWhitelist(shared);
        mailet.open(new Parameters("SenderWhitelist", values, new TestFiles(folder)));
        return mailet;
    }

    /** Starts a matcher with its condition. */
    public static void init(GenericMatcher matcher, String condition) throws MessagingException {
        matcher.init(FakeMatcherConfig.builder().matcherName("m").condition(condition).build());
    }
}
