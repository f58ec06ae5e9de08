package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.Policy;
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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import javax.management.ObjectName;

/**
 * The lists of this server: mailets and matchers that name the same list with the same options
 * share one copy in memory and one thread that refreshes it. A list is let go of when the last of
 * them is destroyed.
 *
 * <p>Metrics and JMX know a list by the name in its settings, which does not depend on what other
 * lists there are.
 */
@Singleton
public final class SharedLists {
    private static final Logger LOGGER = LoggerFactory.getLogger(SharedLists.class);

    private final WhitelistMetrics metrics;
    private final NamedLists named;
    private final Map<ListSettings, Shared> lists = new HashMap<>();

    /** The same, for those who must not wait while a list is loaded. */
    private volatile List<LiveList> inForce = List.of();

    /** A list, what it is called, and how many use it. */
    private static final class Shared {
        final LiveList list;
        final String name;
        final @Nullable ObjectName bean;
        int users;

        Shared(LiveList list, String name, @Nullable ObjectName bean) {
            this.list = list;
            this.name = name;
            this.bean = bean;
        }
    }

    /** For the injector. */
    @Inject
    public SharedLists(WhitelistMetrics metrics, NamedLists named) {
        this.metrics = metrics;
        this.named = named;
    }

    /** Returns the lists that can be asked for by name. */
    NamedLists named() {
        return named;
    }

    /** Where verdicts are counted. */
    WhitelistMetrics metrics() {
        return metrics;
    }

    /**
     * The list of these settings, loaded when nobody has it yet; to be given back by {@link
     * #release}.
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
            shared =
                    new Shared(
                            list,
                            settings.name(),
                            WhitelistBean.register(settings.name(), list, policy));
            lists.put(settings, shared);
            inForce = lists.values().stream().map(each -> each.list).toList();
        }
        shared.users++;
        return shared.list;
    }

    /** Gives a list back. */
    synchronized void release(ListSettings settings) throws IOException {
        Shared shared = lists.get(settings);
        if (shared != null && --shared.users == 0) {
            lists.remove(settings);
            inForce = lists.values().stream().map(each -> each.list).toList();
            metrics.hide(shared.name);
            WhitelistBean.unregister(shared.bean);
            shared.list.close();
        }
    }

    /** Returns whether there is a list at all. */
    boolean isEmpty() {
        return inForce.isEmpty();
    }

    /** Returns what is wrong with lists, a text for each, with the names of those that have one. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        for (LiveList list : inForce) {
            String problem = list.status().problem();
            if (problem != null) {
                String name = list.settings().name();
                problems.add(NamedLists.isName(name) ? name + ": " + problem : problem);
            }
        }
        return problems;
    }

    /** How many lists are in memory. */
    synchronized int size() {
        return lists.size();
    }

    /** Returns what the log calls a list: its file, after its name if it has one of its own. */
    static String title(ListSettings settings) {
        return NamedLists.isName(settings.name())
                ? settings.name() + " (" + settings.file() + ")"
                : settings.file().toString();
    }

    /**
     * Writes one line per generation and per problem.
     *
     * @param title what the list is called
     */
    private record LogListener(String title) implements RefreshListener {
        @Override
        public void loaded(Path list, SnapshotHeader generation, @Nullable BuildReport report) {
            LOGGER.info(
                    "Whitelist {}: {} addresses and {} domain entries in force ({} of them '!'); {}"
                            + " filter of {} bytes, expected false-positive rate {}{}",
                    title,
                    generation.addresses(),
                    generation.domains(),
                    generation.denied(),
                    generation.addressFilter().kind().label(),
                    generation.addressFilter().bytes(),
                    String.format(
                            Locale.ROOT,
                            "%.6f",
                            generation.addressFilter().rate(generation.addresses())),
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
        public void unchanged(Path list, SnapshotHeader generation) {
            LOGGER.info(
                    "Whitelist {}: read again, it holds the {} entries that are in force",
                    title,
                    generation.entries());
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
        public void warned(Path list, String warning) {
            LOGGER.warn("Whitelist {}: {}", title, warning);
        }

        @Override
        public void refused(Path list, String inForce, String reason, @Nullable Throwable cause) {
            LOGGER.error("Whitelist {}: not taken, {} stay in force. {}", title, inForce, reason);
            LOGGER.debug("Whitelist {}: the cause", title, cause);
        }
    }
}
