package io.github.senderwhitelist.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.disk.FaultyDisk.Call;
import io.github.senderwhitelist.disk.FaultyDisk.Fault;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

class AtomicFileTest {
    private static final Path TARGET = Path.of("/folder/target");
    private static final byte[] OLD = {1};
    private static final byte[] NEW = {2, 3};

    private final MemoryDisk memory = new MemoryDisk();
    private final FaultyDisk disk = new FaultyDisk(memory);

    @BeforeEach
    void old() {
        memory.put(TARGET, OLD);
    }

    private void replace() throws IOException {
        try (AtomicFile file = AtomicFile.of(disk, TARGET)) {
            file.file().writeFully(ByteBuffer.wrap(NEW), 0);
            file.publish();
        }
    }

    @Test
    void shouldForceBytesThenRenameThenForceTheFolder() throws IOException {
        disk.arm(null, 0, false);
        replace();
        assertThat(memory.bytes(TARGET)).isEqualTo(NEW);
        assertThat(disk.calls())
                .containsExactly(
                        Call.CREATE,
                        Call.LOCK,
                        Call.STATE,
                        Call.WRITE,
                        Call.FORCE,
                        Call.RENAME,
                        Call.FORCE_FOLDER,
                        Call.CLOSE);
    }

    @ParameterizedTest
    @CsvSource({"0, ERROR", "3, ERROR", "3, FULL", "4, ERROR", "5, ERROR"})
    void shouldLeaveTheOldFileAndNothingElse(int call, Fault fault) throws IOException {
        disk.arm(fault, call, false);
        String reason = fault == Fault.FULL ? FaultyDisk.FULL : FaultyDisk.ERROR;
        assertThatThrownBy(this::replace).hasMessage(TARGET + ": " + reason);
        assertThat(memory.bytes(TARGET)).isEqualTo(OLD);
        assertThat(memory.names()).containsExactly(TARGET);
        assertThat(memory.openFiles()).isEmpty();
    }

    /**
     * Some systems cannot lock files, or force folders; a failure to close has no effect any more.
     */
    @ParameterizedTest
    @CsvSource({"1", "2", "6", "7"})
    void shouldSucceedOnceTheFileIsInItsPlace(int call) throws IOException {
        disk.arm(Fault.ERROR, call, false);
        replace();
        assertThat(memory.bytes(TARGET)).isEqualTo(NEW);
        assertThat(memory.openFiles()).isEmpty();
    }

    private boolean add(Path target) throws IOException {
        try (AtomicFile file = AtomicFile.of(disk, target)) {
            file.file().writeFully(ByteBuffer.wrap(NEW), 0);
            return file.publishIfAbsent();
        }
    }

    @Test
    void shouldNotTakeThePlaceOfAnotherFileUnlessTold() throws IOException {
        Path other = TARGET.resolveSibling("other");
        assertThat(add(TARGET)).isFalse();
        assertThat(add(other)).isTrue();
        assertThat(memory.bytes(TARGET)).isEqualTo(OLD);
        assertThat(memory.bytes(other)).isEqualTo(NEW);
        assertThat(memory.names()).containsExactly(other, TARGET);
    }

    @ParameterizedTest
    @CsvSource({"0, ERROR", "3, ERROR", "3, FULL", "4, ERROR", "5, ERROR"})
    void shouldAddNoFileThatIsNotWhole(int call, Fault fault) {
        Path other = TARGET.resolveSibling("other");
        disk.arm(fault, call, false);
        assertThatThrownBy(() -> add(other)).hasMessageStartingWith(other + ": ");
        assertThat(memory.names()).containsExactly(TARGET);
        assertThat(memory.openFiles()).isEmpty();
    }

    @Test
    void shouldSayWhenItIsAlwaysDeletedAtOnce() {
        Disk deleting =
                new ForwardingDisk(memory) {
                    @Override
                    public DiskFile create(Path file, @Nullable Path like) throws IOException {
                        DiskFile created = super.create(file, like);
                        super.delete(file);
                        return created;
                    }
                };
        assertThatThrownBy(() -> AtomicFile.of(deleting, TARGET))
                .hasMessage(TARGET + ": another program deletes it while it is written");
        assertThat(memory.openFiles()).isEmpty();
    }
}
