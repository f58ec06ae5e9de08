package io.github.senderwhitelist.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.disk.FaultyDisk.Call;
import io.github.senderwhitelist.disk.FaultyDisk.Fault;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
        write(TARGET);
    }

    private void write(Path target) throws IOException {
        try (AtomicFile file = AtomicFile.of(disk, target)) {
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
                        Call.WRITE,
                        Call.FORCE,
                        Call.RENAME,
                        Call.FORCE_FOLDER,
                        Call.CLOSE);
    }

    @ParameterizedTest
    @CsvSource({"0, ERROR", "2, ERROR", "2, FULL", "3, ERROR", "4, ERROR"})
    void shouldLeaveTheOldFileAndNothingElse(int call, Fault fault) throws IOException {
        disk.arm(fault, call, false);
        String reason = fault == Fault.FULL ? FaultyDisk.FULL : FaultyDisk.ERROR;
        assertThatThrownBy(this::replace).hasMessage(TARGET + ": " + reason);
        disk.arm(fault, call, false);
        Path other = TARGET.resolveSibling("other");
        assertThatThrownBy(() -> write(other)).hasMessage(other + ": " + reason);
        assertThat(memory.bytes(TARGET)).isEqualTo(OLD);
        assertThat(memory.names()).containsExactly(TARGET);
        assertThat(memory.openFiles()).isEmpty();
    }

    /**
     * Some systems cannot lock files, or force folders; a failure to close has no effect any more.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 5, 6})
    void shouldSucceedOnceTheFileIsInItsPlace(int call) throws IOException {
        disk.arm(Fault.ERROR, call, false);
        replace();
        assertThat(memory.bytes(TARGET)).isEqualTo(NEW);
        assertThat(memory.openFiles()).isEmpty();
    }

    @Test
    void shouldSayThatAnotherProgramDeletedIt() throws IOException {
        try (AtomicFile file = AtomicFile.of(memory, TARGET)) {
            for (Path name : memory.names()) {
                if (!name.equals(TARGET)) {
                    memory.delete(name);
                }
            }
            assertThatThrownBy(file::publish)
                    .hasMessage(TARGET + ": another program deletes it while it is written");
        }
        assertThat(memory.bytes(TARGET)).isEqualTo(OLD);
    }
}
