package io.github.senderwhitelist.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

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
        try (DiskFile file = disk().create(path(name), path(name))) {
            file.writeFully(ByteBuffer.wrap(text.getBytes(UTF_8)), 0);
        }
        return path(name);
    }

    static byte[] bytes(DiskFile file) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
        file.readFully(bytes, 0);
        return bytes.array();
    }

    private static void failsWith(ThrowingCallable call, Path file, String reason) {
        assertThatThrownBy(call)
                .isInstanceOf(FileSystemException.class)
                .hasMessage(file + ": " + reason);
    }

    @Test
    default void shouldReadWhatWasWrittenAtAnyPosition() throws IOException {
        try (DiskFile file = disk().create(path("a"), path("name"))) {
            file.writeFully(ByteBuffer.wrap(new byte[] {1, 2, 3}), 10);
            file.writeFully(ByteBuffer.wrap(new byte[] {4}), 11);
            file.force();
            assertThat(file.size()).isEqualTo(13);
            ByteBuffer bytes = ByteBuffer.allocate(4);
            file.readFully(bytes, 9);
            assertThat(bytes.array()).containsExactly(0, 1, 4, 3);
            assertThat(file.read(bytes.clear(), 12)).isEqualTo(1);
            assertThat(file.read(bytes.clear(), 13)).isEqualTo(-1);
            assertThatThrownBy(() -> file.readFully(bytes.clear(), 10))
                    .isInstanceOf(EOFException.class)
                    .hasMessageStartingWith(path("name") + ": ");
        }
    }

    /** Else reading a file that never stops growing would never end. */
    @Test
    default void shouldStreamWhatIsThereAtFirst() throws IOException {
        try (DiskFile file = disk().create(path("a"), path("a"))) {
            OutputStream out = file.output(2);
            out.write("ext".getBytes(UTF_8));
            file.writeFully(ByteBuffer.wrap("at".getBytes(UTF_8)), 0);
            InputStream in = file.input();
            assertThat(in.read()).isEqualTo('a');
            out.write('!');
            assertThat(in.readAllBytes()).asString().isEqualTo("text");
            assertThat(bytes(file)).asString().isEqualTo("atext!");
        }
    }

    @Test
    default void shouldSayWhatIsWrong() throws IOException {
        Path no = path("no");
        Path file = write("a", "text");
        failsWith(() -> disk().open(no).close(), no, "no such file");
        failsWith(() -> disk().rename(path("other"), no), no, "no such file");
        assertThatThrownBy(() -> disk().rename(path("other"), no))
                .isInstanceOf(NoSuchFileException.class);
        failsWith(() -> disk().create(no.resolve("a"), file).close(), file, "no such file");
        failsWith(() -> new Scratch(disk(), no).create().close(), no, "no such file");
        failsWith(() -> disk().create(file, no).close(), no, "FileAlreadyExistsException");
        assertThatThrownBy(() -> disk().open(folder()).close())
                .hasMessage(folder() + ": a folder; allowed: a file");
        assertThatThrownBy(() -> Disk.createFolders(disk(), file))
                .hasMessage(file + ": not a folder");
        DiskFile open = disk().open(file);
        open.close();
        open.close();
        failsWith(() -> open.read(ByteBuffer.allocate(1), 0), file, "closed");
    }

    @Test
    default void shouldDistinguishFilesAndFolders() throws IOException {
        Path file = write("a", "text");
        assertThat(disk().state(folder()).type()).isEqualTo(FileState.Type.FOLDER);
        assertThat(disk().state(file).isRegular()).isTrue();
        assertThat(disk().state(file).size()).isEqualTo(4);
        assertThat(disk().state(path("no")).type()).isEqualTo(FileState.Type.MISSING);
        assertThat(disk().list(folder())).containsExactly(file);
        assertThat(disk().list(path("no"))).isEmpty();
        assertThat(disk().freeBytes(folder())).isPositive();
    }

    @Test
    default void shouldRenameInPlaceOfAnother() throws IOException {
        Path old = write("a", "old");
        Path next = write("b", "next");
        FileState before = disk().state(next);
        try (DiskFile open = disk().open(old)) {
            disk().rename(next, old);
            assertThat(bytes(open)).asString().isEqualTo("old");
        }
        try (DiskFile open = disk().open(old)) {
            assertThat(bytes(open)).asString().isEqualTo("next");
        }
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
        try (DiskFile open = disk().create(path("c"), path("c"))) {
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
            assertThat(file).hasToString(folder().toString());
        }
        assertThat(disk().list(folder())).isEmpty();
    }

    @Test
    default void shouldLockAFileOnce() throws IOException {
        Path path = path("a");
        try (DiskFile file = disk().create(path, path);
                DiskFile reading = disk().open(path)) {
            assertThat(file.tryLock()).isTrue();
            assertThat(reading.tryLock()).isFalse();
        }
        try (DiskFile reading = disk().open(path)) {
            assertThat(reading.tryLock()).isTrue();
        }
    }

    @Test
    default void shouldSayThatAnotherProgramDeletesWhatIsWritten() throws IOException {
        Path target = write("a", "old");
        try (AtomicFile file = AtomicFile.create(disk(), target)) {
            for (Path each : disk().list(folder())) {
                if (!each.equals(target)) {
                    disk().delete(each);
                }
            }
            failsWith(file::publish, target, "another program deletes it while it is written");
        }
        assertThat(disk().list(folder())).containsExactly(target);
    }

    @Test
    default void shouldMakeFoldersWithThoseAbove() throws IOException {
        Path deep = path("a").resolve("b").resolve("c");
        Disk.createFolders(disk(), deep);
        Disk.createFolders(disk(), deep);
        assertThat(disk().state(deep).type()).isEqualTo(FileState.Type.FOLDER);
        assertThat(disk().list(path("a"))).containsExactly(path("a").resolve("b"));
    }

    /** Each call is made in a thread that is interrupted, and stays so. */
    @Test
    default void shouldOnlyEndWritingInInterruptedThreads() throws IOException {
        Path path = write("a", "text");
        Thread.currentThread().interrupt();
        try (DiskFile file = disk().create(path("b"), path("b"));
                DiskFile temporary = new Scratch(disk(), folder()).create();
                DiskFile reading = disk().open(path)) {
            assertThat(file.tryLock()).isTrue();
            failsWith(() -> file.write(ByteBuffer.allocate(1), 0), path("b"), "interrupted");
            failsWith(() -> temporary.write(ByteBuffer.allocate(1), 0), folder(), "interrupted");
            file.force();
            assertThat(file.size()).isZero();
            assertThat(bytes(reading)).asString().isEqualTo("text");
        }
        disk().rename(path("b"), path);
        disk().force(folder());
        disk().createFolder(path("folder"));
        disk().delete(path);
        assertThat(disk().list(folder())).containsExactly(path("folder"));
        assertThat(Thread.interrupted()).isTrue();
    }

    @AfterEach
    default void calm() {
        Thread.interrupted();
    }
}
