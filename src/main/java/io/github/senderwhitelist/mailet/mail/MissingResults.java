package io.github.senderwhitelist.mailet.mail;

import org.apache.commons.configuration2.HierarchicalConfiguration;
import org.apache.commons.configuration2.ex.ConfigurationException;
import org.apache.commons.configuration2.tree.ImmutableNode;
import org.apache.james.server.core.configuration.ConfigurationProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Warnings at the start when {@code mailetcontainer.xml} lacks what others rely on: SPF and DKIM
 * before the whitelist, without which entries that need a confirmation list nobody, and the header
 * with the verdict. Nothing else would show the administrator. Each is one line that says what to
 * do. James has read the file before, so that it cannot be read now is no reason to warn.
 */
public final class MissingResults {
    private static final Logger LOGGER = LoggerFactory.getLogger(MissingResults.class);

    private static final String MATCHER =
            " <mailet match=\"io.github.senderwhitelist.mailet.SenderMayBeWhitelisted=LISTS\"";

    private static final String IGNORE = "<onMailetException>ignore</onMailetException></mailet>";

    private static final String NO_RESULTS =
            "in mailetcontainer.xml neither SPF nor DKIMVerify stands before the whitelist, so"
                    + " nothing confirms senders, and those who must be confirmed, as all learned"
                    + " ones must, are not listed; put these lines before the whitelist, into the"
                    + " processor root of mailetcontainer.xml, with all its lists for LISTS, and"
                    + " restart James:"
                    + MATCHER
                    + " class=\"SPF\">"
                    + IGNORE
                    + MATCHER
                    + " class=\"org.apache.james.jdkim.mailets.DKIMVerify\">"
                    + IGNORE;

    private static final String NO_HEADER =
            "in mailetcontainer.xml no SenderWhitelist has <header>on</header>, so nothing proves"
                    + " who sent a mail that a user moves into the spam folder, and it is not"
                    + " learned from; put <header>on</header> into that mailet, or, if there is"
                    + " none, the mailet into the processor root, as the recipes show, and restart"
                    + " James";

    /** The mailets whose results confirm senders; James knows SPF without its package, too. */
    private static final Set<String> LOOKING =
            Set.of(
                    "SPF",
                    "org.apache.james.transport.mailets.SPF",
                    "org.apache.james.jdkim.mailets.DKIMVerify");

    private static final String WHITELIST = "io.github.senderwhitelist.mailet.SenderWhitelist";
    private static final String CLASS = "[@class]";

    private MissingResults() {}

    /** Warns if no mailet looks for SPF or DKIM before the whitelist, for who relies on them. */
    public static void warnWithoutResults(String owner, ConfigurationProvider configuration) {
        warnUnlessAny(
                mailets ->
                        mailets.map(mailet -> mailet.getString(CLASS, ""))
                                .takeWhile(mailet -> !mailet.equals(WHITELIST))
                                .anyMatch(LOOKING::contains),
                configuration,
                owner + ": " + NO_RESULTS);
    }

    /** Warns if no mailet writes the header with the verdict, for who relies on it. */
    public static void warnWithoutHeader(String owner, ConfigurationProvider configuration) {
        warnUnlessAny(
                mailets ->
                        mailets.filter(mailet -> WHITELIST.equals(mailet.getString(CLASS)))
                                .map(mailet -> mailet.getString("header", "").strip())
                                .anyMatch("on"::equals),
                configuration,
                owner + ": " + NO_HEADER);
    }

    private static void warnUnlessAny(
            Predicate<Stream<HierarchicalConfiguration<ImmutableNode>>> test,
            ConfigurationProvider configuration,
            String warning) {
        try {
            if (configuration
                    .getConfiguration("mailetcontainer")
                    .configurationsAt("processors.processor")
                    .stream()
                    .noneMatch(each -> test.test(each.configurationsAt("mailet").stream()))) {
                LOGGER.warn("{}", warning);
            }
        } catch (ConfigurationException | RuntimeException e) {
            LOGGER.debug("What the pipeline has cannot be found out", e);
        }
    }
}
