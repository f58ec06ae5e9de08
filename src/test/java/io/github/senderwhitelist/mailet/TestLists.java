package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.server.WhitelistMetrics;
import io.github.senderwhitelist.mailet.settings.NamedLists;

import jakarta.mail.MessagingException;

import org.apache.commons.configuration2.XMLConfiguration;
import org.apache.commons.configuration2.ex.ConfigurationException;
import org.apache.james.metrics.api.GaugeRegistry;
import org.apache.james.metrics.api.MetricFactory;
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
import java.util.function.Supplier;

/** Makes the lists of a server without running one. */
public final class TestLists {
    private TestLists() {}

    /** Returns lists of a server without {@code conf/whitelists.xml} whose metrics nobody reads. */
    public static SharedLists none() {
        return none(new RecordingMetricFactory(), new NoopGaugeRegistry());
    }

    /** Returns lists of a server without {@code conf/whitelists.xml}. */
    public static SharedLists none(MetricFactory metrics, GaugeRegistry gauges) {
        return none(new WhitelistMetrics(metrics, gauges), RecipientUsers.NONE);
    }

    /** Returns lists of a server with these users, without {@code conf/whitelists.xml}. */
    static SharedLists withUsers(RecipientUsers users) {
        return none(
                new WhitelistMetrics(new RecordingMetricFactory(), new NoopGaugeRegistry()), users);
    }

    private static SharedLists none(WhitelistMetrics metrics, RecipientUsers users) {
        return new SharedLists(
                metrics,
                new NamedLists((component, level) -> FileConfigurationProvider.EMPTY_CONFIGURATION),
                users,
                InstantSource.system());
    }

    /** Returns lists of a server without {@code conf/whitelists.xml}, at this time. */
    static SharedLists at(Instant time) {
        return new SharedLists(
                new WhitelistMetrics(new RecordingMetricFactory(), new NoopGaugeRegistry()),
                new NamedLists((component, level) -> FileConfigurationProvider.EMPTY_CONFIGURATION),
                RecipientUsers.NONE,
                InstantSource.fixed(time));
    }

    /** Returns lists of a server whose {@code conf/whitelists.xml} holds this. */
    public static SharedLists defined(String xml) {
        return defined(xml, RecipientUsers.NONE);
    }

    /** Returns lists of a server with these users whose {@code conf/whitelists.xml} holds this. */
    public static SharedLists defined(String xml, RecipientUsers users) {
        return defined(named(xml), users);
    }

    /** Returns lists of a server whose {@code conf/} holds this in two files. */
    public static SharedLists defined(String xml, Supplier<String> mailetContainer) {
        NamedLists named =
                new NamedLists(
                        (component, level) ->
                                configuration(
                                        component.equals("whitelists")
                                                ? xml
                                                : mailetContainer.get()));
        return defined(named, RecipientUsers.NONE);
    }

    private static SharedLists defined(NamedLists named, RecipientUsers users) {
        return new SharedLists(
                new WhitelistMetrics(new RecordingMetricFactory(), new NoopGaugeRegistry()),
                named,
                users,
                InstantSource.system());
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
