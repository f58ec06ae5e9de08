package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.living.LivingListener;
import io.github.senderwhitelist.living.LivingStatus;
import io.github.senderwhitelist.refresh.FileList;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Locale;

/**
 * The lines in the log about a list: what it holds when that is new, and every problem. The logger
 * has the name of {@link SharedLists}, as the manual says.
 *
 * @param title how the log names the list
 */
record ListLog(String title) implements FileList.Listener, LivingListener {
    private static final Logger LOGGER = LoggerFactory.getLogger(SharedLists.class);

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
                String.format(Locale.ROOT, "%.6f", header.addressFilter().rate(header.addresses())),
                report == null
                        ? ""
                        : "; built from %s lines, %s duplicates, %s of them contradictory ('!' wins)"
                                .formatted(
                                        report.lines(),
                                        report.duplicates(),
                                        report.contradictions()));
        if (report != null && report.badLines() > 0) {
            LOGGER.warn(
                    "Whitelist {}: {} bad lines were skipped, the first: {}",
                    title,
                    report.badLines(),
                    String.join("; ", report.complaints()));
        }
    }

    @Override
    public void warned(String warning) {
        LOGGER.warn("Whitelist {}: {}", title, warning);
    }

    @Override
    public void refused(String active, String reason, @Nullable Throwable cause) {
        LOGGER.error("Whitelist {}: not taken, {} stay active. {}", title, active, reason);
        LOGGER.debug("Whitelist {}: the cause", title, cause);
    }

    @Override
    public void tableRead(LivingStatus status) {
        LOGGER.info(
                "Whitelist {}: {} entries were read from the database and are active",
                title,
                status.entries());
    }

    @Override
    public void broken() {
        LOGGER.info(
                "Whitelist {}: the log of its changes does not continue from where it was read"
                        + " last. The database was restored, or this server was away for long."
                        + " All entries are read again",
                title);
    }

    @Override
    public void resumed(LivingStatus status) {
        LOGGER.info(
                "Whitelist {}: {} entries as of {} were kept and are active; the changes since"
                        + " then follow",
                title,
                status.entries(),
                status.asOf());
    }

    @Override
    public void notResumed(Exception cause) {
        LOGGER.warn(
                "Whitelist {}: what was kept cannot be used: {}. All entries are read from the"
                        + " database.",
                title,
                cause.getMessage());
        LOGGER.debug("Whitelist {}: the cause", title, cause);
    }

    @Override
    public void unreadable(String why) {
        LOGGER.warn("Whitelist {}: {}. The row is ignored until it is rewritten.", title, why);
    }

    @Override
    public void failed(String what, Throwable cause) {
        LOGGER.error(
                "Whitelist {}: {}: {}. It is tried again until it works.",
                title,
                what,
                cause.getMessage());
        LOGGER.debug("Whitelist {}: the cause", title, cause);
    }

    @Override
    public void recovered() {
        LOGGER.info("Whitelist {}: its database can be read again", title);
    }
}
