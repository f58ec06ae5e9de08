package io.github.senderwhitelist.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.github.senderwhitelist.tools.Extent;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;

/**
 * Changes one byte after the other of a snapshot, and puts its checksums right again, as somebody
 * who wants to harm the server would.
 */
@Tag("more")
class ForgedSnapshotTest {
    private static final int BLOCKS = 0;

    /** Only one of so many bytes is changed. */
    private static final int STEP = Extent.of(41, 7, 1);

    /** Ends a loop without end; a change takes a few milliseconds. */
    private static final Duration END = Duration.ofMinutes(5);

    /** The change that is tried now. */
    private volatile String now = "nothing";

    /** Blocks, dictionary and index. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldAnswerOrRefuseInOneLineWhateverByteIsForged(int part) {
        byte[] good = SnapshotFuzz.good(part);
        assertThat(good).hasSizeGreaterThan(10);
        for (int from = 0; from < good.length; from += 1024) {
            int first = from;
            assertTimeoutPreemptively(END, () -> forge(part, good, first), () -> now);
        }
    }

    private void forge(int part, byte[] good, int first) throws Exception {
        int end = Math.min(good.length, first + 1024);
        // The end of a block, or of a section, tells how the rest is read.
        for (int at = first; at < end; at += end - at <= 64 && part == BLOCKS ? 1 : STEP) {
            for (int value : new int[] {good[at] ^ 1 << at % 8, good[at] + 1, 0, 0xff}) {
                if ((byte) value != good[at]) {
                    now = "part " + part + ", byte " + at + " = " + (value & 0xff);
                    try {
                        SnapshotFuzz.fuzzerTestOneInput(SnapshotFuzz.forged(part, at, value));
                    } catch (RuntimeException | Error e) {
                        throw new AssertionError(now, e);
                    }
                }
            }
        }
    }
}
