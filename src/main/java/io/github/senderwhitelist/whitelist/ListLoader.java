package io.github.senderwhitelist.whitelist;

import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.snapshot.BuildProgress;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.BuildResources;
import io.github.senderwhitelist.snapshot.ListSource;
import io.github.senderwhitelist.snapshot.Sha256;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.SnapshotBuilder.Admission;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

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

/**
 * Makes a generation of a list: opens a snapshot as it is, builds one of a text list in the work
 * directory.
 */
public final class ListLoader {
    private static final SecureRandom SEEDS = new SecureRandom();

    /** What sorting a list takes of the server's memory. */
    private static final long BUILD_MEMORY = 48L << 20;

    private final ListSettings settings;

    /** A loader of the list of these settings. */
    public ListLoader(ListSettings settings) {
        this.settings = settings;
    }

    /**
     * A generation, not yet in force.
     *
     * @param report of the build, or null when a finished snapshot was opened
     */
    public record Loaded(Generation generation, @Nullable BuildReport report) {}

    /**
     * The generation of what the file holds now.
     *
     * @param admission the last word on it; what it throws is thrown, and nothing has changed then
     */
    public Loaded load(Admission admission) throws IOException {
        Path file = settings.file();
        try {
            if (Files.isDirectory(file)) {
                throw new ListRefusedException(file + ": a directory; a list is a file");
            }
            return isSnapshot(file)
                    ? new Loaded(open(file, admission), null)
                    : loadText(file, admission);
        } catch (NoSuchFileException e) {
            throw e.getFile().equals(file.toString())
                    ? new ListRefusedException(file + ": no such file")
                    : e;
        } catch (AccessDeniedException e) {
            throw new ListRefusedException(
                    e.getFile()
                            + ": no permission (the server runs as user "
                            + System.getProperty("user.name")
                            + ")");
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

    /** The last snapshot built of this list, or null when there is none that can be used. */
    @Nullable Generation lastGood() {
        try {
            return open(builtSnapshot(), Admission.ALL);
        } catch (IOException e) {
            return null;
        }
    }

    private Loaded loadText(Path file, Admission admission) throws IOException {
        Path target = builtSnapshot();
        if (digest(file).equals(builtFrom(target))) {
            return new Loaded(open(target, admission), null);
        }
        Files.createDirectories(settings.workDirectory());
        SnapshotBuilder builder =
                new SnapshotBuilder(
                        settings.build(),
                        new BuildResources(BUILD_MEMORY, 1, settings.workDirectory()),
                        SEEDS.nextLong(),
                        System.currentTimeMillis(),
                        BuildProgress.NONE);
        BuildReport report = builder.build(List.of(ListSource.of(file)), target, admission);
        return new Loaded(open(target, Admission.ALL), report);
    }

    private Generation open(Path file, Admission admission) throws IOException {
        Snapshot snapshot =
                settings.exactLookup() ? Snapshot.open(file) : Snapshot.openFilters(file);
        try {
            admission.check(snapshot.header());
            if (settings.exactLookup()) {
                return Generation.exact(snapshot, settings.cacheSize(), settings.cacheExpiry());
            }
            requireNoDenials(file, snapshot.header().denied());
            return Generation.filterOnly(snapshot);
        } catch (IOException e) {
            snapshot.close();
            throw e;
        }
    }

    private static void requireNoDenials(Path file, long denied) throws ListRefusedException {
        if (denied > 0) {
            throw new ListRefusedException(
                    file
                            + ": has "
                            + denied
                            + " '!' entries, which a filter alone cannot tell from listed ones;"
                            + " remove them, or set exactLookup to on");
        }
    }

    /** Whether a file says it is a snapshot; what is no readable file is none. */
    public static boolean isSnapshot(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return SnapshotHeader.isSnapshot(in.readNBytes(SnapshotHeader.magicLength()));
        }
    }

    /** The digest of the source of a snapshot built as we would build it, or an empty string. */
    private String builtFrom(Path snapshot) {
        try {
            SnapshotHeader header = Snapshot.readHeader(snapshot);
            boolean asWanted =
                    header.addressFilter()
                                    .planned()
                                    .equals(settings.build().addressFilter(header.addresses()))
                            && header.domainFilter()
                                    .equals(settings.build().domainFilter(header.domains()));
            return asWanted ? header.sourceDigest() : "";
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * Named after the list and all that decides its place, so that lists of the same name in two
     * folders do not meet.
     */
    private Path builtSnapshot() {
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

    private static String digest(Path file) throws IOException {
        MessageDigest digest = Sha256.start();
        try (InputStream in = Files.newInputStream(file)) {
            byte[] buffer = new byte[1 << 16];
            for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
                digest.update(buffer, 0, count);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
