package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.living.EntryTable.Target;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.TestLivingLists;
import io.github.senderwhitelist.tools.Extent;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What every database must do when it is put back to an older state: no server goes on with what it
 * knew. Some changes are lost by that, and others are made since, whose numbers may be those of the
 * lost ones. What is checked are the verdicts of servers, and a copy of each list from every moment
 * on.
 *
 * @param <W> the ways to back a database up and put it back
 */
abstract class RestoreContract<W> {
    static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** Their changes have numbers of one sequence, or are in transactions of one sequence. */
    private static final List<String> LISTS = List.of("other", "vip");

    private static final int OLD = 20;
    private static final int LOST = 6;

    @TempDir private Path kept;
    private @Nullable Database command;
    private final List<Server> servers = new ArrayList<>();

    /** How many changes are made since, compared with the lost ones. */
    enum Since {
        FEWER(2),
        AS_MANY(LOST),
        MORE(LOST + 3);

        private final int changes;

        Since(int changes) {
            this.changes = changes;
        }
    }

    /**
     * One case.
     *
     * @param running whether the servers run while the database is put back
     * @param servers how many servers
     */
    record Case<W>(W way, boolean running, int servers, Since since) {}

    /** Returns the possible cases: a quarter of them, or in the long form of the tests all. */
    static <W> List<Case<W>> cases(W[] ways, Predicate<Case<W>> isPossible) {
        List<Case<W>> all = new ArrayList<>();
        for (W way : ways) {
            for (boolean running : new boolean[] {false, true}) {
                for (int servers = 1; servers <= 2; servers++) {
                    for (Since since : Since.values()) {
                        all.add(new Case<>(way, running, servers, since));
                    }
                }
            }
        }
        all.removeIf(isPossible.negate());
        int step = Extent.of(4, 1);
        List<Case<W>> some =
                IntStream.range(0, all.size())
                        .filter(i -> i % step == 0)
                        .mapToObj(all::get)
                        .toList();
        assertThat(some).extracting(Case::way).contains(ways);
        assertThat(some).extracting(Case::running).contains(false, true);
        assertThat(some).extracting(Case::servers).contains(1, 2);
        assertThat(some).extracting(Case::since).contains(Since.values());
        return some;
    }

    /** A backup that can be put back. */
    @FunctionalInterface
    interface Backup {
        void putBack() throws Exception;
    }

    /** Opens the database. */
    abstract Database open() throws IOException;

    /** Backs up what is there now. */
    abstract Backup backUp(W way) throws Exception;

    /** Lets other programs write until what numbers the changes is not behind the lost ones. */
    void letOthersWrite() throws Exception {}

    private static final class Server {
        private final Database database;
        private final LivingList list;
        private final Told told = new Told();

        Server(Database database, Path kept) {
            this.database = database;
            this.list =
                    TestLivingLists.open(
                            database.table("vip"),
                            "vip",
                            kept,
                            Duration.ofMillis(20),
                            Duration.ofMinutes(1),
                            told);
        }

        /** Waits until it knows all changes that were made before. */
        void catchUp() {
            long start = System.nanoTime();
            await().until(() -> System.nanoTime() - list.staleness().toNanos() - start > 0);
            await().until(() -> !list.status().behind());
        }

        /** Returns the lines of each sender, as far as it knows. */
        Map<String, List<String>> lines(List<String> senders) throws Exception {
            Map<String, List<String>> found = new TreeMap<>();
            SenderLines lines = list.current();
            for (String sender : senders) {
                Entry entry =
                        lines.mightContainAddress(key(sender))
                                ? lines.find(key(sender), null)
                                : null;
                if (entry != null) {
                    found.put(sender, entry.lines());
                }
            }
            return found;
        }

        void close() throws IOException {
            list.close();
            database.close();
        }
    }

    private Path base(int server) {
        return kept.resolve(server + ".base");
    }

    private void start(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            servers.add(new Server(open(), base(i)));
        }
    }

    /** Stops the servers, and leaves each with a base of what it knows now. */
    private void keepLatest() throws IOException {
        int count = servers.size();
        stop();
        for (int i = 0; i < count; i++) {
            Files.delete(base(i));
        }
        start(count);
        servers.forEach(Server::catchUp);
        stop();
    }

    private void stop() throws IOException {
        for (Server server : servers) {
            server.close();
        }
        servers.clear();
    }

    private Database command() throws IOException {
        if (command == null) {
            command = open();
        }
        return command;
    }

    private void endCommand() throws IOException {
        if (command != null) {
            command.close();
            command = null;
        }
    }

    @AfterEach
    void close() throws IOException {
        stop();
        endCommand();
    }

    /** Runs something while nothing of the database is open. */
    void whileClosed(Backup some) throws Exception {
        int count = servers.size();
        stop();
        endCommand();
        some.putBack();
        start(count);
    }

    /** What changes entries. */
    @FunctionalInterface
    private interface Editor {
        Object update(List<Target> targets, UnaryOperator<List<Rule>> change, String who)
                throws IOException;
    }

    private static String address(String name, int i) {
        return name + i + "@example.com";
    }

    /** Puts an entry, removes one, or says something else in one. */
    private static void change(Editor editor, String name, int i, int old) throws IOException {
        String sender = address(i % 3 == 0 ? name : "old", i % 3 == 0 ? i : old);
        List<Rule> rules = i % 3 == 1 ? List.of() : entry(sender + " note=" + name).rules();
        editor.update(
                List.of(new Target(Origin.ADMIN, key(sender), null)), before -> rules, "admin");
    }

    /** Makes some changes, by whatever is open. */
    private void changeSince(int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            List<Editor> editors = new ArrayList<>();
            String list = LISTS.get(1 - i / 3 % 2);
            editors.add(command().table(list)::update);
            if (list.equals("vip")) {
                servers.forEach(server -> editors.add(server.list::update));
            }
            change(editors.get(i % editors.size()), "new", i, LOST + i);
        }
    }

    private static List<String> senders() {
        return Stream.of("old", "lost", "new")
                .flatMap(name -> IntStream.range(0, OLD).mapToObj(i -> address(name, i)))
                .toList();
    }

    private void requireKnown(List<ListCopy> copies) throws IOException {
        for (String list : LISTS) {
            Map<String, List<String>> there = ListCopy.of(command(), list).lines();
            assertThat(copies)
                    .filteredOn(copy -> copy.list().equals(list))
                    .isNotEmpty()
                    .extracting(ListCopy::lines)
                    .allSatisfy(lines -> assertThat(lines).isEqualTo(there));
        }
    }

    private void requireKnownToServers() throws Exception {
        Map<String, List<String>> there = ListCopy.of(command(), "vip").lines();
        for (Server server : servers) {
            server.catchUp();
            assertThat(server.lines(senders())).isEqualTo(there);
        }
    }

    /** Adds copies of this moment: brought up to date by the feed, and read as a whole. */
    private void addCopies(List<ListCopy> copies, List<ListCopy> following) throws IOException {
        for (ListCopy each : following) {
            each.update(command());
            copies.add(each.copy());
            copies.add(ListCopy.of(command(), each.list()));
        }
    }

    private void updateAll(List<ListCopy> copies) throws IOException {
        for (ListCopy copy : copies) {
            copy.update(command());
        }
        requireKnown(copies);
    }

    private Backup backUpAndGoOn(Case<W> tried, List<ListCopy> copies) throws Exception {
        List<ListCopy> following = new ArrayList<>();
        for (String list : LISTS) {
            following.add(ListCopy.of(command(), list));
        }
        addCopies(copies, following);
        List<Entry> old = IntStream.range(0, OLD).mapToObj(i -> entry(address("old", i))).toList();
        for (String list : LISTS) {
            command().table(list).putAll(old, "admin");
        }
        start(tried.servers);
        Backup backup = backUp(tried.way);
        addCopies(copies, following);
        for (int i = 0; i < LOST; i++) {
            change(command().table(LISTS.get(i / 3))::update, "lost", i, i);
            addCopies(copies, following);
        }
        return backup;
    }

    private void changeSince(Since since) throws Exception {
        int half = since.changes / 2;
        changeSince(0, half);
        if (since == Since.MORE) {
            letOthersWrite();
        }
        changeSince(half, since.changes);
        if (since == Since.AS_MANY) {
            letOthersWrite();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldBeNoticed(Case<W> tried) throws Exception {
        List<ListCopy> copies = new ArrayList<>();
        Backup backup = backUpAndGoOn(tried, copies);
        requireKnownToServers();
        endCommand();
        if (!tried.running) {
            keepLatest();
        }
        servers.forEach(server -> server.told.all.clear());

        backup.putBack();
        servers.forEach(Server::catchUp);
        List<ListCopy> updatedTwice = copies.stream().map(ListCopy::copy).toList();
        updateAll(updatedTwice);
        changeSince(tried.since);
        updateAll(updatedTwice);
        updateAll(copies);

        if (!tried.running) {
            start(tried.servers);
        }
        requireKnownToServers();
        List<Server> ended = List.copyOf(servers);
        stop();
        for (Server server : ended) {
            if (tried.running) {
                assertThat(server.told.all).contains("lost", "built");
            } else {
                assertThat(server.told.all).containsExactly("lost", "built");
            }
        }
    }
}
