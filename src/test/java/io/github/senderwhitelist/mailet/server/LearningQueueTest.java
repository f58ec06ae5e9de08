package io.github.senderwhitelist.mailet.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;

import com.google.common.base.Throwables;

import io.github.senderwhitelist.learning.Learner.Learned;
import io.github.senderwhitelist.mailet.TestServer;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Who waits for whom, and how much waits, while a database is slow or fails. */
class LearningQueueTest {
    @RegisterExtension final TestServer server = new TestServer();

    private final LearningQueue queue = new LearningQueue(server.shared.metrics());
    private final CountDownLatch slow = new CountDownLatch(1);
    private final List<String> written = new ArrayList<>();

    @BeforeEach
    void start() {
        server.atTheEnd(queue::close);
        server.atTheEnd(slow::countDown);
    }

    private void add(String user, Callable<Learned> task) {
        queue.add(SmallLists.address(user + "@here.example").key(), 1, task);
    }

    private void write(String user) {
        add(user, () -> new Learned(written.add(user) ? 1 : 0, 0));
    }

    private void fail(Throwable failure) {
        add(
                "sam",
                () -> {
                    Throwables.throwIfInstanceOf(failure, Exception.class);
                    throw (Error) failure;
                });
    }

    /** Lets the thread wait for a slow database. */
    private void stall() {
        add("slow", () -> new Learned(slow.await(1, TimeUnit.HOURS) ? 0 : 1, 0));
    }

    private void goOn() throws Exception {
        slow.countDown();
        TestServer.drain(queue);
    }

    private long counted(String what) {
        return server.metrics.countFor("senderWhitelist.learning." + what);
    }

    @Test
    void queueShouldKeepRoomForOthersWhateverOneUserDoes() throws Exception {
        List<String> log = server.logged(LearningQueue.class, Level.WARN);
        stall();
        for (int i = 0; i < 50_000; i++) {
            write("sam");
        }
        assertThat(counted("failed")).isEqualTo(50_000 - 200);
        assertThat(log)
                .as("the log is not filled")
                .containsExactly(
                        "Not all that users did was learned from; of sam@here.example: too much is"
                                + " waiting to be learned from");
        for (int i = 0; i < 1_000; i++) {
            write("eve" + i);
        }
        goOn();
        assertThat(counted("failed")).isEqualTo(50_000 - 200);
        assertThat(written).hasSize(1_200).startsWith("sam").endsWith("eve999");
        write("sam");
        TestServer.drain(queue);
        assertThat(written).endsWith("sam");
    }

    @Test
    void queueShouldBeBoundedHoweverManyUsersThereAre() throws Exception {
        stall();
        for (int i = 0; i < 100_000; i++) {
            write("user" + i);
        }
        assertThat(counted("failed")).isEqualTo(80_001);
        goOn();
        write("late");
        TestServer.drain(queue);
        assertThat(written).hasSize(20_000).endsWith("late");
    }

    @Test
    void threadShouldGoOnWhenATaskFails() throws Exception {
        fail(new IOException("the database is away"));
        fail(new StackOverflowError());
        fail(new IllegalStateException());
        write("next");
        TestServer.drain(queue);
        assertThat(written).containsExactly("next");
        assertThat(counted("learned")).isEqualTo(1);
        assertThat(counted("failed")).isEqualTo(3);
    }

    @Test
    void closeShouldWriteWhatWaitsAndTakeNoMore() {
        fail(new IOException("the database is away"));
        write("waits");
        TestServer.drain(queue);
        queue.close();
        write("after");
        assertThat(written).containsExactly("waits");
        assertThat(counted("failed")).isEqualTo(2);
    }

    /** What waits behind a database that does not answer ends with the server. */
    @Test
    void closeShouldGiveUpWhatIsNotWrittenInTime() throws Exception {
        stall();
        write("waits");
        queue.drain();
        queue.close();
        slow.countDown();
        await().until(() -> counted("failed") == 1);
        assertThat(written).isEmpty();
    }
}
