package io.github.senderwhitelist.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The behaviour of every disk, also of the one in memory that tests use. */
interface DiskContract {
    /** Returns the disk. */
    Disk disk();

    /** Returns an empty folder on it. */
    Path folder();

    private Path path(String name) {
        return folder().resolve(name);
    }

    private Path write(String name, String text) throws IOException {
        try (DiskFile file = disk().create(path(name), null)) {
            file.writeFully(ByteBuffer.wrap(text.getBytes(UTF_8)), 0);
        }
        return path(name);
    }

    private String read(Path file) throws IOException {
        try (DiskFile open = disk().open(file)) {
            return read(open);
        }
    }

    private static String read(DiskFile file) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
        file.readFully(bytes, 0);
        return new String(bytes.array(), UTF_8);
    }

    private static void failsWith(ThrowingCallable call, Path file, String reason) {
        assertThatThrownBy(call)
                .isInstanceOf(FileSystemException.class)
                .hasMessageStartingWith(file.toString())
                .hasMessageEndingWith(": " + reason);
    }

    @Test
    default void shouldReadWhatWasWrittenAtAnyPosition() throws IOException {
        try (DiskFile file = disk().create(path("a"), null)) {
            file.writeFully(ByteBuffer.wrap(new byte[] {1, 2, 3}), 10);
            file.writeFully(ByteBuffer.wrap(new byte[] {4}), 11);
            assertThat(file.size()).isEqualTo(13);
            ByteBuffer bytes = ByteBuffer.allocate(4);
            file.readFully(bytes, 9);
            assertThat(bytes.array()).containsExactly(0, 1, 4, 3);
            assertThat(file.read(bytes.clear(), 12)).isEqualTo(1);
            assertThat(file.read(bytes.clear(), 13)).isEqualTo(-1);
            assertThatThrownBy(() -> file.readFully(bytes.clear(), 10))
                    .isInstanceOf(EOFException.class)
                    .hasMessageStartingWith(path("a") + ": ");
        }
    }

    @Test
    default void shouldSayWhatIsMissing() {
        Path no = path("no");
        List<ThrowingCallable> calls =
                List.of(
                        () -> disk().open(no).close(),
                        () -> disk().rename(path("other"), no),
                        () -> disk().force(no),
                        () -> disk().list(no),
                        () -> disk().freeBytes(no));
        for (ThrowingCallable call : calls) {
            failsWith(call, no, "no such file");
        }
        // A new file is not expected to exist. What is missing is its folder.
        List<ThrowingCallable> creations =
                List.of(
                        () -> disk().create(no.resolve("a"), null).close(),
                        () -> AtomicFile.of(disk(), no.resolve("a")).close(),
                        () -> new Scratch(disk(), no).create().close());
        for (ThrowingCallable call : creations) {
            failsWith(call, no, "no such folder");
        }
        assertThat(disk().state(no).type()).isEqualTo(FileState.Type.MISSING);
    }

    @Test
    default void shouldDistinguishFilesAndFolders() throws IOException {
        Path file = write("a", "text");
        assertThatThrownBy(() -> disk().open(folder()).close())
                .hasMessage(folder() + ": a folder; allowed: a file");
        failsWith(() -> disk().list(file), file, "not a folder");
        failsWith(() -> disk().create(file, null).close(), file, "exists already");
        Path like = path("like");
        failsWith(() -> disk().create(file, like).close(), like, "exists already");
        assertThat(disk().state(folder()).type()).isEqualTo(FileState.Type.FOLDER);
        assertThat(disk().state(file).isRegular()).isTrue();
        assertThat(disk().state(file).size()).isEqualTo(4);
        assertThatThrownBy(() -> Disk.createFolders(disk(), file))
                .hasMessage(file + ": not a folder");
        assertThat(disk().list(folder())).containsExactly(file);
    }

    @Test
    default void shouldRenameInPlaceOfAnother() throws IOException {
        Path old = write("a", "old");
        Path next = write("b", "next");
        FileState before = disk().state(next);
        try (DiskFile open = disk().open(old)) {
            disk().rename(next, old);
            assertThat(read(open)).isEqualTo("old");
        }
        assertThat(read(old)).isEqualTo("next");
        assertThat(disk().list(folder())).containsExactly(old);
        assertThat(disk().state(old).isSameFileAs(before)).isTrue();
        disk().delete(old);
        disk().delete(old);
        assertThat(disk().list(folder())).isEmpty();
    }

    @Test
    default void shouldDistinguishContentsByTheirStates() throws IOException {
        Path file = write("a", "text");
        FileState before = disk().state(file);
        assertThat(disk().state(file)).isEqualTo(before);
        try (DiskFile open = disk().create(path("c"), null)) {
            FileState empty = disk().state(path("c"));
            open.writeFully(ByteBuffer.wrap(new byte[] {1}), 0);
            FileState written = disk().state(path("c"));
            assertThat(written).isNotEqualTo(empty);
            assertThat(written.isSameFileAs(empty)).isTrue();
        }
        write("b", "text");
        disk().rename(path("b"), file);
        assertThat(disk().state(file).isSameFileAs(before)).isFalse();
    }

    @Test
    default void shouldMakeTemporaryFilesWithoutNames() throws IOException {
        try (DiskFile file = new Scratch(disk(), folder()).create()) {
            assertThat(disk().list(folder())).isEmpty();
            file.writeFully(ByteBuffer.wrap(new byte[] {1, 2}), 0);
            assertThat(file.size()).isEqualTo(2);
        }
        assertThat(disk().list(folder())).isEmpty();
    }

    @Test
    default void shouldLockAFileOnce() throws IOException {
        Path path = path("a");
        try (DiskFile file = disk().create(path, null);
                DiskFile reading = disk().open(path)) {
            assertThat(file.tryLock()).isTrue();
            assertThat(reading.tryLock()).isFalse();
        }
        try (DiskFile reading = disk().open(path)) {
            assertThat(reading.tryLock()).isTrue();
        }
    }

    @Test
    default void shouldMakeFoldersWithThoseAbove() throws IOException {
        Path deep = path("a").resolve("b").resolve("c");
        Disk.createFolders(disk(), deep);
        Disk.createFolders(disk(), deep);
        assertThat(disk().state(deep).type()).isEqualTo(FileState.Type.FOLDER);
        disk().force(deep);
        assertThat(disk().list(path("a"))).containsExactly(path("a").resolve("b"));
    }

    @Test
    default void shouldSayThatAFileIsClosed() throws IOException {
        Path path = write("a", "text");
        DiskFile file = disk().open(path);
        file.close();
        file.close();
        failsWith(() -> file.read(ByteBuffer.allocate(1), 0), path, "closed");
    }

    // Interruptions

    /** Does something in a thread that is interrupted, and returns whether it still is. */
    private static boolean interrupted(ThrowingCallable call) throws IOException {
        Thread.currentThread().interrupt();
        try {
            call.call();
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        return true;
    }

    @Test
    default void shouldCloseAFileWhenItsThreadIsInterrupted() throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        Map<String, OnFile> calls =
                Map.of(
                        "read",
                        file -> file.read(one.clear(), 0),
                        "write",
                        file -> file.write(one.clear(), 0),
                        "size",
                        DiskFile::size,
                        "force",
                        DiskFile::force);
        for (Map.Entry<String, OnFile> call : calls.entrySet()) {
            Path path = path(call.getKey());
            try (DiskFile file = disk().create(path, null)) {
                file.writeFully(ByteBuffer.wrap(new byte[] {1}), 0);
                failsWith(() -> interrupted(() -> call.getValue().on(file)), path, "interrupted");
                failsWith(() -> file.read(one.clear(), 0), path, "closed");
            }
        }
    }

    /** Does something with a file. */
    @FunctionalInterface
    interface OnFile {
        void on(DiskFile file) throws IOException;
    }

    @Test
    default void shouldGoOnReadingSharedFilesInInterruptedThreads() throws IOException {
        Path path = write("a", "text");
        try (DiskFile file = disk().open(path)) {
            interrupted(() -> assertThat(read(file)).isEqualTo("text"));
            assertThat(read(file)).isEqualTo("text");
        }
    }

    @Test
    default void shouldNotForceAFolderInAnInterruptedThread() {
        failsWith(() -> interrupted(() -> disk().force(folder())), folder(), "interrupted");
    }

    /** Calls that never block work in interrupted threads, too. */
    @Test
    default void shouldDoInInterruptedThreadsWhatDoesNotWait() throws IOException {
        Path path = path("a");
        Path other = path("b");
        List<DiskFile> files = new ArrayList<>();
        interrupted(() -> files.add(disk().create(path, null)));
        interrupted(() -> assertThat(files.getFirst().tryLock()).isTrue());
        interrupted(files.getFirst()::close);
        interrupted(() -> new Scratch(disk(), folder()).create().close());
        interrupted(() -> disk().rename(path, other));
        interrupted(() -> assertThat(disk().list(folder())).containsExactly(other));
        interrupted(() -> assertThat(disk().state(other).isRegular()).isTrue());
        interrupted(() -> disk().open(other).close());
        interrupted(() -> disk().freeBytes(folder()));
        interrupted(() -> disk().createFolder(path("folder")));
        interrupted(() -> disk().delete(other));
        assertThat(disk().list(folder())).containsExactly(path("folder"));
    }
}
