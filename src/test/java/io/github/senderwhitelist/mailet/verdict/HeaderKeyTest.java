package io.github.senderwhitelist.mailet.verdict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FaultyDisk;
import io.github.senderwhitelist.disk.FaultyDisk.Call;
import io.github.senderwhitelist.disk.FaultyDisk.Fault;
import io.github.senderwhitelist.mailet.TestServer;
import io.github.senderwhitelist.mailet.settings.SettingException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

class HeaderKeyTest {
    private static final int SERVERS = 8;

    @RegisterExtension final TestServer server = new TestServer();
    private final Path folder = server.folder;

    @Test
    void shouldMakeAKeyForTheOwnerAloneAndKeepIt() throws IOException {
        Path work = folder.resolve("var/whitelist");
        HeaderSeal key = HeaderSeal.in(Disk.LOCAL, work);

        assertThat(key.key().getEncoded()).hasSize(32).isNotEqualTo(new byte[32]);
        assertThat(HeaderSeal.in(Disk.LOCAL, work)).isEqualTo(key);
        assertThat(HeaderSeal.in(Disk.LOCAL, folder.resolve("other"))).isNotEqualTo(key);
        assertThat(permissions(work.resolve("header.key"))).isEqualTo("rw-------");
        assertThat(permissions(work)).isEqualTo("rwx------");
        try (var files = Files.list(work)) {
            assertThat(files).containsExactly(work.resolve("header.key"));
        }
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void shouldGiveAllWhoStartAtOnceTheSameKey() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(SERVERS)) {
            for (int round = 0; round < 100; round++) {
                Path work = folder.resolve("round" + round);
                CyclicBarrier start = new CyclicBarrier(SERVERS);
                Callable<HeaderSeal> server =
                        () -> {
                            start.await();
                            return HeaderSeal.in(Disk.LOCAL, work);
                        };
                List<Future<HeaderSeal>> keys = new ArrayList<>();
                for (int i = 0; i < SERVERS; i++) {
                    keys.add(threads.submit(server));
                }
                HeaderSeal first = keys.getFirst().get();
                for (Future<HeaderSeal> key : keys) {
                    assertThat(key.get()).isEqualTo(first);
                }
                try (var files = Files.list(work)) {
                    assertThat(files).containsExactly(work.resolve("header.key"));
                }
            }
        }
    }

    @Test
    void shouldMakeTheKeyOnceThereIsRoomWhenTheDiskWasFull() throws IOException {
        FaultyDisk disk = new FaultyDisk(Disk.LOCAL);
        HeaderSeal.in(disk, folder.resolve("other"));
        disk.arm(Fault.FULL, disk.calls().indexOf(Call.WRITE), true);
        Path work = folder.resolve("work");
        assertThatThrownBy(() -> HeaderSeal.in(disk, work)).hasMessageContaining(FaultyDisk.FULL);
        disk.disarm();
        assertThat(HeaderSeal.in(disk, work)).isEqualTo(HeaderSeal.in(disk, work));
    }

    /** One that is refused may be somebody's, so it stays as it is. */
    @ParameterizedTest
    @ValueSource(ints = {0, 31, 32, 33, 4096, 4097, 100_000})
    void shouldTakeKeysOf32To4096Bytes(int length) throws IOException {
        byte[] key = new byte[length];
        Arrays.fill(key, (byte) 7);
        Path file = Files.write(folder.resolve("header.key"), key);

        if (length >= 32 && length <= 4096) {
            assertThat(HeaderSeal.in(Disk.LOCAL, folder).key().getEncoded()).isEqualTo(key);
        } else {
            assertThatThrownBy(() -> HeaderSeal.in(Disk.LOCAL, folder))
                    .isInstanceOf(IOException.class)
                    .hasMessage(file + ": " + (length > 32 ? "more than 4096" : length) + " bytes");
        }
        assertThat(file).hasBinaryContent(key);
    }

    // Parameters

    /** Starts a mailet with parameters, and returns why it does not start, or nothing. */
    private String startWith(String... parameters) throws Exception {
        server.write("list.txt", "alice@example.com\n");
        try {
            server.mailet("file://list.txt", parameters).destroy();
            return "";
        } catch (SettingException e) {
            assertThat(server.shared.isEmpty()).isTrue();
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void shouldNeedNoKeyWithoutTheHeader() throws Exception {
        assertThat(startWith()).isEmpty();
        assertThat(startWith("header", "off")).isEmpty();
        assertThat(folder.resolve("var/whitelist/header.key")).doesNotExist();
        assertThat(startWith("header", "on")).isEmpty();
        assertThat(folder.resolve("var/whitelist/header.key")).exists();
        assertThat(startWith("header", "on", "workDirectory", "file://here")).isEmpty();
        assertThat(folder.resolve("here/header.key")).exists();
    }

    @Test
    void shouldSayOnOneLineWhatIsWrongWithAKeyAndNotShowIt() throws Exception {
        byte[] secret = HexFormat.of().parseHex("61626364".repeat(7));
        Files.createDirectories(folder.resolve("short"));
        Files.write(folder.resolve("short/header.key"), secret);
        Files.createDirectories(folder.resolve("work/header.key"));
        for (String wrong :
                List.of(
                        "short/header.key: 28 bytes",
                        "work/header.key: a folder; allowed: a file")) {
            String url = "file://" + wrong.substring(0, wrong.indexOf('/'));
            assertThat(startWith("header", "on", "workDirectory", url))
                    .startsWith(
                            "SenderWhitelist: there is no key for seals: "
                                    + folder.resolve(wrong)
                                    + "; allowed: a file of 32 to 4096 bytes, such as of random"
                                    + " ones; it is made in workDirectory");
        }
    }
}
