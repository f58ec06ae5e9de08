package io.github.senderwhitelist.whitelist;

import static io.github.senderwhitelist.whitelist.ListFiles.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.whitelist.Verdict.Listed;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class RefresherTest {
    @TempDir Path folder;
    private Path file;
    private Path work;
    private final List<String> events = new ArrayList<>();
    private final RefreshListener listener =
            new RefreshListener() {
                @Override
                public void loaded(
                        Path list, SnapshotHeader generation, @Nullable BuildReport report) {
                    events.add("loaded " + generation.entries() + (report == null ? "" : " built"));
                }

                @Override
                public void refused(Path list, String inForce, String reason) {
                    events.add("refused " + reason);
                }
            };

    @BeforeEach
    void folders() {
        file = folder.resolve("whitelist.txt");
        work = folder.resolve("work");
    }

    private void write(String... lines) throws IOException {
        Files.writeString(file, String.join("\n", lines) + "\n");
    }

    private Refresher open() throws IOException {
        return new Refresher(ListFiles.settings(file, work), listener);
    }

    private static boolean listed(Refresher refresher, String sender) {
        return new Whitelist(List.of(refresher), Subaddressing.NONE).check(address(sender))
                instanceof Listed;
    }

    /** Two looks: the first sees a change, the second finds that it stood still. */
    private static void lookTwice(Refresher refresher) {
        refresher.look();
        refresher.look();
    }

    @Test
    void shouldTakeAChangedListWithAllItsRemovals() throws IOException {
        write("alice@example.com", "bob@example.com");
        Refresher refresher = open();
        assertThat(listed(refresher, "alice@example.com")).isTrue();

        write("bob@example.com", "carol@example.com");
        lookTwice(refresher);

        assertThat(listed(refresher, "alice@example.com")).isFalse();
        assertThat(listed(refresher, "bob@example.com")).isTrue();
        assertThat(listed(refresher, "carol@example.com")).isTrue();
        assertThat(events).containsExactly("loaded 2 built", "loaded 2 built");
    }

    @Test
    void shouldNotReadAListThatDoesNotStandStill() throws IOException {
        write("alice@example.com");
        Refresher refresher = open();
        for (int i = 0; i < 5; i++) {
            write("alice@example.com", "bob" + "b".repeat(i) + "@example.com");
            assertThat(refresher.look()).isEqualTo(Refresher.SETTLE);
        }
        assertThat(events).hasSize(1);

        refresher.look();
        assertThat(events).hasSize(2);
    }

    @Test
    void shouldNotBuildAgainWhatItBuiltBefore() throws IOException {
        write("alice@example.com");
        open();
        open();

        assertThat(events).containsExactly("loaded 1 built", "loaded 1");
    }

    @Test
    void shouldNoticeAChangeThatKeepsSizeAndTime() throws IOException {
        write("alice@example.com", "bobby@example.com");
        var time = Files.getLastModifiedTime(file);
        Refresher refresher = open();

        write("alice@example.com", "carol@example.com");
        Files.setLastModifiedTime(file, time);
        lookTwice(refresher);

        assertThat(listed(refresher, "carol@example.com")).isTrue();
        assertThat(listed(refresher, "bobby@example.com")).isFalse();
    }

    static List<byte[]> useless() {
        return List.of(
                new byte[0],
                "# only a comment\n".getBytes(StandardCharsets.UTF_8),
                new byte[] {1, 2, 0, 4},
                "not an address\nneither this\n".getBytes(StandardCharsets.UTF_8),
                new byte[] {(byte) 0x89, 'S', 'W', 'L', '\r', '\n', 0x1a, '\n', 1},
                "a@example.com\n".getBytes(StandardCharsets.UTF_16));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void shouldKeepTheGenerationInForceWhenTheListIsUseless(int which) throws IOException {
        write("alice@example.com", "bob@example.com");
        Refresher refresher = open();

        Files.write(file, useless().get(which));
        lookTwice(refresher);

        assertThat(listed(refresher, "alice@example.com")).isTrue();
        assertThat(events).hasSize(2);
        assertThat(events.getLast()).startsWith("refused " + file);
        refresher.look();
        assertThat(events).as("one line per problem, not per look").hasSize(2);
    }

    @Test
    void shouldKeepTheGenerationInForceWhenTheListIsGoneAndTakeItWhenItIsBack() throws IOException {
        write("alice@example.com");
        Refresher refresher = open();

        Files.delete(file);
        lookTwice(refresher);
        assertThat(listed(refresher, "alice@example.com")).isTrue();
        assertThat(events.getLast()).isEqualTo("refused " + file + ": no such file");

        write("alice@example.com", "bob@example.com");
        lookTwice(refresher);
        assertThat(listed(refresher, "bob@example.com")).isTrue();
    }

    @Test
    void shouldHoldBackAListThatLostTooMuchAlsoAtTheNextStart() throws IOException {
        write("a@example.com", "b@example.com", "c@example.com", "d@example.com");
        Refresher refresher = open();

        write("a@example.com");
        lookTwice(refresher);
        assertThat(listed(refresher, "d@example.com")).isTrue();
        assertThat(events.getLast()).contains("only 1 entries after 4").contains("maxShrink");

        assertThat(listed(open(), "d@example.com")).isTrue();
        assertThat(events.getLast()).startsWith("refused");

        write("a@example.com", "b@example.com");
        lookTwice(refresher);
        assertThat(listed(refresher, "d@example.com")).isFalse();
    }

    @Test
    void shouldStartFromTheLastGoodSnapshotWhenTheListIsUnusable() throws IOException {
        write("alice@example.com");
        open();
        Files.writeString(file, "");

        assertThat(listed(open(), "alice@example.com")).isTrue();
        assertThat(events.getLast()).contains("holds no entries");
    }

    @Test
    void shouldNotStartWithNothing() {
        assertThatThrownBy(this::open)
                .isInstanceOf(IOException.class)
                .hasMessage(file + ": no such file");
    }

    @Test
    void shouldTakeASnapshotAsItIs() throws IOException {
        write("alice@example.com");
        open();
        Path built;
        try (var files = Files.list(work)) {
            built = files.findFirst().orElseThrow();
        }
        file = folder.resolve("whitelist.swl");
        Files.copy(built, file);

        assertThat(listed(open(), "alice@example.com")).isTrue();
        assertThat(events.getLast()).isEqualTo("loaded 1");
    }

    @Test
    void shouldRefuseDenialsWhenTheFilterAloneDecides() throws IOException {
        write("alice@example.com", "!bob@example.com");
        ListSettings exact = ListFiles.settings(file, work);
        ListSettings filterOnly =
                new ListSettings(
                        file,
                        exact.build(),
                        false,
                        0,
                        exact.cacheExpiry(),
                        exact.reloadInterval(),
                        0.5,
                        work);

        assertThatThrownBy(() -> new Refresher(filterOnly, listener))
                .hasMessageContaining("has 1 '!' entries");
    }
}
