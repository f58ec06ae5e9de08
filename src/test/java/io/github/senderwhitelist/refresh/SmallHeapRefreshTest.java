package io.github.senderwhitelist.refresh;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.refresh.SteppedList.TestClock;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.TextSource;
import io.github.senderwhitelist.tools.Builds;
import io.github.senderwhitelist.tools.ChildJava;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A snapshot comes whose filter does not fit into the memory of the server, or not beside another.
 */
@Timeout(300)
class SmallHeapRefreshTest {
    private static final int CHUNK = 1 << 20;

    @TempDir Path folder;

    /**
     * Runs a server with 96 MiB of memory.
     *
     * @param first the MiB of the filter of the first snapshot; 0 for as few as it needs
     * @param next the MiB of the next one's
     */
    @ParameterizedTest
    @CsvSource({
        "0,  256, loaded 2; refused OutOfMemoryError; refused OutOfMemoryError; has 2",
        "48, 48,  loaded 2; refused OutOfMemoryError; loaded 3; has 3"
    })
    void shouldKeepTheLastGoodSnapshotUntilTheNextFits(long first, long next, String said)
            throws Exception {
        snapshot("l.swl", first, "a@b.example\nc@d.example\n");
        snapshot("next", next, "a@b.example\nc@d.example\ne@f.example\n");
        List<String> command = ChildJava.running(SmallHeapRefreshTest.class, "-Xmx96m");
        command.add(folder.toString());
        Process server = new ProcessBuilder(command).redirectErrorStream(true).start();

        assertThat(new String(server.getInputStream().readAllBytes(), UTF_8).lines().toList())
                .as("what the server said")
                .containsExactly(said.split("; "));
        assertThat(server.waitFor()).isZero();
    }

    private void snapshot(String name, long mebibytes, String lines) throws IOException {
        Path text = Files.writeString(folder.resolve("l.txt"), lines);
        Path file = folder.resolve(name);
        Builds.of(options(), 1).build(List.of(TextSource.of(Disk.LOCAL, text)), file);
        if (mebibytes > 0) {
            byte[] snapshot = Files.readAllBytes(file);
            Files.delete(file);
            withLargeFilter(snapshot, file, mebibytes << 20);
        }
    }

    private static BuildOptions options() {
        return new BuildOptions(FilterKind.BLOCKED, FilterSize.ofRate(0.01));
    }

    /** Writes a snapshot with another filter of addresses, all zeros, most of it a hole. */
    private static void withLargeFilter(byte[] snapshot, Path file, long length)
            throws IOException {
        long filterAt = (snapshot.length + 4095) / 4096 * 4096L;
        CRC32C ofZeros = new CRC32C();
        for (long at = 0; at < length; at += CHUNK) {
            ofZeros.update(new byte[CHUNK]);
        }
        ByteBuffer header = ByteBuffer.wrap(snapshot).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(16, filterAt + length);
        header.putLong(136, length * Byte.SIZE);
        header.putLong(232, filterAt).putLong(240, length);
        header.putInt(248, (int) ofZeros.getValue());
        CRC32C ofHeader = new CRC32C();
        ofHeader.update(snapshot, 0, 508);
        header.putInt(508, (int) ofHeader.getValue());
        try (FileChannel out =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            out.write(header, 0);
            out.write(ByteBuffer.allocate(1), filterAt + length - 1);
        }
    }

    /** The server: takes the list, then the next one, and starts again. */
    public static void main(String... arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        Path file = folder.resolve("l.swl");
        ListSettings settings =
                new ListSettingsBuilder(file, folder.resolve("work")).build(options()).settings();
        SteppedList list = start(settings);
        Files.move(folder.resolve("next"), file, StandardCopyOption.REPLACE_EXISTING);
        list.reload();
        say(list);
        list.close();
        list = null; // Its memory is gone with it.
        list = start(settings);
        System.out.println("has " + list.current().header().entries());
    }

    private static SteppedList start(ListSettings settings) throws IOException {
        SteppedList list = new SteppedList(settings, Disk.LOCAL, new TestClock(null));
        say(list);
        return list;
    }

    private static void say(SteppedList list) {
        String said = list.events().getLast();
        System.out.println(said.replaceFirst("(?s):? .*OutOfMemoryError.*", " OutOfMemoryError"));
    }
}
