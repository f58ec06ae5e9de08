package io.github.senderwhitelist.mailet.mail;

import org.apache.commons.configuration2.HierarchicalConfiguration;
import org.apache.commons.configuration2.ex.ConfigurationException;
import org.apache.commons.configuration2.tree.ImmutableNode;
import org.apache.james.server.core.configuration.ConfigurationProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Warnings when the pipeline lacks what others rely on: SPF and DKIM before the whitelist, without
 * which entries that need a confirmation list nobody, and the header with the verdict. Nothing else
 * would show the administrator.
 */
public final class MissingResults {
    private static final Logger LOGGER = LoggerFactory.getLogger(MissingResults.class);

    /** How many mails in a row may lack a result. */
    static final int MAX = 100;

    private static final String MATCHER =
            " <mailet match=\"io.github.senderwhitelist.mailet.SenderMayBeWhitelisted=LISTS\"";

    private static final String IGNORE = "<onMailetException>ignore</onMailetException></mailet>";

    private static final String WHAT_TO_DO =
            "put these lines before the whitelist, into the processor root of"
                    + " mailetcontainer.xml, with all its lists for LISTS, and restart James:"
                    + MATCHER
                    + " class=\"SPF\">"
                    + IGNORE
                    + MATCHER
                    + " class=\"org.apache.james.jdkim.mailets.DKIMVerify\">"
                    + IGNORE;

    /** The mailets whose results confirm senders; James knows SPF without its package, too. */
    private static final Set<String> LOOKING =
            Set.of(
                    "SPF",
                    "org.apache.james.transport.mailets.SPF",
                    "org.apache.james.jdkim.mailets.DKIMVerify");

    private static final String WHITELIST = "io.github.senderwhitelist.mailet.SenderWhitelist";

    private final AtomicInteger inARow = new AtomicInteger();

    /** Takes note of a mail that was not listed because nothing confirmed it. */
    public void unconfirmed(MailAuthentication authentication) {
        if (authentication.hasResult()) {
            inARow.set(0);
        } else if (!authentication.isFromOwnClient()) {
            inARow.updateAndGet(count -> Math.min(MAX, count + 1));
        }
    }

    /** Returns what to do, on one line, or null if nothing is missing. */
    public @Nullable String problem() {
        return inARow.get() < MAX
                ? null
                : "the last "
                        + MAX
                        + " mails whose senders are listed if confirmed had no result of SPF or"
                        + " DKIM at all, so none was listed; "
                        + WHAT_TO_DO;
    }

    /**
     * Returns what to do, on one line, or null if {@code mailetcontainer.xml} has a mailet that
     * looks for SPF or DKIM. One that stands after {@code SenderWhitelist} in its processor is too
     * late. James has read the file before, so it is no reason not to start that it cannot be read
     * now.
     */
    public static @Nullable String problem(ConfigurationProvider configuration) {
        return any(configuration, MissingResults::looks)
                ? null
                : "in mailetcontainer.xml neither SPF nor DKIMVerify stands before the"
                        + " whitelist, so nothing confirms senders, and those who must be"
                        + " confirmed, as all learned ones must, are not listed; "
                        + WHAT_TO_DO;
    }

    /**
     * Returns what to do, on one line, or null if {@code mailetcontainer.xml} has a mailet that
     * writes the header with the verdict.
     */
    public static @Nullable String header(ConfigurationProvider configuration) {
        return any(configuration, MissingResults::writesHeader)
                ? null
                : "in mailetcontainer.xml no SenderWhitelist has <header>on</header>, so nothing"
                        + " proves who sent a mail that a user moves into the spam folder, and it"
                        + " is not learned from; put <header>on</header> into that mailet, or, if"
                        + " there is none, the mailet into the processor root, as the recipes show,"
                        + " and restart James";
    }

    /** Returns whether a processor is so, also when that cannot be found out. */
    private static boolean any(
            ConfigurationProvider configuration,
            Predicate<HierarchicalConfiguration<ImmutableNode>> test) {
        try {
            return configuration
                    .getConfiguration("mailetcontainer")
                    .configurationsAt("processors.processor")
                    .stream()
                    .anyMatch(test);
        } catch (ConfigurationException | RuntimeException e) {
            LOGGER.debug("What the pipeline has cannot be found out", e);
            return true;
        }
    }

    private static boolean writesHeader(HierarchicalConfiguration<ImmutableNode> processor) {
        return processor.configurationsAt("mailet").stream()
                .anyMatch(
                        mailet ->
                                mailet.getString("[@class]", "").equals(WHITELIST)
                                        && mailet.getString("header", "").strip().equals("on"));
    }

    private static boolean looks(HierarchicalConfiguration<ImmutableNode> processor) {
        return processor.configurationsAt("mailet").stream()
                .map(mailet -> mailet.getString("[@class]", ""))
                .takeWhile(mailet -> !mailet.equals(WHITELIST))
                .anyMatch(LOOKING::contains);
    }
}
