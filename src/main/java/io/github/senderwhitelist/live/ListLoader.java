package io.github.senderwhitelist.live;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.DiskInput;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.disk.Folders;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.disk.UnfinishedFile;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.list.TextList;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.BuildResources;
import io.github.senderwhitelist.snapshot.ListSource;
import io.github.senderwhitelist.snapshot.Sha256;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.SnapshotBuilder.Admission;
import io.github.senderwhitelist.snapshot.SnapshotException;
import io.github.senderwhitelist.snapshot.SnapshotFiles;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;

/**
 * Makes a generation of a list. What it serves is always a snapshot in the work directory: built of
 * a text list, copied from a finished one. So it stays whole whatever happens to the list's file,
 * and is there at the next start.
 */
final class ListLoader {
    private static final SecureRandom SEEDS = new SecureRandom();

    /** What sorting a list takes of the server's memory at most. */
    private static final long BUILD_MEMORY = 48L << 20;

    /** Left free beside a copy, for what else the disk is for. */
    private static final long RESERVE = 1L << 20;

    /** What systems say of a disk or a share of it that is full. */
    private static final Pattern NO_SPACE = Pattern.compile("(?i)no space|enough space|quota");

    /** How often a list is opened again at once because another process replaced its snapshot. */
    private static final int MOST_SWAPS = 20;

    /**
     * Work files that nobody has used for so long belong to lists that are no longer configured.
     */
    private static final Duration UNUSED = Duration.ofDays(30);

    private static final Pattern WORK_FILE = Pattern.compile(".+-[0-9a-f]{12}\\.swl");

    private final ListSettings settings;
    private final Disk disk;
    private final ListCounters counters;
    private volatile boolean stopped;

    /** Loads the list of these settings, and counts the questions to its generations. */
    ListLoader(ListSettings settings, Disk disk, ListCounters counters) {
        this.settings = settings;
        this.disk = disk;
        this.counters = counters;
    }

    /**
     * A generation, not yet in force.
     *
     * @param report of the build, or null when a finished snapshot was opened
     */
    record Loaded(Generation generation, @Nullable BuildReport report) {}

    /**
     * Loads what the file holds now; returns null when that is what is in force.
     *
     * @param inForce the generation in force, or null
     * @param admission the last word on it, before it takes the place of the last good snapshot;
     *     what it throws is thrown, and nothing has changed then
     * @throws IOException a {@link ListRefusedException} or a {@link SnapshotException} when the
     *     list cannot be used as it is; another one when it could not be read or built
     */
    @Nullable Loaded load(@Nullable SnapshotHeader inForce, Admission admission)
            throws IOException {
        return load(inForce, false, admission);
    }

    /**
     * Loads what the file holds now without using what lies in the work directory, for when that
     * cannot be read.
     */
    Loaded loadAnew(Admission admission) throws IOException {
        return Objects.requireNonNull(load(null, true, admission));
    }

    private @Nullable Loaded load(
            @Nullable SnapshotHeader inForce, boolean anew, Admission admission)
            throws IOException {
        Path file = settings.file();
        Admission all =
                header -> {
                    requirePlain(header);
                    admission.check(header);
                };
        try {
            requireFile();
            for (int swaps = 0; ; swaps++) {
                try {
                    return Snapshot.isSnapshot(disk, file)
                            ? loadSnapshot(file, inForce, anew, all)
                            : loadText(file, inForce, anew, all);
                } catch (ReplacedException e) {
                    // By another server at work on the same list: its snapshot is as good.
                    if (swaps == MOST_SWAPS) {
                        throw e;
                    }
                    requireGoingOn();
                }
            }
        } catch (IOException e) {
            throw explained(e);
        }
    }

    private void requireFile() throws ListRefusedException {
        String found =
                switch (disk.state(settings.file()).type()) {
                    case FOLDER -> "a folder";
                    case OTHER -> "a pipe or a device";
                    case REGULAR, MISSING -> null;
                };
        if (found != null) {
            throw new ListRefusedException(
                    settings.file() + ": " + found + "; a list is a regular file");
        }
    }

    /**
     * Returns why the file looks as if its writer had not finished, or null: text that does not end
     * with a line end may have been cut within a line, which can list more than was meant.
     *
     * @throws IOException when it cannot be read
     */
    @Nullable String doubt() throws IOException {
        try {
            requireFile();
            return doubtOfFile();
        } catch (IOException e) {
            throw explained(e);
        }
    }

    private @Nullable String doubtOfFile() throws IOException {
        try (DiskFile file = disk.open(settings.file())) {
            long size = file.size();
            ByteBuffer start = ByteBuffer.allocate((int) Math.min(size, 16));
            file.readFully(start, 0);
            ByteBuffer last = ByteBuffer.allocate((int) Math.min(size, 1));
            file.readFully(last, size - last.capacity());
            boolean text =
                    !SnapshotHeader.isSnapshot(start.array()) && !TextList.isPacked(start.array());
            return text && size > 0 && last.get(0) != '\n' ? "its last line has no line end" : null;
        }
    }

    /** Returns the header of the last good snapshot of this list, or null when there is none. */
    @Nullable SnapshotHeader lastGoodHeader() {
        try {
            return Snapshot.readHeader(disk, lastGoodFile());
        } catch (IOException e) {
            return null;
        }
    }

    /** Opens the last good snapshot of this list; null when there is none that can be used. */
    @Nullable Generation lastGood() {
        for (int swaps = 0; swaps <= MOST_SWAPS; swaps++) {
            SnapshotHeader header = lastGoodHeader();
            try {
                return header == null ? null : open(lastGoodFile(), header);
            } catch (ReplacedException e) {
                requireGoingOn();
            } catch (IOException e) {
                return null;
            }
        }
        return null;
    }

    /**
     * Deletes what killed processes left of this list in the work directory, and the snapshots of
     * lists and parameters that nobody has used for {@link #UNUSED}.
     */
    void sweep(Instant now) {
        Path folder = settings.workDirectory();
        try {
            if (disk.state(folder).type() != FileState.Type.FOLDER) {
                return;
            }
            UnfinishedFile.sweep(disk, lastGoodFile());
            Instant oldest = now.minus(UNUSED);
            for (Path file : disk.list(folder)) {
                if (WORK_FILE.matcher(file.getFileName().toString()).matches()
                        && !file.equals(lastGoodFile())
                        && disk.state(file).changed().isBefore(oldest)) {
                    disk.deleteIfIdle(file);
                }
            }
        } catch (IOException e) {
            // What cannot be cleared away is in nobody's way. What is wrong with the folder shows
            // when something is to be written there.
            return;
        }
    }

    /** Marks the snapshot in the work directory as used, so that nobody sweeps it away. */
    void touch() {
        try {
            disk.touch(lastGoodFile());
        } catch (IOException e) {
            // At worst it is built again one day.
            return;
        }
    }

    /** Ends what is being loaded, and lets nothing begin; for another thread. */
    void stop() {
        stopped = true;
    }

    private void requireGoingOn() {
        if (stopped) {
            throw new CancellationException("the list is being closed");
        }
    }

    private @Nullable Loaded loadText(
            Path file, @Nullable SnapshotHeader inForce, boolean anew, Admission admission)
            throws IOException {
        Path target = lastGoodFile();
        SnapshotHeader last = anew ? null : lastGoodHeader();
        if (last != null && isBuiltAsWanted(last) && digest(file).equals(last.sourceDigest())) {
            admission.check(last);
            if (last.equals(inForce)) {
                return null;
            }
            try {
                return new Loaded(open(target, last), null);
            } catch (SnapshotException e) {
                // Damaged on our side: the list is at hand to build it again.
                requireGoingOn();
            }
        }
        makeWorkDirectory();
        ListSource source = ListSource.of(disk, file);
        SnapshotBuilder builder =
                new SnapshotBuilder(
                        settings.build(),
                        new BuildResources(
                                BUILD_MEMORY, 1, new Scratch(disk, settings.workDirectory())),
                        SEEDS.nextLong(),
                        System.currentTimeMillis(),
                        (phase, done, total) -> requireGoingOn());
        BuildReport report = builder.build(List.of(source), target, admission);
        return new Loaded(open(target, report.header()), report);
    }

    private @Nullable Loaded loadSnapshot(
            Path file, @Nullable SnapshotHeader inForce, boolean anew, Admission admission)
            throws IOException {
        SnapshotHeader header = Snapshot.readHeader(disk, file);
        admission.check(header);
        if (header.equals(inForce)) {
            return null;
        }
        Path target = lastGoodFile();
        if (!anew && header.equals(lastGoodHeader())) {
            try {
                return new Loaded(open(target, header), null);
            } catch (SnapshotException e) {
                // Damaged on our side: there is another one at hand.
                requireGoingOn();
            }
        }
        makeWorkDirectory();
        requireSpace(header.fileLength());
        SnapshotFiles.copy(disk, file, target, admission, this::requireGoingOn);
        return new Loaded(open(target, header), null);
    }

    private void makeWorkDirectory() throws IOException {
        requireGoingOn();
        Folders.make(disk, settings.workDirectory(), true);
    }

    /** A copy is as large as the snapshot; to find out at the end would take long. */
    private void requireSpace(long bytes) throws IOException {
        if (disk.freeBytes(settings.workDirectory()) < bytes + RESERVE) {
            throw new IOException(
                    settings.file()
                            + ": no space for a copy of "
                            + bytes
                            + " bytes in the workDirectory. "
                            + makeRoom());
        }
    }

    /** Says of a failure what to do, where that is known. */
    private IOException explained(IOException e) {
        if (e instanceof AccessDeniedException) {
            return new IOException(
                    e.getMessage()
                            + " (the server runs as user "
                            + System.getProperty("user.name")
                            + ")",
                    e);
        }
        return e instanceof FileSystemException failure
                        && NO_SPACE.matcher(String.valueOf(failure.getReason())).find()
                ? new IOException(
                        settings.file()
                                + ": "
                                + e.getMessage()
                                + " while its snapshot was written. A build takes about 1.5 times"
                                + " the size of the text. "
                                + makeRoom(),
                        e)
                : e;
    }

    private String makeRoom() {
        Path folder = settings.workDirectory();
        String remedy = "ake room there, or set workDirectory to a folder on a larger disk";
        try {
            return folder + " has " + disk.freeBytes(folder) + " bytes free; m" + remedy;
        } catch (IOException e) {
            return "It is to be in " + folder + ". M" + remedy;
        }
    }

    /** Another snapshot took the place of the one to be opened. */
    private static final class ReplacedException extends IOException {
        private static final long serialVersionUID = 1L;

        ReplacedException(Path file) {
            super(file + ": replaced again and again while it was opened");
        }
    }

    /** Opens the snapshot in the work directory, which must still have this header. */
    private Generation open(Path file, SnapshotHeader expected) throws IOException {
        Snapshot snapshot =
                settings.exactLookup()
                        ? Snapshot.open(disk, file)
                        : Snapshot.openFilters(disk, file);
        if (!snapshot.header().equals(expected)) {
            snapshot.close();
            throw new ReplacedException(file);
        }
        touch();
        return settings.exactLookup()
                ? Generation.exact(snapshot, settings.cacheSize(), settings.cacheExpiry(), counters)
                : Generation.filterOnly(snapshot, counters);
    }

    private void requirePlain(SnapshotHeader header) throws ListRefusedException {
        if ((header.denied() > 0 || header.conditional() > 0) && !settings.exactLookup()) {
            throw new ListRefusedException(
                    settings.file()
                            + ": has "
                            + header.denied()
                            + " '!' entries and "
                            + header.conditional()
                            + " with conditions, which a filter alone cannot tell from plain ones;"
                            + " remove them, or set exactLookup to on");
        }
    }

    private boolean isBuiltAsWanted(SnapshotHeader header) {
        return header.addressFilter()
                        .planned()
                        .equals(settings.build().addressFilter(header.addresses()))
                && header.domainFilter().equals(settings.build().domainFilter(header.domains()));
    }

    /**
     * Returns the file of this list in the work directory. It is named after the list and all that
     * decides what is in it, so that lists of one name in two folders, or of one file with other
     * parameters, never take each other's place.
     */
    private Path lastGoodFile() {
        Path file = settings.file().toAbsolutePath().normalize();
        String identity =
                file
                        + "\n"
                        + settings.build()
                        + "\n"
                        + settings.exactLookup()
                        + "\n"
                        + settings.maxShrink();
        byte[] digest = Sha256.start().digest(identity.getBytes(StandardCharsets.UTF_8));
        String hash = HexFormat.of().formatHex(digest, 0, 6);
        return settings.workDirectory().resolve(file.getFileName() + "-" + hash + ".swl");
    }

    private String digest(Path file) throws IOException {
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
}
