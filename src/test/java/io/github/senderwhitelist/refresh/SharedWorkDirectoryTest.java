package io.github.senderwhitelist.refresh;

import static io.github.senderwhitelist.refresh.SteppedList.isListed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FaultyDisk;
import io.github.senderwhitelist.disk.FaultyDisk.Call;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Several users of one list file and one work directory, in one server or in two. */
class SharedWorkDirectoryTest extends ListTest {
    private static final int EDITS = 25;

    private void edit(int edit) throws IOException {
        String[] lines = Arrays.copyOf(lines(20_000), 20_001);
        lines[20_000] = "edit" + edit + "@example.com";
        put(lines);
    }

    /** Two that take the same file in the work directory, as two servers do, and a third beside. */
    @Test
    void shouldAllFollowEveryEdit() throws IOException {
        edit(0);
        List<String> events = Collections.synchronizedList(new ArrayList<>());
        List<FileList> lists = new ArrayList<>();
        for (ListSettingsBuilder each :
                List.of(settings(), settings().cacheSize(5000), settings().maxShrink(0.25))) {
            lists.add(SteppedList.follow(each.settings(), events));
        }
        try {
            for (int edit = 1; edit <= EDITS; edit++) {
                String sender = "edit" + edit + "@example.com";
                edit(edit);
                // Far less than the time after which a failure would be tried again.
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> lists.stream().allMatch(list -> isListed(list, sender)));
            }
        } finally {
            lists.forEach(FileList::close);
        }
        assertThat(events).noneMatch(event -> event.startsWith("refused"));
    }

    /** Before its own snapshot is opened, or after it was put in place. */
    @ParameterizedTest
    @EnumSource(names = {"FORCE_FOLDER", "OPEN"})
    void shouldNotServeWhatAnotherServerPutInPlaceOfItsOwnSnapshot(Call last) throws IOException {
        write("old@example.com");
        open();
        Path own = inWork().getFirst();
        Path old = Files.copy(own, folder.resolve("old"));
        put("new@example.com");
        if (last == Call.OPEN) {
            open();
        }
        Disk disk =
                new FaultyDisk(Disk.LOCAL) {
                    @Override
                    protected void before(Call call, Path path) throws IOException {
                        boolean isOurs = path.equals(work) || path.equals(own);
                        if (call == last && isOurs && Files.exists(old)) {
                            Files.move(old, own, StandardCopyOption.REPLACE_EXISTING);
                        }
                    }
                };
        SteppedList list = open(settings(), disk);
        assertThat(old).doesNotExist();
        assertThat(isListed(list, "old@example.com")).isFalse();
        assertThat(isListed(list, "new@example.com")).isTrue();
        assertThat(list.refusals()).isEmpty();
    }

    /** A list that one user held back must not become active there because another took it. */
    @Test
    void shouldNotTakeOverWhatAnotherWithOtherParametersTook() throws IOException {
        write(lines(4));
        open(settings().maxShrink(0.1), Disk.LOCAL);
        open(settings().maxShrink(1), Disk.LOCAL);
        put(lines(1));
        open(settings().maxShrink(1), Disk.LOCAL);
        SteppedList careful = open(settings().maxShrink(0.1), Disk.LOCAL);
        assertThat(careful.current().header().entries()).isEqualTo(4);
        assertThat(careful.refusals().getLast()).contains("only 1 entries after 4");
    }

    /** All that decides what is in a snapshot, and nothing that does not. */
    @Test
    void shouldHaveAFileForEachSetOfParametersThatDecideWhatIsInIt() throws IOException {
        write(lines(2));
        for (int round = 0; round < 2; round++) {
            for (ListSettingsBuilder each :
                    List.of(
                            settings(),
                            settings().cacheSize(20),
                            settings().maxShrink(0.6),
                            settings().build(options(FilterKind.BLOCKED, 1e-5)),
                            settings().build(options(FilterKind.RIBBON, 1e-4)),
                            settings().filtersAlone())) {
                open(each, Disk.LOCAL);
            }
            assertThat(inWork()).hasSize(5);
        }
    }

    private static BuildOptions options(FilterKind kind, double rate) {
        return new BuildOptions(kind, FilterSize.ofRate(rate));
    }
}
