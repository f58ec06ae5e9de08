package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.live.ListSettings;
import io.github.senderwhitelist.live.LiveList;
import io.github.senderwhitelist.live.RefreshListener;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import javax.management.ObjectName;

/**
 * The lists of this server. Mailets and matchers that use a list with equal settings share one copy
 * in memory and one thread that refreshes it. The list is closed when the last of them has released
 * it.
 */
@Singleton
public final class SharedLists {
    private static final Logger LOGGER = LoggerFactory.getLogger(SharedLists.class);

    private final WhitelistMetrics metrics;
    private final NamedLists named;
    private final RecipientUsers users;
    private final Map<ListSettings, Shared> lists = new HashMap<>();

    /** All lists, for reading without the lock, which is held while a list is loaded. */
    private volatile List<LiveList> all = List.of();

    /** A list and the number of its users. */
    private static final class Shared {
        final LiveList list;
        final @Nullable ObjectName bean;
        int users;

        Shared(LiveList list, @Nullable ObjectName bean) {
            this.list = list;
            this.bean = bean;
        }
    }

    /** Makes the lists for James, whose injector calls this. */
    @Inject
    public SharedLists(WhitelistMetrics metrics, NamedLists named, RecipientAliases aliases) {
        this(metrics, named, (RecipientUsers) aliases);
    }

    /** Takes the users of a test. */
    SharedLists(WhitelistMetrics metrics, NamedLists named, RecipientUsers users) {
        this.metrics = metrics;
        this.named = named;
        this.users = users;
    }

    /** Returns what finds the users that recipients belong to. */
    RecipientUsers users() {
        return users;
    }

    /** Returns the lists that are defined by name. */
    NamedLists named() {
        return named;
    }

    /** Returns the server's metrics, which count verdicts. */
    WhitelistMetrics metrics() {
        return metrics;
    }

    /**
     * Returns the list of these settings, and loads it if it has no user yet. Every user must
     * {@link #release} it.
     *
     * @param policy the policy of questions over JMX, if this is the first user
     * @throws IOException if neither the list nor its last good snapshot can be loaded
     */
    synchronized SenderList acquire(ListSettings settings, Policy policy) throws IOException {
        Shared shared = lists.get(settings);
        if (shared == null) {
            LiveList list =
                    LiveList.open(
                            settings,
                            new LogListener(title(settings)),
                            new ListCounters(metrics.lookupTimer()));
            metrics.show(settings.name(), list);
            shared = new Shared(list, WhitelistBean.register(settings.name(), list, policy));
            lists.put(settings, shared);
            all = lists.values().stream().map(each -> each.list).toList();
        }
        shared.users++;
        return shared.list;
    }

    /** Ends one use of a list, and closes the list after its last use. */
    synchronized void release(ListSettings settings) throws IOException {
        Shared shared = lists.get(settings);
        if (shared != null && --shared.users == 0) {
            lists.remove(settings);
            all = lists.values().stream().map(each -> each.list).toList();
            metrics.hide(settings.name());
            WhitelistBean.unregister(shared.bean);
            shared.list.close();
        }
    }

    /** Returns whether there are no lists. */
    boolean isEmpty() {
        return all.isEmpty();
    }

    /**
     * Returns one line for each list that has a problem, with its name if it was defined by name.
     */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        for (LiveList list : all) {
            String problem = list.status().problem();
            if (problem != null) {
                String name = list.settings().name();
                problems.add(NamedLists.isName(name) ? name + ": " + problem : problem);
            }
        }
        return problems;
    }

    /** Returns how the log names a list: by its file, after its name if it was defined by name. */
    static String title(ListSettings settings) {
        return NamedLists.isName(settings.name())
                ? settings.name() + " (" + settings.file() + ")"
                : settings.file().toString();
    }

    /**
     * Logs every refresh that brings something new, and every problem.
     *
     * @param title how the log names the list
     */
    private record LogListener(String title) implements RefreshListener {
        @Override
        public void loaded(SnapshotHeader header, @Nullable BuildReport report) {
            LOGGER.info(
                    "Whitelist {}: {} addresses and {} domain entries{} in force ({} of them '!');"
                            + " {}"
                            + " filter of {} bytes, expected false-positive rate {}{}",
                    title,
                    header.addresses(),
                    header.domains(),
                    header.pairs() == 0 ? "" : ", and " + header.pairs() + " for some recipients,",
                    header.denied(),
                    header.addressFilter().kind().label(),
                    header.addressFilter().bytes(),
                    String.format(
                            Locale.ROOT, "%.6f", header.addressFilter().rate(header.addresses())),
                    report == null ? "" : builtFrom(report));
            if (report != null && report.badLines() > 0) {
                LOGGER.warn(
                        "Whitelist {}: {} bad lines were skipped, the first: {}",
                        title,
                        report.badLines(),
                        String.join("; ", report.complaints()));
            }
        }

        @Override
        public void unchanged(SnapshotHeader header) {
            LOGGER.info(
                    "Whitelist {}: read again, it holds the {} entries that are in force",
                    title,
                    header.entries());
        }

        private static String builtFrom(BuildReport report) {
            return "; built from "
                    + report.lines()
                    + " lines, "
                    + report.duplicates()
                    + " duplicates, "
                    + report.contradictions()
                    + " of them contradictory ('!' wins)";
        }

        @Override
        public void warned(String warning) {
            LOGGER.warn("Whitelist {}: {}", title, warning);
        }

        @Override
        public void refused(String inForce, String reason, @Nullable Throwable cause) {
            LOGGER.error("Whitelist {}: not taken, {} stay in force. {}", title, inForce, reason);
            LOGGER.debug("Whitelist {}: the cause", title, cause);
        }
    }
}
