package io.github.senderwhitelist.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.senderwhitelist.tools.ChildJava;
import io.github.senderwhitelist.tools.Extent;
import io.github.senderwhitelist.tools.Handles;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

class LocalDiskTest implements DiskContract {
    /** During each of them the thread is interrupted many times. */
    private static final int READS = Extent.of(300, 2_000);

    @TempDir Path folder;

    @AfterEach
    void nothingIsOpen() throws IOException {
        if (Handles.areTold()) {
            assertThat(Handles.files(folder.toString())).isEmpty();
        }
    }

    @Override
    public Disk disk() {
        return Disk.LOCAL;
    }

    @Override
    public Path folder() {
        return folder;
    }

    // Files that are not finished

    /** A killed program leaves a file without a lock. */
    @Test
    void shouldSweepWhatKilledProcessesLeftAndNoFileThatIsWritten() throws IOException {
        Path target = folder.resolve("a");
        for (String left :
                List.of(".a.1f.tmp", Disk.TEMPORARY_PREFIX + "2e", ".b.3d.tmp", ".a.x")) {
            Files.createFile(folder.resolve(left));
        }
        try (AtomicFile file = AtomicFile.create(disk(), target)) {
            AtomicFile.sweep(disk(), target);
            file.publish();
        }
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("a", ".b.3d.tmp", ".a.x");
    }

    /** Another process sees the lock, which a sweep by this one does not take away. */
    @Test
    void shouldLeaveAFileAloneThatAnotherProcessWrites() throws Exception {
        Path target = folder.resolve("a");
        try (AtomicFile file = AtomicFile.create(disk(), target)) {
            AtomicFile.sweep(disk(), target);
            List<String> command = ChildJava.running(Sweeper.class);
            command.add(target.toString());
            assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
            file.publish();
        }
        assertThat(target).exists();
    }

    /** As two servers do to each other that share a work directory and start at once. */
    @Test
    void shouldReplaceAFileThoughAnotherProcessSweepsBeforeTheNewOneIsLocked() throws Exception {
        Path target = folder.resolve("a");
        AtomicBoolean isSwept = new AtomicBoolean();
        Disk swept =
                new FaultyDisk(Disk.LOCAL) {
                    @Override
                    public DiskFile create(Path file, Path target) throws IOException {
                        DiskFile created = super.create(file, target);
                        if (!isSwept.getAndSet(true)) {
                            Files.delete(file);
                        }
                        return created;
                    }
                };
        try (AtomicFile file = AtomicFile.create(swept, target)) {
            file.publish();
        }
        assertThat(folder.toFile().list()).containsExactly("a");
    }

    static final class Sweeper {
        private Sweeper() {}

        public static void main(String... arguments) {
            AtomicFile.sweep(Disk.LOCAL, Path.of(arguments[0]));
        }
    }

    // Permissions

    /** Replaces a file, or one that is not there, and returns what the new one is. */
    private static Map<String, Object> replace(Path target) throws IOException {
        try (AtomicFile file = AtomicFile.create(Disk.LOCAL, target)) {
            file.publish();
        }
        return Files.readAttributes(target, "unix:uid,gid,permissions");
    }

    private static void give(Path file, String permissions) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    private static void giveAway(Path file) {
        try {
            Files.setAttribute(file, "unix:gid", 4712);
            Files.setAttribute(file, "unix:uid", 4711);
        } catch (IOException e) {
            assumeTrue(false, "only root may give files away");
        }
    }

    @ParameterizedTest
    @CsvSource({
        ", rw-------",
        "rw-r-----, rw-r-----",
        "r--r--r--, r--r--r--",
        "rwxrwxrwx, rwxrwxrwx"
    })
    void shouldLetOnlyThoseReadANewFileWhoCouldReadTheOldOne(@Nullable String old, String kept)
            throws IOException {
        Path target = folder.resolve("a");
        if (old != null) {
            give(Files.writeString(target, "old"), old);
        }
        assertThat(replace(target))
                .containsEntry("permissions", PosixFilePermissions.fromString(kept));
    }

    /** Root builds a snapshot in place of one of James. */
    @Test
    void shouldKeepOwnerAndGroupOfTheFileWhosePlaceItTakes() throws IOException {
        Path target = Files.writeString(folder.resolve("a"), "old");
        giveAway(target);
        give(target, "rw-r-----");
        Map<String, Object> before = Files.readAttributes(target, "unix:uid,gid,permissions");
        assertThat(replace(target)).isEqualTo(before).containsEntry("uid", 4711);
    }

    /** The owner of the folder could put a link or another file in the place of the new one. */
    @Test
    void shouldGiveNothingAwayInAFolderOfAnother() throws IOException {
        Path target = Files.writeString(folder.resolve("a"), "old");
        giveAway(target);
        giveAway(folder);
        give(target, "rw-rw-rw-");
        assertThat(replace(target))
                .containsEntry("uid", 0)
                .containsEntry("permissions", PosixFilePermissions.fromString("rw-------"));
    }

    /** Somebody puts a link in the place of a new file just before it is given away. */
    @Test
    void shouldNotGiveAwayWhatALinkLeadsTo() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "secret");
        give(victim, "rw-------");
        Path old = Files.writeString(folder.resolve("old"), "old");
        give(old, "rwxrwxrwx");
        if (System.getProperty("user.name").equals("root")) {
            giveAway(old);
        }
        Map<String, Object> before = Files.readAttributes(victim, "unix:uid,gid,mode");
        LocalDisk.keepOwnership(old, Files.createSymbolicLink(folder.resolve("link"), victim));
        assertThat(Files.readAttributes(victim, "unix:uid,gid,mode")).isEqualTo(before);
    }

    @Test
    void shouldLetOnlyTheOwnerLookIntoFolders() throws IOException {
        Disk.createFolders(disk(), folder.resolve("a/b"));
        for (String made : List.of("a", "a/b")) {
            assertThat(Files.getPosixFilePermissions(folder.resolve(made)))
                    .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        }
    }

    // Names

    /** Tests run as root, from whom no file is kept. */
    @Test
    void shouldSayThatThereIsNoPermission() {
        assertThat(LocalDisk.named(folder, new AccessDeniedException("a", "b", "c")))
                .isInstanceOf(AccessDeniedException.class)
                .hasMessage(folder + ": no permission");
        assertThat(LocalDisk.named(folder, new IOException("Input/output error")))
                .hasMessage(folder + ": Input/output error");
    }

    @Test
    @Timeout(600)
    void shouldNotOpenPipesAndDevices() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        Path device = Files.createSymbolicLink(folder.resolve("device"), Path.of("/dev/zero"));
        for (Path file : List.of(pipe, device)) {
            assertThat(disk().state(file).type()).isEqualTo(FileState.Type.OTHER);
            assertThatThrownBy(() -> disk().open(file).close())
                    .hasMessageStartingWith(file + ": a pipe or a device");
        }
    }

    @Test
    void shouldFollowLinks() throws IOException {
        Files.writeString(folder.resolve("a"), "text");
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("a"));
        assertThat(disk().state(link)).isEqualTo(disk().state(folder.resolve("a")));
        Path broken = Files.createSymbolicLink(folder.resolve("broken"), Path.of("no"));
        assertThat(disk().state(broken).type()).isEqualTo(FileState.Type.MISSING);
        Disk.createFolders(
                disk(), Files.createSymbolicLink(folder.resolve("folder"), Path.of(".")));
    }

    /** Neither the interruptions nor that another file has its name by now. */
    @Test
    void shouldReadOnWhateverHappensMeanwhile() throws Exception {
        byte[] sevens = new byte[1 << 16];
        Arrays.fill(sevens, (byte) 7);
        Path path = Files.write(folder.resolve("a"), sevens);
        try (DiskFile file = disk().open(path)) {
            Files.write(folder.resolve("b"), new byte[1 << 16]);
            disk().rename(folder.resolve("b"), path);
            FutureTask<Integer> reading =
                    new FutureTask<>(
                            () -> {
                                int same = 0;
                                for (int i = 0; i < READS; i++) {
                                    same += Arrays.equals(DiskContract.bytes(file), sevens) ? 1 : 0;
                                }
                                return same;
                            });
            Thread reader = new Thread(reading);
            reader.start();
            while (reader.isAlive()) {
                reader.interrupt();
                LockSupport.parkNanos(1);
            }
            assertThat(reading.get()).isEqualTo(READS);
            assertThat(DiskContract.bytes(file)).isEqualTo(sevens);
        }
    }
}
