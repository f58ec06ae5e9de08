package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.DiskInput;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.list.TextList;
import io.github.senderwhitelist.refresh.Standstill.Ending;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.Sha256;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.SnapshotException;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.snapshot.TextSource;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;

/**
 * The loader of generations from the file of a list. It builds a text list, or copies a finished
 * snapshot, to the last good snapshot in the work directory and opens that; or only opens it if it
 * has the content of the file already. So nothing that happens to the list's own file can harm a
 * generation. Another server that follows the same list may replace the last good snapshot at any
 * time.
 */
final class ListLoader {
    private static final SecureRandom SEEDS = new SecureRandom();

    /** The memory that sorting a list may use, in bytes. */
    private static final long BUILD_MEMORY = 48L << 20;

    /** The bytes that a copy of a snapshot must leave free on the disk. */
    private static final long RESERVE = 1L << 20;

    /** Matches what systems report when a disk or a quota is full. */
    private static final Pattern NO_SPACE = Pattern.compile("(?i)no space|enough space|quota");

    private final ListSettings settings;
    private final Path file;
    private final Disk disk;
    private final ListCounters counters;
    private final Path work;
    private volatile boolean stopped;

    /**
     * Makes a loader for a list.
     *
     * @param counters the counts of lookups in all generations
     */
    ListLoader(ListSettings settings, Disk disk, ListCounters counters) {
        this.settings = settings;
        this.file = settings.file();
        this.disk = disk;
        this.counters = counters;
        this.work = settings.workDirectory().resolve(name(settings));
        try {
            AtomicFile.sweep(disk, work);
        } catch (IOException e) {
            // If something is wrong with the folder, the next write fails and reports it.
        }
    }

    /**
     * Returns the name of the last good snapshot. It has a hash of the list's path and of all
     * settings that decide its content or its admission, so that other lists and other settings
     * have other files.
     */
    private static String name(ListSettings settings) {
        Path file = settings.file().toAbsolutePath().normalize();
        String identity =
                String.join(
                        "\n",
                        file.toString(),
                        settings.build().toString(),
                        "" + settings.exactLookup(),
                        "" + settings.maxShrink());
        return file.getFileName() + "-" + Sha256.hex(identity, 6) + ".swl";
    }

    /** Returns the number of entries of the last good snapshot, or 0 if there is none. */
    long lastEntries() {
        SnapshotHeader last = lastHeader();
        return last == null ? 0 : last.entries();
    }

    private @Nullable SnapshotHeader lastHeader() {
        try {
            return Snapshot.readHeader(disk, work);
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * A generation that is not active yet.
     *
     * @param report the report of its build, or null when a finished snapshot was opened
     */
    record Loaded(Generation generation, @Nullable BuildReport report) {}

    /**
     * Loads the content of the file. Returns null when it is active already.
     *
     * @param active the header of the active snapshot, or null
     * @param useLastGood whether the last good snapshot may be opened; not when it cannot be read
     * @param admission checks new content before it replaces the last good snapshot; when it
     *     throws, nothing has changed
     * @throws IOException a {@link ListRefusedException} or a {@link SnapshotException} if the
     *     content of the file is refused; another one if it could not be read or built
     */
    @Nullable Loaded load(@Nullable SnapshotHeader active, boolean useLastGood, Admission admission)
            throws IOException {
        Admission all =
                header -> {
                    requirePlain(header);
                    admission.check(header);
                };
        try {
            try {
                return loadOnce(active, useLastGood, all);
            } catch (ReplacedException e) {
                // The snapshot that the other server made may have the content of the file, too.
                return loadOnce(active, useLastGood, all);
            }
        } catch (IOException e) {
            throw explained(e);
        }
    }

    private @Nullable Loaded loadOnce(
            @Nullable SnapshotHeader active, boolean useLastGood, Admission admission)
            throws IOException {
        boolean isText = !Snapshot.isSnapshot(disk, file);
        SnapshotHeader last = useLastGood ? lastHeader() : null;
        SnapshotHeader wanted = isText ? ifBuiltOfFile(last) : Snapshot.readHeader(disk, file);
        if (wanted != null) {
            admission.check(wanted);
            if (wanted.equals(active)) {
                return null;
            }
            if (wanted.equals(last)) {
                try {
                    return new Loaded(open(wanted), null);
                } catch (SnapshotException e) {
                    // The snapshot in the work directory is damaged. It is made again.
                    requireGoingOn();
                }
            }
        }
        requireGoingOn();
        Disk.createFolders(disk, settings.workDirectory());
        if (wanted != null && !isText) {
            requireSpace(wanted.fileLength());
        }
        try (AtomicFile made = AtomicFile.of(disk, work)) {
            BuildReport report = isText ? build(made.file()) : null;
            SnapshotHeader header =
                    report == null
                            ? Snapshot.copy(disk, file, made.file(), this::requireGoingOn)
                            : report.header();
            admission.check(header);
            made.publish();
            return new Loaded(open(header), report);
        }
    }

    /**
     * Opens the last good snapshot, which was just written or looked at.
     *
     * @throws ReplacedException if another server has replaced it by one with other content
     */
    private Generation open(SnapshotHeader expected) throws IOException {
        Generation opened = open();
        if (!opened.header().sourceDigest().equals(expected.sourceDigest())) {
            opened.retire();
            throw new ReplacedException(work + ": replaced again and again while it was opened");
        }
        return opened;
    }

    /** Signals that another server replaced the snapshot that was to be opened. */
    private static final class ReplacedException extends IOException {
        private static final long serialVersionUID = 1L;

        ReplacedException(String message) {
            super(message);
        }
    }

    private Generation open() throws IOException {
        Snapshot snapshot =
                settings.exactLookup()
                        ? Snapshot.open(disk, work, settings.exactMemory())
                        : Snapshot.openFilters(disk, work);
        return new Generation(snapshot, snapshot.store(), null, settings.cacheSize(), counters);
    }

    /** Returns a header if its snapshot was built of what the file holds, as the settings say. */
    private @Nullable SnapshotHeader ifBuiltOfFile(@Nullable SnapshotHeader last)
            throws IOException {
        return last != null
                        && last.addressFilter()
                                .equals(settings.build().addressFilter(last.addresses()))
                        && last.domainFilter().equals(settings.build().domainFilter(last.domains()))
                        && digest().equals(last.sourceDigest())
                ? last
                : null;
    }

    /** Returns the SHA-256 of the file, in hexadecimal. */
    private String digest() throws IOException {
        MessageDigest digest = Sha256.start();
        try (InputStream in = DiskInput.open(disk, file)) {
            byte[] buffer = new byte[1 << 16];
            for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
                digest.update(buffer, 0, count);
                requireGoingOn();
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private BuildReport build(DiskFile to) throws IOException {
        TextSource source = TextSource.of(disk, file);
        return new SnapshotBuilder(
                        settings.build(),
                        BUILD_MEMORY,
                        new Scratch(disk, settings.workDirectory()),
                        SEEDS.nextLong(),
                        System.currentTimeMillis(),
                        (phase, done, total) -> requireGoingOn())
                .build(List.of(source), to);
    }

    /** Rejects a copy that will not fit before it is begun, since it can take long. */
    private void requireSpace(long bytes) throws IOException {
        if (disk.freeBytes(settings.workDirectory()) < bytes + RESERVE) {
            throw noSpace("no space for a copy of " + bytes + " bytes in the workDirectory", null);
        }
    }

    /** Rejects entries that need an exact lookup if there is none. */
    private void requirePlain(SnapshotHeader header) throws ListRefusedException {
        if (!settings.exactLookup()
                && (header.denied() > 0 || header.conditional() > 0 || header.pairs() > 0)) {
            throw new ListRefusedException(
                    file
                            + ": has "
                            + header.denied()
                            + " '!' entries and "
                            + header.conditional()
                            + " with conditions and "
                            + header.pairs()
                            + " for some recipients, which a filter alone cannot tell from plain"
                            + " ones; remove them, or set exactLookup to on");
        }
    }

    /** Adds the remedy to the message of a failure, where it is known. */
    private IOException explained(IOException e) {
        if (e instanceof AccessDeniedException) {
            String user = System.getProperty("user.name");
            return new IOException(e.getMessage() + " (the server runs as user " + user + ")", e);
        }
        return e instanceof FileSystemException failure
                        && NO_SPACE.matcher(String.valueOf(failure.getReason())).find()
                ? noSpace(e.getMessage() + " while its snapshot was written", e)
                : e;
    }

    private IOException noSpace(String what, @Nullable IOException cause) {
        return new IOException(
                file
                        + ": "
                        + what
                        + ". Make room in "
                        + settings.workDirectory()
                        + ", or set workDirectory to a folder on a larger disk",
                cause);
    }

    /**
     * Returns how the file ends.
     *
     * @throws IOException if the file cannot be read, so it must not be taken now
     */
    Ending ending() throws IOException {
        try (DiskFile open = disk.open(file)) {
            long size = open.size();
            ByteBuffer start = ByteBuffer.allocate((int) Math.min(size, 16));
            open.readFully(start, 0);
            if (SnapshotHeader.isSnapshot(start.array()) || TextList.isPacked(start.array())) {
                return Ending.DATA;
            }
            ByteBuffer last = ByteBuffer.allocate((int) Math.min(size, 1));
            open.readFully(last, size - last.capacity());
            return size == 0 || last.get(0) == '\n' ? Ending.LINE_END : Ending.WITHIN_LINE;
        } catch (IOException e) {
            throw explained(e);
        }
    }

    /** Opens the last good snapshot of this list. Returns null when there is none to be opened. */
    @Nullable Generation lastGood() {
        try {
            return open();
        } catch (IOException e) {
            return null;
        }
    }

    /** Makes a load that is under way, and all later ones, fail. Called by another thread. */
    void stop() {
        stopped = true;
    }

    /** Throws when the list is being closed. Long loops call it again and again. */
    private void requireGoingOn() {
        if (stopped) {
            throw new CancellationException("the list is being closed");
        }
    }
}
