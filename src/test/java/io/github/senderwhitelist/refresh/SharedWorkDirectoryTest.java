package io.github.senderwhitelist.refresh;

import static io.github.senderwhitelist.refresh.ListFiles.isListed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.ForwardingDisk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/** Several users of one list file and one work directory, in one server or in two. */
class SharedWorkDirectoryTest {
    private static final int EDITS = 25;

    @TempDir Path folder;
    private final List<String> refusals = Collections.synchronizedList(new ArrayList<>());

    private ListSettings settings(double maxShrink, long cacheSize) {
        return builder().maxShrink(maxShrink).cacheSize(cacheSize).settings();
    }

    private ListSettingsBuilder builder() {
        return new ListSettingsBuilder(folder.resolve("whitelist.txt"), folder.resolve("work"))
                .reloadInterval(Duration.ofMillis(100));
    }

    private void write(int edit) throws IOException {
        StringBuilder text = new StringBuilder("edit" + edit + "@example.com\n");
        for (int i = 0; i < 20_000; i++) {
            text.append("user").append(i).append("@example.com\n");
        }
        Path other = Files.writeString(folder.resolve("other"), text);
        Files.move(other, folder.resolve("whitelist.txt"), StandardCopyOption.REPLACE_EXISTING);
    }

    /** Two that take the same file in the work directory, as two servers do, and a third beside. */
    @Test
    void shouldAllFollowEveryEdit() throws Exception {
        write(0);
        List<FileList> lists = new ArrayList<>();
        for (ListSettings settings :
                List.of(settings(0.5, 1000), settings(0.5, 5000), settings(0.25, 1000))) {
            lists.add(ListFiles.open(settings, ListFiles.refusalsTo(refusals)));
        }
        try {
            for (int edit = 1; edit <= EDITS; edit++) {
                String sender = "edit" + edit + "@example.com";
                write(edit);
                // Far less than the time after which a failure would be tried again.
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> lists.stream().allMatch(list -> isListed(list, sender)));
            }
        } finally {
            for (FileList list : lists) {
                list.close();
            }
        }
        assertThat(refusals).isEmpty();
    }

    /** Between building and opening, another server puts the snapshot of an older list there. */
    @Test
    void shouldNotServeWhatAnotherServerPutInPlaceOfItsOwnSnapshot() throws IOException {
        Path file = Files.writeString(folder.resolve("whitelist.txt"), "old@example.com\n");
        ListFiles.refresher(settings(1, 10), ListFiles.refusalsTo(refusals)).close();
        Path old = Files.copy(list(folder.resolve("work")).getFirst(), folder.resolve("old"));
        Files.writeString(file, "new@example.com\n");
        Disk disk =
                new ForwardingDisk(Disk.LOCAL) {
                    @Override
                    public void rename(Path from, Path to) throws IOException {
                        super.rename(from, to);
                        if (Files.exists(old)) {
                            Files.move(old, to, StandardCopyOption.REPLACE_EXISTING);
                        }
                    }
                };
        FileList refresher =
                new FileList(
                        settings(1, 10),
                        disk,
                        ListFiles.IMPATIENT,
                        ListFiles.refusalsTo(refusals),
                        new ListCounters());
        assertThat(old).doesNotExist();
        assertThat(isListed(refresher, "old@example.com")).isFalse();
        assertThat(isListed(refresher, "new@example.com")).isTrue();
        assertThat(refusals).isEmpty();
        refresher.close();
    }

    /** A list that one user held back must not come into force there because another took it. */
    @Test
    void shouldNotTakeOverWhatAnotherWithOtherParametersTook() throws IOException {
        Path file = folder.resolve("whitelist.txt");
        Files.writeString(file, "a@e.com\nb@e.com\nc@e.com\nd@e.com\n");
        ListFiles.refresher(settings(0.1, 10), ListFiles.refusalsTo(refusals)).close();
        ListFiles.refresher(settings(1, 10), ListFiles.refusalsTo(refusals)).close();
        Files.writeString(file, "a@e.com\n");
        ListFiles.refresher(settings(1, 10), ListFiles.refusalsTo(refusals)).close();
        FileList careful = ListFiles.refresher(settings(0.1, 10), ListFiles.refusalsTo(refusals));
        assertThat(careful.current().header().entries()).isEqualTo(4);
        careful.close();
        assertThat(refusals).singleElement().asString().contains("only 1 entries after 4");
    }

    /** All that decides what is in a snapshot, and nothing that does not. */
    @Test
    void shouldHaveAFileForEachSetOfParametersThatDecideWhatIsInIt() throws IOException {
        Files.writeString(folder.resolve("whitelist.txt"), "a@e.com\nb@e.com\n");
        BuildOptions larger = new BuildOptions(FilterKind.BLOCKED, FilterSize.ofRate(1e-5));
        BuildOptions another = new BuildOptions(FilterKind.RIBBON, FilterSize.ofRate(1e-4));
        List<ListSettings> all =
                List.of(
                        settings(0.5, 10),
                        settings(0.5, 20),
                        settings(0.6, 10),
                        builder().build(larger).settings(),
                        builder().build(another).settings(),
                        builder().filtersAlone().settings());
        for (int round = 0; round < 2; round++) {
            for (ListSettings settings : all) {
                ListFiles.refresher(settings, ListFiles.refusalsTo(refusals)).close();
            }
            assertThat(list(folder.resolve("work"))).hasSize(5);
        }
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }
}
