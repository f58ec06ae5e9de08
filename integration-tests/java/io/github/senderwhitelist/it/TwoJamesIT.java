package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.SAM;
import static io.github.senderwhitelist.it.JamesServer.patiently;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.database.Postgres;
import io.github.senderwhitelist.tools.RacedSender;
import io.github.senderwhitelist.tools.RacedSender.Change;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Two whole James 3.8.1 with a list in one PostgreSQL, which is killed in between. Writers put and
 * remove entries through WebAdmin of both, while both are asked by WebAdmin and by mails that go
 * all the way to a mailbox. No answer may be wrong by the model: a server knows its own changes at
 * once, and those of the other at the latest after {@code maxStaleness}.
 *
 * <p>{@code -Dit.checks=100000} asks more often.
 */
class TwoJamesIT {
    private static final int SENDERS = 200;
    private static final int CHECKS = Integer.getInteger("it.checks", 20_000);
    private static final int CHANGES = CHECKS / 100;
    private static final int WRITERS = 4;
    private static final Duration STALENESS = Duration.ofSeconds(2);
    private static final Pattern VERDICT = Pattern.compile("\"verdict\":\"([a-z-]+)\"");

    @TempDir private Path folder;

    private final List<James38> servers = new ArrayList<>();
    private final List<RacedSender> senders = new ArrayList<>();
    private final AtomicInteger changes = new AtomicInteger();
    private final AtomicInteger decided = new AtomicInteger();

    /** When the database was killed; the greatest number while no server is behind. */
    private final AtomicLong lastPolls = new AtomicLong(Long.MAX_VALUE);

    private final AtomicInteger mails = new AtomicInteger();
    private final Semaphore due = new Semaphore(0);
    private final List<String> wrong = new CopyOnWriteArrayList<>();

    @SuppressWarnings("NullAway.Init") // started before each test
    private Postgres postgres;

    @RegisterExtension
    final LogOnFailure logOnFailure =
            new LogOnFailure(
                    () -> servers.stream().map(James38::log).collect(Collectors.joining("\n\n")));

    @AfterEach
    void stop() throws IOException {
        servers.forEach(James38::close);
        postgres.close();
    }

    private void startAll() throws Exception {
        postgres = new Postgres(folder);
        postgres.start();
        for (String name : List.of("two-james-a", "two-james-b")) {
            ServerDirectory directory =
                    ServerDirectory.create(Path.of("target/it", name), James38.JAR);
            Files.writeString(
                    directory.conf("whitelists.xml"),
                    """
                    <whitelists>
                      <whitelist name="own">
                        <source>%s</source>
                        <user>postgres</user>
                        <password>x</password>
                        <pollInterval>500ms</pollInterval>
                        <maxStaleness>%ss</maxStaleness>
                      </whitelist>
                    </whitelists>
                    """
                            .formatted(postgres.url("public"), STALENESS.toSeconds()));
            servers.add(new James38(directory, James38.Ports.free(), null));
        }
        for (James38 server : servers) {
            server.awaitReady();
            server.withUsers();
        }
        for (int i = 0; i < SENDERS; i++) {
            RacedSender sender = RacedSender.of("s" + i + "@stranger.example");
            Change change = sender.begin(servers.getFirst(), i % 2 == 0);
            if (change.listed()) {
                assertThat(isMade(servers.getFirst(), sender.address(), true)).isTrue();
            }
            change.end();
            senders.add(sender);
        }
        patiently().until(() -> agrees(servers.getLast()));
    }

    /** Makes a change, and returns whether the server has acknowledged it. */
    private static boolean isMade(James38 server, String sender, boolean listed)
            throws IOException, InterruptedException {
        String method = listed ? "PUT" : "DELETE";
        String body = listed ? "{}" : "";
        return server.webAdmin(method, "/whitelists/own/entries/" + sender, body).statusCode()
                < 300;
    }

    private static String verdict(James38 server, String sender)
            throws IOException, InterruptedException {
        String body = server.webAdmin("/whitelists/explain?sender=" + sender);
        Matcher verdict = VERDICT.matcher(body);
        return verdict.find() ? verdict.group(1) : body;
    }

    /** Changes its own share of the senders, each on any server, until all changes are made. */
    private Void write(int writer) throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(writer);
        while (true) {
            due.acquire();
            if (changes.getAndIncrement() >= CHANGES) {
                return null;
            }
            RacedSender sender = senders.get(random.nextInt(SENDERS / WRITERS) * WRITERS + writer);
            James38 server = servers.get(random.nextInt(servers.size()));
            Change change = sender.begin(server, !sender.isListed());
            while (!isMade(server, sender.address(), change.listed())) {
                // The database is gone. It may have been changed or not, so try again.
                Thread.sleep(50);
            }
            change.end();
        }
    }

    private boolean goesOn() {
        return decided.get() < CHECKS || changes.get() < CHANGES;
    }

    /** Asks one server until enough was asked and all changes were made. */
    private Void check(int checker) throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(100 + checker);
        James38 server = servers.get(checker % servers.size());
        while (goesOn()) {
            if (random.nextInt(10) < 3) {
                String stranger = "x" + random.nextInt(100_000) + "@stranger.example";
                count(stranger, verdict(server, stranger), Set.of("not-listed"));
            } else {
                RacedSender sender = senders.get(random.nextInt(SENDERS));
                long known = known();
                long began = System.nanoTime();
                String verdict = verdict(server, sender.address());
                long ended = System.nanoTime();
                count(sender.address(), verdict, sender.right(server, known, began, ended));
            }
        }
        due.release(CHANGES);
        return null;
    }

    /** Returns a time before which every server knows the changes of the other. */
    private long known() {
        return Math.min(System.nanoTime(), lastPolls.get()) - STALENESS.toNanos();
    }

    private void awaitAll(String status) {
        for (James38 server : servers) {
            patiently().until(() -> server.webAdmin("/whitelists").contains(status));
        }
    }

    private void count(String what, String verdict, Set<String> right) {
        if (!right.contains(verdict)) {
            wrong.add(what + ": " + verdict + ", not " + right + ", check " + decided);
        }
        if (decided.incrementAndGet() % (CHECKS / CHANGES) == 0) {
            due.release();
        }
    }

    /** Sends mails through one server, and looks where they arrive. */
    private Void mail(int number) throws IOException {
        SplittableRandom random = new SplittableRandom(200 + number);
        James38 server = servers.get(number);
        while (goesOn()) {
            RacedSender sender = senders.get(random.nextInt(SENDERS));
            Letter letter = Letter.simple("two servers");
            long known = known();
            long began = System.nanoTime();
            server.send(sender.address(), List.of(SAM), letter);
            Letter arrived = server.arrival(SAM, letter).letter();
            String verdict = arrived.verdict().orElse("no header");
            Set<String> right = sender.right(server, known, began, System.nanoTime());
            if (!right.contains(verdict)) {
                wrong.add("a mail of " + sender.address() + ": " + verdict + ", not " + right);
            }
            mails.incrementAndGet();
        }
        return null;
    }

    private boolean agrees(James38 server) throws IOException, InterruptedException {
        for (RacedSender sender : senders) {
            if (!verdict(server, sender.address())
                    .equals(sender.isListed() ? "listed" : "not-listed")) {
                return false;
            }
        }
        return true;
    }

    @Test
    void bothJudgeByWhatEachKnowsWhileTheDatabaseIsKilled() throws Exception {
        startAll();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                int number = i;
                tasks.add(() -> write(number));
                tasks.add(() -> check(number));
            }
            for (int i = 0; i < servers.size(); i++) {
                int number = i;
                tasks.add(() -> mail(number));
            }
            List<Future<Void>> running = tasks.stream().map(threads::submit).toList();
            patiently().until(() -> changes.get() >= CHANGES / 2);
            lastPolls.set(System.nanoTime());
            postgres.kill();
            awaitAll("\"behind\":true");
            postgres.start();
            awaitAll("\"behind\":false");
            lastPolls.set(Long.MAX_VALUE);
            for (Future<Void> one : running) {
                one.get();
            }
        }
        System.out.printf("%d checks over WebAdmin, %d mails%n", decided.get(), mails.get());
        assertThat(wrong).isEmpty();
        assertThat(mails.get()).isGreaterThan(10);
        for (James38 server : servers) {
            patiently().until(() -> agrees(server));
        }
    }
}
