package io.github.senderwhitelist.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.senderwhitelist.faults.Deed;
import io.github.senderwhitelist.tools.ChildJava;
import io.github.senderwhitelist.tools.Extent;
import io.github.senderwhitelist.tools.Handles;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

class LocalDiskTest implements DiskContract {
    /** During each of them the thread is interrupted many times. */
    private static final int READS = Extent.of(300, 2_000);

    @TempDir Path folder;

    @AfterEach
    void nothingIsOpen() throws IOException {
        if (Handles.areTold()) {
            assertThat(Handles.files(folder.toString())).isEmpty();
            assertThat(Handles.mappings(folder.toString())).isEmpty();
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

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
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
        try (AtomicFile file = AtomicFile.of(disk(), target)) {
            AtomicFile.sweep(disk(), target);
            file.publish();
        }
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("a", ".b.3d.tmp", ".a.x");
    }

    /** Another process sees the lock, which a sweep by this one does not take away. */
    @Test
    void shouldLeaveAFileAloneThatAnotherProcessWrites() throws Exception {
        Path target = folder.resolve("a");
        try (AtomicFile file = AtomicFile.of(disk(), target)) {
            AtomicFile.sweep(disk(), target);
            List<String> command = ChildJava.running(Sweeper.class);
            command.add(target.toString());
            assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
            file.publish();
        }
        assertThat(target).exists();
    }

    static final class Sweeper {
        private Sweeper() {}

        public static void main(String... arguments) throws IOException {
            AtomicFile.sweep(Disk.LOCAL, Path.of(arguments[0]));
        }
    }

    // Permissions

    @Test
    void shouldLetOnlyTheOwnerReadWhatTakesNobodysPlace() throws IOException {
        Path target = folder.resolve("a");
        disk().create(folder.resolve("b"), target).close();
        assertThat(permissions(folder.resolve("b"))).isEqualTo("rw-------");
        disk().create(folder.resolve("c"), null).close();
        assertThat(permissions(folder.resolve("c"))).isEqualTo("rw-------");
        try (AtomicFile file = AtomicFile.of(disk(), target)) {
            file.publish();
        }
        assertThat(permissions(target)).isEqualTo("rw-------");
    }

    /** Root builds a snapshot in place of one of James. */
    @Test
    void shouldKeepOwnerAndGroupOfTheFileWhosePlaceItTakes() throws IOException {
        Path target = Files.writeString(folder.resolve("a"), "old");
        try {
            Files.setAttribute(target, "unix:gid", 4712);
            Files.setAttribute(target, "unix:uid", 4711);
        } catch (IOException e) {
            assumeTrue(false, "only root may give files away");
        }
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rw-r-----"));
        try (AtomicFile file = AtomicFile.of(disk(), target)) {
            file.publish();
        }

        assertThat(Files.getAttribute(target, "unix:uid")).isEqualTo(4711);
        assertThat(Files.getAttribute(target, "unix:gid")).isEqualTo(4712);
        assertThat(permissions(target)).isEqualTo("rw-r-----");
    }

    /** The owner of the folder could put a link or another file in the place of the new one. */
    @Test
    void shouldGiveNothingAwayInAFolderOfAnother() throws IOException {
        Path target = Files.writeString(folder.resolve("a"), "old");
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rw-rw-rw-"));
        try {
            Files.setAttribute(target, "unix:uid", 4711);
            Files.setAttribute(folder, "unix:uid", 4711);
        } catch (IOException e) {
            assumeTrue(false, "only root may give files away");
        }
        try (AtomicFile file = AtomicFile.of(disk(), target)) {
            file.publish();
        }
        assertThat(Files.getAttribute(target, "unix:uid")).isEqualTo(0);
        assertThat(permissions(target)).isEqualTo("rw-------");
    }

    /** Somebody puts a link in the place of a new file just before it is given away. */
    @Test
    void shouldNotGiveAwayWhatALinkLeadsTo() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "secret");
        Files.setPosixFilePermissions(victim, PosixFilePermissions.fromString("rw-------"));
        Path like = Files.writeString(folder.resolve("like"), "old");
        Files.setPosixFilePermissions(like, PosixFilePermissions.fromString("rwxrwxrwx"));
        if (System.getProperty("user.name").equals("root")) {
            Files.setAttribute(like, "unix:gid", 4712);
            Files.setAttribute(like, "unix:uid", 4711);
        }
        Map<String, Object> before = Files.readAttributes(victim, "unix:uid,gid,mode");
        Path link = Files.createSymbolicLink(folder.resolve("link"), victim);
        PosixFileAttributes given = Files.readAttributes(like, PosixFileAttributes.class);
        assertThatThrownBy(() -> LocalDisk.copyOwnership(given, link))
                .isInstanceOf(IOException.class);
        assertThat(Files.readAttributes(victim, "unix:uid,gid,mode")).isEqualTo(before);
    }

    @Test
    void shouldKeepThePermissionsOfTheFileWhosePlaceItTakes() throws IOException {
        Path target = Files.writeString(folder.resolve("a"), "old");
        for (String kept : List.of("rw-r-----", "r--r--r--", "rwxrwxrwx")) {
            Files.setPosixFilePermissions(target, PosixFilePermissions.fromString(kept));
            try (AtomicFile file = AtomicFile.of(disk(), target)) {
                file.publish();
            }
            assertThat(permissions(target)).isEqualTo(kept);
        }
    }

    @Test
    void shouldLetOnlyTheOwnerLookIntoFolders() throws IOException {
        Disk.createFolders(disk(), folder.resolve("a/b"));
        assertThat(permissions(folder.resolve("a"))).isEqualTo("rwx------");
        assertThat(permissions(folder.resolve("a/b"))).isEqualTo("rwx------");
    }

    // Names

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
        Path inFolder = Files.createSymbolicLink(folder.resolve("folder"), Path.of("."));
        Disk.createFolders(disk(), inFolder);
    }

    @Test
    void shouldGoOnReadingASharedFileThatIsInterruptedWhileItReads() throws Exception {
        byte[] bytes = new byte[1 << 16];
        Arrays.fill(bytes, (byte) 7);
        Path path = Files.write(folder.resolve("a"), bytes);
        try (DiskFile file = disk().open(path)) {
            readInterrupted(file, bytes.length);
            assertThat(file.size()).isEqualTo(bytes.length);
        }
    }

    /** An interrupted reader must not read what has the name by now. */
    @Test
    void shouldNotReadAnotherFileOfThatNameAfterAnInterruption() throws Exception {
        byte[] bytes = new byte[1 << 16];
        Arrays.fill(bytes, (byte) 7);
        Path path = Files.write(folder.resolve("a"), bytes);
        try (DiskFile file = disk().open(path)) {
            Files.write(folder.resolve("b"), new byte[1 << 16]);
            disk().rename(folder.resolve("b"), path);
            try {
                readInterrupted(file, bytes.length);
            } catch (IOException | AssertionError e) {
                assertThat(e).message().containsAnyOf("closed", "interrupted");
            }
        }
    }

    /**
     * Reads a file that is all sevens in two threads, one of which is interrupted again and again.
     */
    private static void readInterrupted(DiskFile file, int length) throws Exception {
        List<Throwable> failures = new ArrayList<>();
        Thread reader =
                new Thread(
                        () -> {
                            try {
                                for (int i = 0; i < READS; i++) {
                                    readSevens(file, length);
                                }
                            } catch (IOException | RuntimeException | Error e) {
                                failures.add(e);
                            }
                        });
        reader.start();
        while (reader.isAlive()) {
            reader.interrupt();
            LockSupport.parkNanos(1);
        }
        reader.join();
        assertThat(failures).isEmpty();
        readSevens(file, length);
    }

    private static void readSevens(DiskFile file, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        file.readFully(bytes, 0);
        for (byte b : bytes.array()) {
            Deed.require(b == 7, "read " + b);
        }
    }
}
