package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.database.Postgres;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.tools.RacedSender;
import io.github.senderwhitelist.tools.RacedSender.Change;
import io.github.senderwhitelist.tools.SmallLists;

import jakarta.mail.MessagingException;

import org.apache.mailet.AttributeName;
import org.apache.mailet.base.test.FakeMail;
import org.apache.mailet.base.test.FakeMailetConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Two mailet containers with a list in one PostgreSQL database, which is killed in between. Several
 * threads change entries on both, while both judge mails. A model knows when each change began and
 * ended. A change must be active on the container that made it when it has ended, and on the other
 * one when that has looked for changes once after it. Every mail gets a verdict.
 *
 * <p>{@code -Dtest.away=60} keeps the database away for 60 seconds.
 */
@Tag("large")
class TwoContainersTest {
    private static final int SENDERS = 1_000;
    private static final int CHANGES = 1_000;
    private static final int CHECKS = 100_000;
    private static final int AWAY = Integer.getInteger("test.away", 0);
    private static final int WRITERS = 4;
    private static final int CHECKERS = 4;
    private static final int RECENT = 20;

    @TempDir private Path folder;

    private final List<Container> containers = new ArrayList<>();
    private final List<RacedSender> senders = new ArrayList<>();
    private final int[] recent = new int[RECENT];
    private final AtomicInteger changes = new AtomicInteger();
    private final AtomicLong decided = new AtomicLong();
    private final AtomicLong staleness = new AtomicLong();
    private final Semaphore due = new Semaphore(0);
    private final List<String> wrong = new CopyOnWriteArrayList<>();

    @SuppressWarnings("NullAway.Init") // started before each test
    private Postgres postgres;

    /** A James with one mailet. */
    private static final class Container {
        private final SharedLists shared;
        private final SenderWhitelist mailet;
        private final LivingList list;

        Container(Path folder, String url) throws MessagingException {
            shared =
                    TestLists.defined(
                            "<whitelists><whitelist name=\"own\"><source>"
                                    + url
                                    + "</source><user>postgres</user><password>x</password>"
                                    + "<pollInterval>100ms</pollInterval>"
                                    + "<maxStaleness>2s</maxStaleness>"
                                    + "<cacheExpiry>1h</cacheExpiry></whitelist></whitelists>");
            mailet = new SenderWhitelist(new TestFiles(folder), shared);
            mailet.init(FakeMailetConfig.builder().setProperty("whitelist", "own").build());
            list = Objects.requireNonNull(shared.living("own"));
        }

        String verdict(String sender) throws MessagingException {
            FakeMail mail =
                    FakeMail.builder().name("m").sender(sender).recipient("u@here.ex").build();
            mailet.service(mail);
            return mail.getAttribute(AttributeName.of("io.github.senderwhitelist.verdict"))
                    .map(attribute -> (String) attribute.getValue().value())
                    .orElse("-");
        }
    }

    @AfterEach
    void close() throws IOException {
        for (Container container : containers) {
            container.mailet.destroy();
        }
        postgres.close();
    }

    private static void change(Container container, String address, boolean listed)
            throws IOException {
        Entry entry = new Entry(SmallLists.address(address).key(), false);
        if (listed) {
            container.list.put(entry, "test");
        } else {
            container.list.remove(Origin.ADMIN, entry.key(), null, "test");
        }
    }

    private void begin() throws Exception {
        postgres = Postgres.started(folder);
        Container first = new Container(folder, postgres.url("public"));
        containers.add(first);
        for (int i = 0; i < SENDERS; i++) {
            RacedSender sender = RacedSender.of("s" + i + "@example.com");
            Change change = sender.begin(first, i % 2 == 0);
            if (change.listed()) {
                change(first, sender.address(), true);
            }
            change.end();
            senders.add(sender);
        }
        containers.add(new Container(folder, postgres.url("public")));
    }

    /** Changes its own share of the senders, each on any container, until all changes are made. */
    private Void write(int writer) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(writer);
        while (true) {
            due.acquire();
            int number = changes.getAndIncrement();
            if (number >= CHANGES) {
                return null;
            }
            int i = random.nextInt(SENDERS / WRITERS) * WRITERS + writer;
            RacedSender sender = senders.get(i);
            Container container = containers.get(random.nextInt(containers.size()));
            Change change = sender.begin(container, !sender.isListed());
            recent[number % RECENT] = i;
            for (boolean made = false; !made; ) {
                try {
                    change(container, sender.address(), change.listed());
                    change.end();
                    made = true;
                } catch (IOException e) {
                    // The database is gone. It may have been changed or not, so try again.
                    Thread.sleep(10);
                }
            }
        }
    }

    /** Judges mails until enough were judged and all changes were made. */
    private Void check(int checker) throws MessagingException {
        SplittableRandom random = new SplittableRandom(100 + checker);
        Container container = containers.get(checker % containers.size());
        while (decided.get() < CHECKS || changes.get() < CHANGES) {
            int kind = random.nextInt(10);
            if (kind < 3) {
                String verdict = container.verdict("x" + random.nextInt(100_000) + "@example.com");
                count("a stranger", verdict, Set.of("not-listed"));
            } else {
                int i = kind < 6 ? recent[random.nextInt(RECENT)] : random.nextInt(SENDERS);
                check(container, senders.get(i));
            }
        }
        due.release(CHANGES);
        return null;
    }

    private void check(Container container, RacedSender sender) throws MessagingException {
        long before = System.nanoTime();
        long age = container.list.staleness().toNanos();
        staleness.accumulateAndGet(age, Math::max);
        long began = System.nanoTime();
        String verdict = container.verdict(sender.address());
        long ended = System.nanoTime();
        count(sender.address(), verdict, sender.right(container, before - age, began, ended));
    }

    private void count(String what, String verdict, Set<String> right) {
        if (!right.contains(verdict)) {
            wrong.add(what + ": " + verdict + ", not " + right + ", check " + decided);
        }
        if (decided.incrementAndGet() % (CHECKS / CHANGES) == 0) {
            due.release();
        }
    }

    @Test
    void shouldJudgeByWhatEachKnowsWhileTheDatabaseIsKilled() throws Exception {
        begin();
        try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS + CHECKERS)) {
            List<Future<Void>> all = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                int number = i;
                Callable<Void> writer = () -> write(number);
                all.add(threads.submit(writer));
            }
            for (int i = 0; i < CHECKERS; i++) {
                int number = i;
                Callable<Void> checker = () -> check(number);
                all.add(threads.submit(checker));
            }
            await().until(() -> changes.get() >= CHANGES / 2);
            postgres.kill();
            // Until both know that they may have missed changes.
            await().until(() -> containers.stream().allMatch(one -> one.list.status().behind()));
            long before = decided.get();
            TimeUnit.SECONDS.sleep(AWAY);
            System.out.printf("%d checks in %d s without it%n", decided.get() - before, AWAY);
            postgres.start();
            for (Future<Void> one : all) {
                one.get();
            }
        }
        System.out.printf(
                "%d checks, changes of others missed for %d ms at most%n",
                decided.get(), staleness.get() / 1_000_000);
        assertThat(wrong).isEmpty();
        for (Container container : containers) {
            await().until(() -> agrees(container));
        }
    }

    private boolean agrees(Container container) throws MessagingException {
        for (RacedSender sender : senders) {
            if (!container
                    .verdict(sender.address())
                    .equals(sender.isListed() ? "listed" : "not-listed")) {
                return false;
            }
        }
        return true;
    }
}
