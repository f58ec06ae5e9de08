package io.github.senderwhitelist.mailet.learned;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.mailet.SteppedThread;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Who waits for whom, and how much waits, while a database is slow or fails. */
class LearningQueueTest {
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(RareWarning.class);

    private final SteppedThread thread = new SteppedThread();
    private final LearningQueue queue = new LearningQueue(LearningQueue.AGAIN, thread);
    private final CountDownLatch slow = new CountDownLatch(1);
    private final List<String> written = new ArrayList<>();
    private final AtomicInteger failed = new AtomicInteger();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    private volatile Duration rest = Duration.ZERO;

    /** Writes a text for a user. */
    private class Text implements LearningQueue.Task {
        private final Key user;
        private final Object about;
        private final String text;
        private int failures;

        Text(String user, Object about, String text, int failures) {
            this.user = SmallLists.address(user + "@here.example").key();
            this.about = about;
            this.text = text;
            this.failures = failures;
        }

        @Override
        public Key user() {
            return user;
        }

        @Override
        public Object about() {
            return about;
        }

        @Override
        public Duration rest() {
            return rest;
        }

        @Override
        public void write() throws IOException {
            if (failures-- > 0) {
                throw new IOException("the database is away");
            }
            written.add(text);
        }

        @Override
        public void failed() {
            failed.incrementAndGet();
        }
    }

    @BeforeEach
    void watch() {
        log.start();
        LOGGER.addAppender(log);
    }

    @AfterEach
    void close() {
        slow.countDown();
        queue.close();
        LOGGER.detachAppender(log);
    }

    private void add(String user, Object about, String text) {
        add(new Text(user, about, text, 0));
    }

    private void add(Text text) {
        Future<?> unused = queue.add(text);
    }

    /** Lets the thread wait for a slow database. */
    private void stall() {
        add(
                new Text("slow", "x", "slow", 0) {
                    @Override
                    public void write() {
                        try {
                            slow.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }
                });
    }

    private void goOn() throws Exception {
        slow.countDown();
        thread.finish();
    }

    @Test
    void queueShouldKeepRoomForOthersWhateverOneUserDoes() throws Exception {
        stall();
        for (int i = 0; i < 50_000; i++) {
            add("sam", i, "sam");
        }
        assertThat(failed).hasValue(50_000 - 200);
        for (int i = 0; i < 1_000; i++) {
            add("eve" + i, 0, "eve");
        }
        goOn();
        assertThat(failed).hasValue(50_000 - 200);
        assertThat(written).hasSize(1_200).startsWith("sam").endsWith("eve");
        add("sam", 0, "sam again");
        thread.finish();
        assertThat(written).endsWith("sam again");
    }

    @Test
    void queueShouldBeBoundedHoweverManyUsersThereAre() throws Exception {
        stall();
        for (int i = 0; i < 100_000; i++) {
            add("user" + i, 0, "text");
        }
        assertThat(failed).hasValue(80_000);
        goOn();
        add("late", 0, "late");
        thread.finish();
        assertThat(written).hasSize(20_001).endsWith("late");
    }

    @Test
    void taskShouldBeWrittenOnceWhenAnEqualOneWaits() throws Exception {
        stall();
        for (int i = 0; i < 50_000; i++) {
            add("sam", "bob", "sam's");
        }
        add("eve", "bob", "eve's");
        goOn();
        assertThat(written).containsExactly("sam's", "eve's");
        assertThat(failed).hasValue(0);
        add("sam", "bob", "again");
        thread.finish();
        assertThat(written).endsWith("again");
    }

    @Test
    void userShouldWaitWhenTheUserHasToRest() throws Exception {
        rest = Duration.ofHours(1);
        add("sam", "bob", "bob");
        add("sam", "jim", "jim");
        thread.finish();
        thread.pass(Duration.ofMinutes(59));
        assertThat(written).isEmpty();
        rest = Duration.ZERO;
        thread.pass(Duration.ofMinutes(1));
        assertThat(written).containsExactly("bob", "jim");
    }

    @Test
    void taskShouldBeTriedOnceMoreWhenItFails() throws Exception {
        add(new Text("sam", "bob", "bob", 1));
        add("sam", "jim", "jim");
        thread.finish();
        assertThat(written).containsExactly("jim");
        thread.pass(LearningQueue.AGAIN);
        assertThat(written).containsExactly("jim", "bob");
        assertThat(failed).hasValue(0);
    }

    @Test
    void taskShouldBeGivenUpWhenItFailsTwice() throws Exception {
        add(new Text("sam", "bob", "never", 2));
        add("sam", "jim", "jim");
        thread.finish();
        thread.pass(LearningQueue.AGAIN);
        assertThat(failed).hasValue(1);
        assertThat(written).containsExactly("jim");
    }

    @Test
    void warningShouldComeOnceAMinuteWithACount() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        RareWarning warning = new RareWarning("It rains", now::get);
        for (int i = 0; i < 300; i++) {
            warning.add("drop " + i);
        }
        now.set(Instant.EPOCH.plusSeconds(59));
        warning.add("drop 300");
        now.set(Instant.EPOCH.plusSeconds(60));
        warning.add("drop 301");
        now.set(Instant.EPOCH.minusSeconds(9_000));
        warning.add("drop 302");
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "It rains (1 since the last such line; the last: drop 0)",
                        "It rains (301 since the last such line; the last: drop 301)",
                        "It rains (1 since the last such line; the last: drop 302)");
    }

    @Test
    void closeShouldWriteAllThatWaits() throws Exception {
        add(new Text("sam", "bob", "bob", 1));
        add(new Text("sam", "jim", "never", 5));
        add("sam", "joe", "joe");
        thread.finish();
        rest = Duration.ofHours(1);
        queue.close();
        assertThat(written).containsExactly("joe", "bob");
        assertThat(failed).hasValue(1);
        add("sam", "bob", "after");
        assertThat(failed).hasValue(2);
    }
}
