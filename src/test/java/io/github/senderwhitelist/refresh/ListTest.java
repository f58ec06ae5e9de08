package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.refresh.SteppedList.TestClock;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A list file, its work directory, and lists that follow it step by step. */
abstract class ListTest {
    /** So long must a file stand still that looks unfinished. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Enough for a file that looks whole. */
    static final Duration SOON = Duration.ofSeconds(1);

    @TempDir Path folder;
    Path file;
    Path work;
    TestClock clock;
    private final List<SteppedList> opened = new ArrayList<>();

    @BeforeEach
    void folders() {
        file = folder.resolve("whitelist.txt");
        work = folder.resolve("work");
        clock = new TestClock(null);
    }

    @AfterEach
    void close() {
        opened.forEach(SteppedList::close);
    }

    final ListSettingsBuilder settings() {
        return new ListSettingsBuilder(file, work);
    }

    final SteppedList open() throws IOException {
        return open(settings(), Disk.LOCAL);
    }

    final SteppedList open(ListSettingsBuilder settings, Disk disk) throws IOException {
        SteppedList list = new SteppedList(settings.settings(), disk, clock);
        opened.add(list);
        return list;
    }

    /** Lets a list take its file, however it looks. */
    final void settle(SteppedList list) {
        list.pass(PATIENCE.plus(SOON));
    }

    /** Overwrites the list's file. */
    final void write(String... lines) throws IOException {
        Files.write(file, List.of(lines));
    }

    /** Puts another file in its place. */
    final void put(String... lines) throws IOException {
        put(Files.write(folder.resolve("other"), List.of(lines)));
    }

    final void put(Path other) throws IOException {
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
    }

    static String[] lines(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "user" + i + "@example.com")
                .toArray(String[]::new);
    }

    /** Makes a finished snapshot. */
    final Path snapshot(String... lines) throws IOException {
        SmallLists.snapshot(folder, SmallLists.LOOSE, lines).close();
        return folder.resolve("list-" + String.join("", lines).hashCode() + ".swl");
    }

    final List<Path> inWork() throws IOException {
        try (Stream<Path> files = Files.list(work)) {
            return files.toList();
        }
    }
}
