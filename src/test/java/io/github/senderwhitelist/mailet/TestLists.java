package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.server.WhitelistMetrics;
import io.github.senderwhitelist.mailet.settings.NamedLists;

import jakarta.mail.MessagingException;

import org.apache.commons.configuration2.XMLConfiguration;
import org.apache.commons.configuration2.ex.ConfigurationException;
import org.apache.james.metrics.api.NoopGaugeRegistry;
import org.apache.james.metrics.tests.RecordingMetricFactory;
import org.apache.james.server.core.configuration.FileConfigurationProvider;
import org.apache.mailet.base.GenericMatcher;
import org.apache.mailet.base.test.FakeMailetConfig;
import org.apache.mailet.base.test.FakeMatcherConfig;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;

/** Makes the lists of a server without running one. */
public final class TestLists {
    private TestLists() {}

    /** Returns lists of a server without {@code conf/whitelists.xml} whose metrics nobody reads. */
    public static SharedLists none() {
        return lists(noLists(), InstantSource.system());
    }

    /** Returns the same at this time. */
    static SharedLists at(Instant time) {
        return lists(noLists(), InstantSource.fixed(time));
    }

    private static NamedLists noLists() {
        return new NamedLists((component, level) -> FileConfigurationProvider.EMPTY_CONFIGURATION);
    }

    /** Returns lists of a server whose {@code conf/whitelists.xml} holds this. */
    public static SharedLists defined(String xml) {
        return lists(named(xml), InstantSource.system());
    }

    private static SharedLists lists(NamedLists named, InstantSource clock) {
        return new SharedLists(
                new WhitelistMetrics(new RecordingMetricFactory(), new NoopGaugeRegistry()),
                named,
                RecipientUsers.NONE,
                clock);
    }

    /** Returns the lists that {@code conf/whitelists.xml} defines if it holds this. */
    public static NamedLists named(String xml) {
        return new NamedLists(
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
            Path folder, SharedLists shared, String list, String... parameters)
            throws MessagingException {
        SenderWhitelist mailet = new SenderWhitelist(new TestFiles(folder), shared);
        mailet.init(
                set(FakeMailetConfig.builder().setProperty("whitelist", list), parameters).build());
        return mailet;
    }

    /** Starts a matcher with its condition. */
    public static void init(GenericMatcher matcher, String condition) throws MessagingException {
        matcher.init(FakeMatcherConfig.builder().matcherName("m").condition(condition).build());
    }

    /** Sets parameters of a mailet. Names and values take turns. */
    public static FakeMailetConfig.Builder set(
            FakeMailetConfig.Builder config, String... parameters) {
        for (int i = 0; i < parameters.length; i += 2) {
            config.setProperty(parameters[i], parameters[i + 1]);
        }
        return config;
    }
}
