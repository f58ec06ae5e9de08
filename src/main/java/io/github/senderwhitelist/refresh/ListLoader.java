package io.github.senderwhitelist.refresh;

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
import io.github.senderwhitelist.snapshot.Admission;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.BuildResources;
import io.github.senderwhitelist.snapshot.Sha256;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.SnapshotException;
import io.github.senderwhitelist.snapshot.SnapshotFiles;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.snapshot.TextSource;

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
 * The loader of generations from the file of a list. A generation always reads a snapshot in the
 * work directory, which is built from a text list or copied from a finished snapshot. So changes of
 * the list's file cannot harm it, and it is there at the next start: the last good snapshot.
 */
final class ListLoader {
    private static final SecureRandom SEEDS = new SecureRandom();

    /** The memory that sorting a list may use, in bytes. */
    private static final long BUILD_MEMORY = 48L << 20;

    /** The bytes that a copy of a snapshot must leave free on the disk. */
    private static final long RESERVE = 1L << 20;

    /** Matches what systems report when a disk or a quota is full. */
    private static final Pattern NO_SPACE = Pattern.compile("(?i)no space|enough space|quota");

    /** How often loading begins again because another process replaced the snapshot. */
    private static final int MOST_SWAPS = 20;

    /** The age at which unused snapshots in the work directory are deleted. */
    private static final Duration UNUSED = Duration.ofDays(30);

    private static final Pattern WORK_FILE = Pattern.compile(".+-[0-9a-f]{12}\\.swl");

    private final ListSettings settings;
    private final Disk disk;
    private final ListCounters counters;
    private volatile boolean stopped;

    /**
     * Makes a loader for a list.
     *
     * @param counters the counts of lookups in all generations
     */
    ListLoader(ListSettings settings, Disk disk, ListCounters counters) {
        this.settings = settings;
        this.disk = disk;
        this.counters = counters;
    }

    /**
     * A generation that is not in force yet.
     *
     * @param report the report of its build, or null when a finished snapshot was opened
     */
    record Loaded(Generation generation, @Nullable BuildReport report) {}

    /**
     * Loads the content of the file. Returns null when it is in force already.
     *
     * @param inForce the header of the snapshot in force, or null
     * @param admission checks new content before it replaces the last good snapshot; when it
     *     throws, nothing has changed
     * @throws IOException a {@link ListRefusedException} or a {@link SnapshotException} if the
     *     content of the file is refused; another one if it could not be read or built
     */
    @Nullable Loaded load(@Nullable SnapshotHeader inForce, Admission admission)
            throws IOException {
        return load(inForce, false, admission);
    }

    /**
     * Loads the content of the file and ignores the last good snapshot, because that cannot be
     * read.
     */
    Loaded loadFromFile(Admission admission) throws IOException {
        return Objects.requireNonNull(load(null, true, admission));
    }

    private @Nullable Loaded load(
            @Nullable SnapshotHeader inForce, boolean fromFile, Admission admission)
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
                            ? loadSnapshot(file, inForce, fromFile, all)
                            : loadText(file, inForce, fromFile, all);
                } catch (ReplacedException e) {
                    // Another server follows the same list. The snapshot that it made is used.
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

    /** Rejects what is not a regular file. A missing file is reported when it is read. */
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

    private @Nullable Loaded loadText(
            Path file, @Nullable SnapshotHeader inForce, boolean fromFile, Admission admission)
            throws IOException {
        Path target = lastGoodFile();
        SnapshotHeader last = fromFile ? null : lastGoodHeader();
        if (last != null && isBuiltAsWanted(last) && digest(file).equals(last.sourceDigest())) {
            admission.check(last);
            if (last.equals(inForce)) {
                return null;
            }
            try {
                return new Loaded(open(target, last), null);
            } catch (SnapshotException e) {
                // Our snapshot is damaged. It is built again from the list.
                requireGoingOn();
            }
        }
        makeWorkDirectory();
        TextSource source = TextSource.of(disk, file);
        SnapshotBuilder builder =
                new SnapshotBuilder(
                        settings.build(),
                        new BuildResources(
                                BUILD_MEMORY, new Scratch(disk, settings.workDirectory())),
                        SEEDS.nextLong(),
                        System.currentTimeMillis(),
                        (phase, done, total) -> requireGoingOn());
        BuildReport report = builder.build(List.of(source), target, admission);
        return new Loaded(open(target, report.header()), report);
    }

    /** Returns whether a snapshot has the filters that the settings ask for. */
    private boolean isBuiltAsWanted(SnapshotHeader header) {
        return header.addressFilter().equals(settings.build().addressFilter(header.addresses()))
                && header.domainFilter().equals(settings.build().domainFilter(header.domains()));
    }

    /** Returns the SHA-256 of a file, in hexadecimal. */
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

    private @Nullable Loaded loadSnapshot(
            Path file, @Nullable SnapshotHeader inForce, boolean fromFile, Admission admission)
            throws IOException {
        SnapshotHeader header = Snapshot.readHeader(disk, file);
        admission.check(header);
        if (header.equals(inForce)) {
            return null;
        }
        Path target = lastGoodFile();
        if (!fromFile && header.equals(lastGoodHeader())) {
            try {
                return new Loaded(open(target, header), null);
            } catch (SnapshotException e) {
                // Our snapshot is damaged. It is copied again.
                requireGoingOn();
            }
        }
        makeWorkDirectory();
        requireSpace(header.fileLength());
        SnapshotFiles.copy(disk, file, target, admission, this::requireGoingOn);
        return new Loaded(open(target, header), null);
    }

    /** Rejects a copy that will not fit before it is begun, since it can take long. */
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

    private void makeWorkDirectory() throws IOException {
        requireGoingOn();
        Folders.make(disk, settings.workDirectory(), true);
    }

    /**
     * Opens the snapshot in the work directory.
     *
     * @throws ReplacedException if it no longer has the expected header
     */
    private Generation open(Path file, SnapshotHeader expected) throws IOException {
        Snapshot snapshot =
                settings.exactLookup()
                        ? Snapshot.open(disk, file, settings.exactMemory())
                        : Snapshot.openFilters(disk, file);
        if (!snapshot.header().equals(expected)) {
            snapshot.close();
            throw new ReplacedException(file);
        }
        markUsed();
        return settings.exactLookup()
                ? Generation.exact(snapshot, settings.cacheSize(), settings.cacheExpiry(), counters)
                : Generation.filterOnly(snapshot, counters);
    }

    /** Signals that another process replaced the snapshot that was to be opened. */
    private static final class ReplacedException extends IOException {
        private static final long serialVersionUID = 1L;

        ReplacedException(Path file) {
            super(file + ": replaced again and again while it was opened");
        }
    }

    /** Rejects entries that need an exact lookup if there is none. */
    private void requirePlain(SnapshotHeader header) throws ListRefusedException {
        if ((header.denied() > 0 || header.conditional() > 0 || header.pairs() > 0)
                && !settings.exactLookup()) {
            throw new ListRefusedException(
                    settings.file()
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

    /**
     * Returns why the file looks unfinished by its end, or null. Text without a line end at its end
     * may be cut within a line, and half a line can list more than was meant.
     *
     * @throws IOException if the file cannot be read
     */
    @Nullable String doubtFromEnd() throws IOException {
        try {
            requireFile();
            return doubtFromLastByte();
        } catch (IOException e) {
            throw explained(e);
        }
    }

    private @Nullable String doubtFromLastByte() throws IOException {
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

    /** Opens the last good snapshot of this list. Returns null when there is none to be opened. */
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

    /** Returns the header of the last good snapshot of this list, or null when there is none. */
    @Nullable SnapshotHeader lastGoodHeader() {
        try {
            return Snapshot.readHeader(disk, lastGoodFile());
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Returns the file of the last good snapshot. Its name has a hash of the list's path and of all
     * settings that decide its content or its admission, so that other lists and other settings
     * have other files.
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

    /**
     * Deletes unfinished files of this list that killed processes left in the work directory, and
     * snapshots that no list has used for {@link #UNUSED}.
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
                        && isOlder(disk.state(file), oldest)) {
                    disk.deleteIfIdle(file);
                }
            }
        } catch (IOException e) {
            // Leftovers do no harm. If something is wrong with the folder, the next write fails
            // and reports it.
            return;
        }
    }

    /** Returns whether a file is known to have been unused since this moment. */
    private static boolean isOlder(FileState state, Instant oldest) {
        return state.isRegular() && state.changed().isBefore(oldest);
    }

    /** Marks the snapshot in the work directory as used, so that no {@link #sweep} deletes it. */
    void markUsed() {
        try {
            disk.touch(lastGoodFile());
        } catch (IOException e) {
            // At worst another process deletes it, and it is built again.
            return;
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
