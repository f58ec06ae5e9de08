package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.mailet.settings.ListDefinition.OfFile;
import io.github.senderwhitelist.refresh.FileList;
import io.github.senderwhitelist.refresh.RefreshListener;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Locale;

/** A list in a file, shown in metrics. */
record ServedFile(OfFile definition, FileList list, WhitelistMetrics metrics)
        implements ServedList {
    private static final Logger LOGGER = LoggerFactory.getLogger(SharedLists.class);

    /**
     * Loads a list.
     *
     * @throws IOException if neither the list nor its last good snapshot can be loaded
     */
    static ServedFile open(OfFile definition, WhitelistMetrics metrics) throws IOException {
        FileList list =
                FileList.open(
                        definition.settings(),
                        new LogListener(definition.title()),
                        new ListCounters(metrics.lookupTimer()));
        metrics.files().show(definition.name(), list);
        return new ServedFile(definition, list, metrics);
    }

    @Override
    public @Nullable String problem() {
        return list.status().problem();
    }

    @Override
    public void close() throws IOException {
        metrics.files().hide(definition.name());
        list.close();
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
                    "Whitelist {}: {} addresses and {} domains{} active ({} denied); {}"
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
                    "Whitelist {}: read again, it holds the {} entries that are active",
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
            LOGGER.error("Whitelist {}: not taken, {} stay active. {}", title, inForce, reason);
            LOGGER.debug("Whitelist {}: the cause", title, cause);
        }
    }
}
