package io.github.senderwhitelist.mailet.learned;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;

import io.github.senderwhitelist.learning.Learner.Learned;
import io.github.senderwhitelist.mailet.SteppedThread;
import io.github.senderwhitelist.mailet.TestServer;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;

/** Who waits for whom, and how much waits, while a database is slow or fails. */
class LearningQueueTest {
    @RegisterExtension final TestServer server = new TestServer();

    private final SteppedThread thread = new SteppedThread();
    private final LearningQueue queue = new LearningQueue(server.shared.metrics(), thread);
    private final CountDownLatch slow = new CountDownLatch(1);
    private final List<String> written = new ArrayList<>();

    @BeforeEach
    void start() {
        server.atTheEnd(queue::close);
        server.atTheEnd(slow::countDown);
    }

    private void add(String user, String text, int failures) {
        int[] left = {failures};
        add(
                user,
                () -> {
                    if (left[0]-- > 0) {
                        throw new IOException("the database is away");
                    }
                    written.add(text);
                    return new Learned(1, 0);
                });
    }

    private void add(String user, LearningQueue.Work work) {
        Future<?> unused = queue.add(SmallLists.address(user + "@here.example").key(), 1, work);
    }

    /** Lets the thread wait for a slow database. */
    private void stall() {
        add(
                "slow",
                () -> {
                    try {
                        slow.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return new Learned(0, 0);
                });
    }

    private void goOn() throws Exception {
        slow.countDown();
        thread.finish();
    }

    private long counted(String what) {
        return server.metrics.countFor("senderWhitelist.learning." + what);
    }

    @Test
    void queueShouldKeepRoomForOthersWhateverOneUserDoes() throws Exception {
        stall();
        for (int i = 0; i < 50_000; i++) {
            add("sam", "sam", 0);
        }
        assertThat(counted("failed")).isEqualTo(50_000 - 200);
        for (int i = 0; i < 1_000; i++) {
            add("eve" + i, "eve", 0);
        }
        goOn();
        assertThat(counted("failed")).isEqualTo(50_000 - 200);
        assertThat(written).hasSize(1_200).startsWith("sam").endsWith("eve");
        add("sam", "sam again", 0);
        thread.finish();
        assertThat(written).endsWith("sam again");
    }

    @Test
    void queueShouldBeBoundedHoweverManyUsersThereAre() throws Exception {
        stall();
        for (int i = 0; i < 100_000; i++) {
            add("user" + i, "text", 0);
        }
        assertThat(counted("failed")).isEqualTo(80_001);
        goOn();
        add("late", "late", 0);
        thread.finish();
        assertThat(written).hasSize(20_000).endsWith("late");
    }

    @Test
    void taskShouldBeGivenUpWhenItFails() throws Exception {
        add("sam", "never", 1);
        add("sam", "next", 0);
        thread.finish();
        assertThat(written).containsExactly("next");
        assertThat(counted("learned")).isEqualTo(1);
        assertThat(counted("failed")).isEqualTo(1);
    }

    @Test
    void threadShouldGoOnWhenATaskHasAnError() throws Exception {
        add(
                "sam",
                () -> {
                    throw new StackOverflowError();
                });
        add("sam", "next", 0);
        thread.finish();
        assertThat(written).containsExactly("next");
        assertThat(counted("failed")).isEqualTo(1);
    }

    @Test
    void warningShouldNotFillTheLog() {
        List<String> log = server.logged(LearningQueue.class, Level.WARN);
        stall();
        for (int i = 0; i < 1_000; i++) {
            add("sam", "sam", 0);
        }
        assertThat(log)
                .containsExactly(
                        "Not all that users did was learned from; of sam@here.example: too much is"
                                + " waiting to be learned from");
    }

    @Test
    void closeShouldWriteWhatWaitsAndGiveUpWhatHasFailed() throws Exception {
        add("sam", "failed", 1);
        add("sam", "waits", 0);
        queue.close();
        assertThat(written).containsExactly("waits");
        assertThat(counted("failed")).isEqualTo(1);
        add("sam", "after", 0);
        assertThat(counted("failed")).isEqualTo(2);
    }
}
