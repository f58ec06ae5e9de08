package io.github.senderwhitelist.refresh;

import static io.github.senderwhitelist.refresh.SteppedList.check;
import static io.github.senderwhitelist.refresh.SteppedList.isListed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * The ways in which people and programs save a file, with the real thing: files, processes, and
 * lists that follow them by themselves. Somebody asks all the time; a sender in both lists is never
 * without an answer, and no list but the old and the new becomes active.
 */
class SavingTest extends ListTest {
    private static final String KEPT = "kept@example.com";
    private static final String NEVER = "never@example.com";
    private static final List<String> OLD = lines("old", 10);
    private static final List<String> NEW = lines("new", 12);

    private @Nullable FileList list;
    private @Nullable Thread asking;
    private volatile boolean stop;
    private final List<String> events = Collections.synchronizedList(new ArrayList<>());
    private final List<String> wrong = Collections.synchronizedList(new ArrayList<>());

    private static List<String> lines(String name, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> i == 0 ? KEPT : name + i + "@example.com")
                .toList();
    }

    @AfterEach
    void stop() throws InterruptedException {
        stop = true;
        if (asking != null) {
            asking.join();
        }
        if (list != null) {
            list.close();
        }
        assertThat(wrong).isEmpty();
    }

    /** Follows the file, and has somebody ask ten thousand times a second. */
    private FileList follow() throws IOException {
        FileList followed = SteppedList.follow(settings().settings(), events);
        list = followed;
        asking = new Thread(() -> ask(followed));
        asking.start();
        return followed;
    }

    private void ask(FileList followed) {
        while (!stop && wrong.isEmpty()) {
            Verdict kept = check(followed, KEPT);
            Verdict never = check(followed, NEVER);
            if (!(kept instanceof Listed) || !(never instanceof NotListed)) {
                wrong.add(kept + " " + never);
            }
            LockSupport.parkNanos(100_000);
        }
    }

    /** Waits until the new list is active. The listener is called when it is active already. */
    private void awaitNew(FileList list) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> outcomes().getLast().startsWith("loaded 12"));
        assertThat(NEW).allMatch(sender -> isListed(list, sender));
        assertThat(OLD.stream().skip(1)).noneMatch(sender -> isListed(list, sender));
    }

    private List<String> outcomes() {
        synchronized (events) {
            return events.stream().filter(event -> !event.startsWith("warned")).toList();
        }
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (InputStream output = process.getInputStream()) {
            String said = new String(output.readAllBytes(), UTF_8);
            assertThat(process.waitFor()).as(said).isZero();
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    rename     | mv old list                      | mv new list
                    copy over  | mv old list                      | cp new list
                    time back  | mv old list                      | touch -d @1 new; cp -p new list
                    vi         | mv old list                      | mv list b; cat new > list; rm b
                    Kubernetes | ln -s old ..d; ln -s ..d list    | ln -s new t; mv -T t ..d; rm old
                    append     | head -5 new > list               | tail -n +6 new >> list
                    """)
    void shouldTakeAListThatIsSaved(String way, String before, String save) throws Exception {
        file = folder.resolve("list");
        Files.write(folder.resolve("old"), OLD);
        Files.write(folder.resolve("new"), NEW);
        run("sh", "-c", "cd " + folder + " && " + before);
        FileList followed = follow();
        run("sh", "-c", "cd " + folder + " && " + save);
        awaitNew(followed);
        assertThat(outcomes()).as(way).hasSize(2).last().isEqualTo("loaded 12 built");
    }

    /** Byte by byte and for a while half the one and half the other, and asked all the time. */
    @Test
    void shouldAnswerAllTheTimeWhileASnapshotIsOverwrittenInPlace() throws Exception {
        file = folder.resolve("whitelist.swl");
        Path before = snapshot(OLD.toArray(String[]::new));
        Path after = snapshot(NEW.toArray(String[]::new));
        Files.copy(before, file);
        FileList followed = follow();
        byte[] bytes = Files.readAllBytes(after);
        assertThat(Files.size(file)).isEqualTo(bytes.length);
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "rw")) {
            for (int at = 0; at < bytes.length; at += 1000) {
                in.seek(at);
                in.write(bytes, at, Math.min(1000, bytes.length - at));
                Thread.sleep(20);
            }
        }
        awaitNew(followed);
        run("cp", before.toString(), file.toString());
        await().atMost(Duration.ofSeconds(30)).until(() -> isListed(followed, OLD.getLast()));
        assertThat(isListed(followed, NEW.getLast())).isFalse();
    }
}
