package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.whitelist.ListInForce;
import io.github.senderwhitelist.whitelist.ListSettings;
import io.github.senderwhitelist.whitelist.LiveList;
import io.github.senderwhitelist.whitelist.RefreshListener;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The lists of this server: mailets and matchers that name the same list with the same options
 * share one copy in memory and one thread that refreshes it. A list is let go of when the last of
 * them is destroyed.
 */
@Singleton
public final class SharedLists {
    private static final Logger LOGGER = LoggerFactory.getLogger(SharedLists.class);

    private final Map<ListSettings, Shared> lists = new HashMap<>();

    /** A list and how many use it. */
    private static final class Shared {
        final LiveList list;
        int users;

        Shared(LiveList list) {
            this.list = list;
        }
    }

    /** For the injector. */
    @Inject
    public SharedLists() {}

    /**
     * The list of these settings, loaded when nobody has it yet; to be given back by {@link
     * #release}.
     */
    synchronized ListInForce acquire(ListSettings settings) throws IOException {
        Shared shared = lists.get(settings);
        if (shared == null) {
            shared = new Shared(LiveList.open(settings, new LogListener()));
            lists.put(settings, shared);
        }
        shared.users++;
        return shared.list;
    }

    /** Gives a list back. */
    synchronized void release(ListSettings settings) throws IOException {
        Shared shared = lists.get(settings);
        if (shared != null && --shared.users == 0) {
            lists.remove(settings);
            shared.list.close();
        }
    }

    /** How many lists are in memory. */
    synchronized int size() {
        return lists.size();
    }

    /** One line per generation and per problem. */
    private static final class LogListener implements RefreshListener {
        @Override
        public void loaded(Path list, SnapshotHeader generation, @Nullable BuildReport report) {
            LOGGER.info(
                    "Whitelist {}: {} addresses and {} domain entries in force ({} of them '!'); {}"
                            + " filter of {} bytes, expected false-positive rate {}{}",
                    list,
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
                        list,
                        report.badLines(),
                        String.join("; ", report.complaints()));
            }
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
        public void refused(Path list, String inForce, String reason) {
            LOGGER.error("Whitelist {}: not taken, {} stay in force. {}", list, inForce, reason);
        }
    }
}
