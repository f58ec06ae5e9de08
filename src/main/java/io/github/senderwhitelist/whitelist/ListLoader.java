package io.github.senderwhitelist.whitelist;

import io.github.senderwhitelist.list.ListRefusedException;
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
import io.github.senderwhitelist.whitelist.ListCounters.LookupTimer;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
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
public final class ListLoader {
    private static final SecureRandom SEEDS = new SecureRandom();

    /** What sorting a list takes of the server's memory at most. */
    private static final long BUILD_MEMORY = 48L << 20;

    /** With so much for each byte of text the sorting needs no disk. */
    private static final long MEMORY_PER_BYTE = 16;

    /** Left free beside a copy, for what else the disk is for. */
    private static final long RESERVE = 1L << 20;

    /** What systems say of a disk or a share of it that is full. */
    private static final Pattern NO_SPACE = Pattern.compile("(?i)no space|enough space|quota");

    private final ListSettings settings;
    private final ListCounters counters;
    private volatile boolean stopped;

    /** A loader of the list of these settings. */
    public ListLoader(ListSettings settings) {
        this(settings, new ListCounters(LookupTimer.NONE));
    }

    /** The same, with the questions to its generations counted there. */
    ListLoader(ListSettings settings, ListCounters counters) {
        this.settings = settings;
        this.counters = counters;
    }

    /**
     * A generation, not yet in force.
     *
     * @param report of the build, or null when a finished snapshot was opened
     */
    public record Loaded(Generation generation, @Nullable BuildReport report) {}

    /** The generation of what the file holds now, a finished snapshot as it lies there. */
    public Loaded load() throws IOException {
        Path file = settings.file();
        if (Files.isRegularFile(file) && isSnapshot(file)) {
            return new Loaded(open(file, Snapshot.readHeader(file)), null);
        }
        return Objects.requireNonNull(load(null, Admission.ALL));
    }

    /**
     * The generation of what the file holds now, or null when that is what is in force.
     *
     * @param inForce the generation in force, or null
     * @param admission the last word on it, before it takes the place of the last good snapshot;
     *     what it throws is thrown, and nothing has changed then
     * @throws IOException a {@link ListRefusedException} or a {@link SnapshotException} when the
     *     list cannot be used as it is; another one when it could not be read or built
     */
    @Nullable Loaded load(@Nullable SnapshotHeader inForce, Admission admission)
            throws IOException {
        Path file = settings.file();
        Admission all =
                header -> {
                    requirePlain(header);
                    admission.check(header);
                };
        try {
            if (Files.isDirectory(file)) {
                throw new ListRefusedException(file + ": a directory; a list is a file");
            }
            return isSnapshot(file)
                    ? loadSnapshot(file, inForce, all)
                    : loadText(file, inForce, all);
        } catch (NoSuchFileException e) {
            throw e.getFile().equals(file.toString())
                    ? new IOException(file + ": no such file", e)
                    : e;
        } catch (AccessDeniedException e) {
            throw new IOException(
                    e.getFile()
                            + ": no permission (the server runs as user "
                            + System.getProperty("user.name")
                            + ")",
                    e);
        } catch (ListRefusedException | SnapshotException e) {
            throw e;
        } catch (IOException e) {
            throw explained(e);
        }
    }

    /**
     * The generation of a snapshot for a few questions; see {@link Snapshot#openWithoutFilters}.
     */
    public Loaded loadWithoutFilters() throws IOException {
        Snapshot snapshot = Snapshot.openWithoutFilters(settings.file());
        return new Loaded(
                Generation.exact(snapshot, settings.cacheSize(), settings.cacheExpiry()), null);
    }

    /** The header of the last good snapshot of this list, or null when there is none. */
    @Nullable SnapshotHeader lastGoodHeader() {
        try {
            return Snapshot.readHeader(lastGoodFile());
        } catch (IOException e) {
            return null;
        }
    }

    /** The last good snapshot of this list, or null when there is none that can be used. */
    @Nullable Generation lastGood() {
        SnapshotHeader header = lastGoodHeader();
        try {
            return header == null ? null : open(lastGoodFile(), header);
        } catch (IOException e) {
            return null;
        }
    }

    /** Deletes what killed processes left of this list in the work directory. */
    void sweep() {
        try {
            if (Files.isDirectory(settings.workDirectory())) {
                SnapshotFiles.sweep(lastGoodFile());
            }
        } catch (IOException e) {
            // What cannot be cleared away is in nobody's way; what can be wrong with the folder
            // shows, and is told, when something is to be written there.
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
            Path file, @Nullable SnapshotHeader inForce, Admission admission) throws IOException {
        Path target = lastGoodFile();
        SnapshotHeader last = lastGoodHeader();
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
        ListSource source = ListSource.of(file);
        long memory =
                Math.clamp(
                        source.size() * MEMORY_PER_BYTE, BuildResources.LEAST_MEMORY, BUILD_MEMORY);
        SnapshotBuilder builder =
                new SnapshotBuilder(
                        settings.build(),
                        new BuildResources(memory, 1, settings.workDirectory()),
                        SEEDS.nextLong(),
                        System.currentTimeMillis(),
                        (phase, done, total) -> requireGoingOn());
        BuildReport report = builder.build(List.of(source), target, admission);
        return new Loaded(open(target, report.header()), report);
    }

    private @Nullable Loaded loadSnapshot(
            Path file, @Nullable SnapshotHeader inForce, Admission admission) throws IOException {
        SnapshotHeader header = Snapshot.readHeader(file);
        admission.check(header);
        if (header.equals(inForce)) {
            return null;
        }
        Path target = lastGoodFile();
        if (header.equals(lastGoodHeader())) {
            try {
                return new Loaded(open(target, header), null);
            } catch (SnapshotException e) {
                // Damaged on our side: there is another one at hand.
                requireGoingOn();
            }
        }
        makeWorkDirectory();
        requireSpace(header.fileLength());
        SnapshotFiles.copy(file, target, admission, this::requireGoingOn);
        return new Loaded(open(target, header), null);
    }

    private void makeWorkDirectory() throws IOException {
        requireGoingOn();
        Files.createDirectories(settings.workDirectory());
    }

    /** A copy is as large as the snapshot; to find out at the end would take long. */
    private void requireSpace(long bytes) throws IOException {
        if (freeBytes() < bytes + RESERVE) {
            throw new IOException(
                    settings.file()
                            + ": no space for a copy of "
                            + bytes
                            + " bytes in the workDirectory. "
                            + makeRoom());
        }
    }

    /** Says of a disk that is full where it is, and what to do. */
    private IOException explained(IOException e) throws IOException {
        String message = String.valueOf(e.getMessage());
        boolean full = NO_SPACE.matcher(message).find() && !message.contains("workDirectory");
        return full
                ? new IOException(
                        settings.file()
                                + ": "
                                + message
                                + " while its snapshot was written. A build takes about 1.5 times"
                                + " the size of the text. "
                                + makeRoom(),
                        e)
                : e;
    }

    private String makeRoom() throws IOException {
        return settings.workDirectory()
                + " has "
                + freeBytes()
                + " bytes free; make room there, or set workDirectory to a folder on a larger disk";
    }

    private long freeBytes() throws IOException {
        return Files.getFileStore(settings.workDirectory()).getUsableSpace();
    }

    /**
     * Opens a snapshot that must still have this header: a list with other settings may have put
     * another one in its place.
     */
    private Generation open(Path file, SnapshotHeader expected) throws IOException {
        Snapshot snapshot =
                settings.exactLookup() ? Snapshot.open(file) : Snapshot.openFilters(file);
        if (!snapshot.header().equals(expected)) {
            snapshot.close();
            throw new IOException(file + ": replaced while it was opened; it is read again");
        }
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

    /** Whether a file says it is a snapshot; what is no readable file is none. */
    public static boolean isSnapshot(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return SnapshotHeader.isSnapshot(in.readNBytes(SnapshotHeader.magicLength()));
        }
    }

    private boolean isBuiltAsWanted(SnapshotHeader header) {
        return header.addressFilter()
                        .planned()
                        .equals(settings.build().addressFilter(header.addresses()))
                && header.domainFilter().equals(settings.build().domainFilter(header.domains()));
    }

    /**
     * Named after the list and all that decides its place, so that lists of the same name in two
     * folders do not meet.
     */
    private Path lastGoodFile() {
        Path file = settings.file().toAbsolutePath().normalize();
        String identity = file + "\n" + settings.build();
        String hash =
                HexFormat.of()
                        .formatHex(
                                Sha256.start().digest(identity.getBytes(StandardCharsets.UTF_8)),
                                0,
                                6);
        return settings.workDirectory().resolve(file.getFileName() + "-" + hash + ".swl");
    }

    private String digest(Path file) throws IOException {
        MessageDigest digest = Sha256.start();
        try (InputStream in = Files.newInputStream(file)) {
            byte[] buffer = new byte[1 << 16];
            for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
                digest.update(buffer, 0, count);
                requireGoingOn();
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
