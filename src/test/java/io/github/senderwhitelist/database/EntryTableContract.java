package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.EntryTable.Change;
import io.github.senderwhitelist.living.EntryTable.Done;
import io.github.senderwhitelist.living.EntryTable.Effect;
import io.github.senderwhitelist.living.EntryTable.Found;
import io.github.senderwhitelist.living.EntryTable.Share;
import io.github.senderwhitelist.living.EntryTable.Target;
import io.github.senderwhitelist.living.Feed;
import io.github.senderwhitelist.living.FeedPosition;
import io.github.senderwhitelist.living.PastChange;
import io.github.senderwhitelist.tools.Extent;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What every database must do. */
abstract class EntryTableContract {
    static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final List<Database> others = new ArrayList<>();
    private Database database;
    EntryTable table;

    /** Opens the database of this test, which is empty when it is opened first. */
    abstract Database open() throws IOException;

    /** Returns a connection to the same tables. */
    abstract Connection plain() throws SQLException;

    @BeforeEach
    void openTable() throws IOException {
        database = open();
        table = database.table("vip");
    }

    /** Returns the table in another database, which is closed in the end. */
    EntryTable tableOf(Database other) {
        others.add(other);
        return other.table("vip");
    }

    @AfterEach
    void closeOthers() throws IOException {
        for (Database other : others) {
            other.close();
        }
    }

    @AfterEach
    void closeTable() throws IOException {
        table.close();
        database.close();
    }

    void run(String sql) throws SQLException {
        try (Connection connection = plain()) {
            Sql.run(connection, sql);
        }
    }

    private Effect put(String... lines) throws IOException {
        return table.put(entry(lines), "admin").effect();
    }

    private Effect remove(Origin origin, String sender, @Nullable String to) throws IOException {
        return table.remove(origin, key(sender), to == null ? null : key(to), "admin").effect();
    }

    private static Done remove(EntryTable table, Target target) throws IOException {
        return table.remove(target.origin(), target.sender(), target.to(), "admin");
    }

    private static List<Effect> effects(List<Done> done) {
        return done.stream().map(Done::effect).toList();
    }

    private @Nullable Entry find(String sender, @Nullable String to) throws IOException {
        return table.find(key(sender), to == null ? null : key(to));
    }

    private List<Entry> all() throws IOException {
        List<Entry> all = new ArrayList<>();
        table.forEach(all::add);
        return all;
    }

    private static Feed known(@Nullable Feed feed) {
        return Objects.requireNonNull(feed, "the position is not known");
    }

    private List<String> changed(FeedPosition after) throws IOException {
        return known(Feed.of(table, after)).changes().stream()
                .map(change -> change.sender().toString())
                .toList();
    }

    @Test
    void shouldReportWhatAChangeDid() throws IOException {
        assertThat(put("a@example.com")).isEqualTo(Effect.CREATED);
        assertThat(put("a@example.com")).isEqualTo(Effect.NONE);
        assertThat(put("!a@example.com")).isEqualTo(Effect.REPLACED);
        assertThat(put("!a@example.com", "a@example.com auth=spf")).isEqualTo(Effect.REPLACED);
        assertThat(put("a@example.com auth=spf", "!a@example.com")).isEqualTo(Effect.NONE);
        assertThat(find("a@example.com", null))
                .isEqualTo(entry("!a@example.com", "a@example.com auth=spf"));
        assertThat(remove(Origin.ADMIN, "a@example.com", null)).isEqualTo(Effect.REMOVED);
        assertThat(remove(Origin.ADMIN, "a@example.com", null)).isEqualTo(Effect.NONE);
        assertThat(find("a@example.com", null)).isNull();
    }

    @Test
    void shouldKeepOriginsApart() throws IOException {
        String pair = "a@example.com to=me@here.org";
        put(pair);
        put("!" + pair + " origin=user note=no");
        put(pair + " origin=learned");
        Entry together = entry(pair, "!" + pair + " origin=user note=no", pair + " origin=learned");
        assertThat(find("a@example.com", "me@here.org")).isEqualTo(together);
        assertThat(all()).containsExactly(together);
        assertThat(table.count()).isEqualTo(3);
        assertThat(remove(Origin.USER, "a@example.com", "me@here.org")).isEqualTo(Effect.REMOVED);
        assertThat(find("a@example.com", "me@here.org"))
                .isEqualTo(entry(pair, pair + " origin=learned"));
    }

    @Test
    void shouldKeepListsApart() throws IOException {
        EntryTable other = database.table("other");
        put("a@example.com");
        FeedPosition position = other.position();
        other.put(entry("b@example.com"), "admin");
        assertThat(all()).containsExactly(entry("a@example.com"));
        assertThat(other.find(key("a@example.com"), null)).isNull();
        assertThat(table.history(key("b@example.com"), 9)).isEmpty();
        assertThat(Feed.of(table, position)).isNull();
        assertThat(known(Feed.of(other, position)).changes()).hasSize(1);
    }

    @Test
    void shouldReportTheKindsOfRecipients() throws IOException {
        put("a@example.com to=me@here.org");
        assertThat(find("a@example.com", null))
                .isEqualTo(
                        new Entry(
                                key("a@example.com"),
                                null,
                                List.of(),
                                Set.of(RecipientKind.ADDRESS)));
        put("a@example.com to=@here.org");
        put("a@example.com to=@.here.org");
        put("!a@example.com");
        assertThat(find("a@example.com", null))
                .isEqualTo(
                        new Entry(
                                key("a@example.com"),
                                null,
                                List.of(Rule.DENIES),
                                Set.of(RecipientKind.values())));
        remove(Origin.ADMIN, "a@example.com", "@here.org");
        assertThat(Objects.requireNonNull(find("a@example.com", null)).kinds())
                .containsExactlyInAnyOrder(RecipientKind.ADDRESS, RecipientKind.SUBDOMAINS);
        assertThat(find("a@example.com", "@.here.org"))
                .isEqualTo(entry("a@example.com to=@.here.org"));
        assertThat(find("a@example.com", "@here.org")).isNull();
        assertThat(find("@example.com", null)).isNull();
    }

    static Stream<String> lines() {
        String longest = "x".repeat(64) + "@" + "sub.".repeat(46) + "example.com";
        return Stream.of(
                "a@example.com from=2027-01-01 until=2027-12-31",
                "a@example.com from=2027-01-01T10:30:15Z until=2027-01-01T10:31Z",
                "a@example.com until=9999-12-31",
                "a@example.com from=0001-01-01",
                "a@example.com auth=dkim note=he said: \"yes\", it's \\ fine; -- # 100% ä 漢字 😀",
                "!@example.com",
                "!@.example.com to=@.here.org",
                "@xn--bcher-kva.example to=@here.org",
                "müller@bücher.example",
                "\"a b # c\"@example.com to=\"!x\"@here.org",
                "\"it's\"@example.com",
                longest,
                longest + " to=" + longest);
    }

    @ParameterizedTest
    @MethodSource("lines")
    void shouldKeepConditions(String line) throws IOException {
        Entry put = entry(line);
        assertThat(table.put(put, "admin").effect()).isEqualTo(Effect.CREATED);
        assertThat(table.put(put, "admin").effect()).isEqualTo(Effect.NONE);
        assertThat(table.find(put.key(), put.to())).isEqualTo(put);
        assertThat(all()).containsExactly(put);
        assertThat(table.history(put.key(), 9).getFirst().lines()).isEqualTo(put.lines());
    }

    @Test
    void shouldRefuseWhatNoLineCanSay() {
        Key key = key("a@example.com");
        Rule inBetween = new Rule(false, Instant.ofEpochMilli(1), null, null, Origin.ADMIN, "");
        assertThatThrownBy(() -> table.put(new Entry(key, null, List.of(inBetween)), "admin"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> table.put(new Entry(key, null, List.of()), "admin"))
                .isInstanceOf(IllegalArgumentException.class);
        String pair = "a@example.com to=me@here.org";
        assertThatThrownBy(() -> put(pair, pair + " origin=user"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldVisitInOrder() throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (String sender : List.of("@example.com", "a@a.org", "a@b.org", "ab@a.org", "ä@a.org")) {
            for (String to :
                    List.of("", " to=b@b.org", " to=ü@a.org", " to=@c.org", " to=@.a.org")) {
                entries.add(entry(sender + to));
            }
        }
        List<Entry> mixed = new ArrayList<>(entries);
        Collections.shuffle(mixed, new Random(1));
        for (Entry entry : mixed) {
            table.put(entry, "admin");
        }
        entries.sort(Entry.ORDER);
        assertThat(all()).isEqualTo(entries);
        assertThat(table.entriesFor(key("b@b.org"), 100))
                .isEqualTo(entries.stream().filter(e -> key("b@b.org").equals(e.to())).toList());
        assertThat(table.entriesFor(key("b@b.org"), 2)).hasSize(2);
        assertThat(table.entriesFor(key("nobody@b.org"), 2)).isEmpty();
        Set<Key> recipients = new HashSet<>();
        Key recipient = table.nextRecipient(null);
        while (recipient != null) {
            assertThat(recipients.add(recipient)).isTrue();
            recipient = table.nextRecipient(recipient);
        }
        assertThat(recipients)
                .isEqualTo(
                        entries.stream()
                                .map(Entry::to)
                                .filter(Objects::nonNull)
                                .collect(Collectors.toSet()));
        assertThat(recipients).hasSizeGreaterThan(1);
    }

    @Test
    void shouldRemoveSeveralInOneTransaction() throws Exception {
        put("a@b.org to=c@b.org origin=user");
        put("a@b.org to=c@b.org origin=learned");
        put("d@b.org");
        FeedPosition before = table.position();
        Key to = key("c@b.org");
        assertThat(
                        effects(
                                table.removeAll(
                                        List.of(
                                                new Target(Origin.USER, key("a@b.org"), to),
                                                new Target(Origin.ADMIN, key("a@b.org"), to),
                                                new Target(Origin.ADMIN, key("d@b.org"), null)),
                                        "admin")))
                .containsExactly(Effect.REMOVED, Effect.NONE, Effect.REMOVED);
        assertThat(all()).containsExactly(entry("a@b.org to=c@b.org origin=learned"));
        assertThat(changed(before)).containsExactlyInAnyOrder("a@b.org", "d@b.org");
        assertThat(table.removeAll(List.of(), "admin")).isEmpty();
    }

    @Test
    void shouldCountWhatThereIsForARecipient() throws Exception {
        Instant day = Instant.parse("2026-11-23T23:59:59Z");
        Key to = key("c@b.org");
        put("a@b.org to=c@b.org from=2026-11-23 until=2031-01-01 origin=learned");
        put("b@b.org to=c@b.org from=2026-11-22 until=2026-11-23 origin=learned");
        put("d@b.org to=c@b.org origin=learned");
        put("e@b.org to=c@b.org origin=user note=added 2026-11-23");
        put("!f@b.org to=c@b.org from=2026-11-23 origin=user note=moved to spam");
        put("g@b.org to=c@b.org origin=user note=added 2026-11-22");
        put("h@b.org to=c@b.org from=2026-11-23");
        put("i@b.org to=d@b.org from=2026-11-23 origin=learned");
        assertThat(table.share(to, Origin.LEARNED, day)).isEqualTo(new Share(3, 3));
        assertThat(table.share(to, Origin.USER, day)).isEqualTo(new Share(3, 3));
        assertThat(table.share(key("x@b.org"), Origin.LEARNED, day)).isEqualTo(new Share(0, 0));
        assertThat(table.firstToEnd(to, Origin.LEARNED, 2))
                .containsExactly(key("b@b.org"), key("a@b.org"));
        assertThat(table.firstToEnd(to, Origin.LEARNED, 9)).hasSize(3);
    }

    @Test
    void shouldVisitManyInPages() throws Exception {
        int senders = 4_000;
        int recipients = 13_000;
        table.position();
        try (Connection connection = plain()) {
            connection.setAutoCommit(false);
            try (var insert =
                    connection.prepareStatement(
                            "insert into whitelist_entry(list, sender, recipient, origin, rules)"
                                    + " select id, ?, ?, 0, '' from whitelist_list"
                                    + " where name = 'vip'")) {
                for (int i = 0; i < senders + recipients; i++) {
                    Entry entry =
                            i < senders
                                    ? entry("s" + i + "@example.com")
                                    : entry("s77@example.com to=r" + i + "@here.org");
                    PairKey key = PairKey.of(entry.key(), entry.to());
                    insert.setBytes(1, key.sender());
                    insert.setBytes(2, key.recipient());
                    insert.addBatch();
                }
                insert.executeBatch();
            }
            connection.commit();
        }
        List<Entry> all = all();
        assertThat(all).hasSize(senders + recipients).isSortedAccordingTo(Entry.ORDER);
        assertThat(new HashSet<>(all)).hasSize(senders + recipients);
    }

    @Test
    void shouldReportTheHistory() throws IOException {
        Instant start = Instant.now().minusSeconds(1);
        put("a@example.com");
        put("b@example.com");
        table.put(entry("!a@example.com to=me@here.org origin=user"), "me");
        remove(Origin.ADMIN, "a@example.com", null);
        remove(Origin.ADMIN, "a@example.com", null);
        List<PastChange> history = table.history(key("a@example.com"), 10);
        assertThat(history)
                .extracting(PastChange::who, PastChange::origin, PastChange::key, PastChange::lines)
                .containsExactly(
                        tuple("admin", Origin.ADMIN, "a@example.com", List.of()),
                        tuple(
                                "me",
                                Origin.USER,
                                "a@example.com to=me@here.org",
                                List.of("!a@example.com to=me@here.org origin=user")),
                        tuple("admin", Origin.ADMIN, "a@example.com", List.of("a@example.com")));
        assertThat(history)
                .allSatisfy(change -> assertThat(change.at()).isBetween(start, Instant.now()));
        assertThat(table.history(key("a@example.com"), 1)).hasSize(1);
    }

    @Test
    void shouldForgetTheHistoryOfARecipient() throws Exception {
        String me = "a@example.com to=me@here.org";
        put("a@example.com");
        put("a@example.com to=you@here.org");
        FeedPosition position = table.position();
        for (int i = 0; i < 3; i++) {
            table.put(entry(me + " origin=user note=" + i), "me");
        }
        put(me);
        database.table("other").put(entry(me), "me");
        FeedPosition end = known(Feed.of(table, position)).next();
        assertThat(table.forgetHistory(key("me@here.org"))).isEqualTo(4);
        assertThat(table.forgetHistory(key("me@here.org"))).isZero();
        assertThat(table.history(key("a@example.com"), 9))
                .extracting(PastChange::key)
                .containsExactly("a@example.com to=you@here.org", "a@example.com");
        assertThat(find("a@example.com", "me@here.org"))
                .isEqualTo(entry(me, me + " origin=user note=2"));
        assertThat(database.table("other").history(key("a@example.com"), 9)).hasSize(1);
        assertThat(changed(position)).filteredOn("a@example.com"::equals).hasSizeBetween(4, 6);
        put(me + " note=later");
        assertThat(changed(end)).contains("a@example.com");
        assertThat(table.history(key("a@example.com"), 1).getFirst().lines())
                .containsExactly(me + " note=later");
        try (Connection connection = plain()) {
            assertThat(
                            Sql.query(
                                    connection,
                                    "select number from whitelist_history h join whitelist_list l"
                                            + " on l.id = h.list where l.name = 'vip'"
                                            + " and recipient = ?",
                                    row -> true,
                                    PairKey.of(key("a@example.com"), key("me@here.org"))
                                            .recipient()))
                    .hasSize(1);
        }
    }

    @Tag("large")
    @Test
    void shouldForgetALongHistory() throws IOException {
        for (int i = 0; i < 1_100; i++) {
            put("s" + i + "@example.com to=me@here.org");
        }
        assertThat(table.forgetHistory(key("me@here.org"))).isEqualTo(1_100);
        assertThat(table.history(key("s1099@example.com"), 9)).isEmpty();
    }

    @Test
    void shouldReportEachChange() throws IOException {
        put("before@example.com");
        FeedPosition start = table.position();
        assertThat(changed(start)).doesNotContain("a@example.com");
        put("a@example.com");
        put("!a@example.com");
        put("b@example.com to=me@here.org");
        remove(Origin.ADMIN, "b@example.com", "me@here.org");
        assertThat(changed(start))
                .contains("a@example.com", "b@example.com")
                .filteredOn(sender -> !sender.startsWith("before"))
                .hasSize(4);
        Feed feed = known(Feed.of(table, start));
        assertThat(feed.changes())
                .extracting(Feed::lines)
                .containsExactlyInAnyOrder(
                        List.of("!a@example.com"), List.of("!a@example.com"), List.of(), List.of());
        assertThat(changed(feed.next())).isEmpty();
        put("!a@example.com");
        assertThat(changed(feed.next())).isEmpty();
        put("c@example.com");
        assertThat(changed(feed.next())).containsExactly("c@example.com");
        assertThat(database.table("vip").position().epoch()).isEqualTo(start.epoch());
    }

    /** A change that was made or polled. */
    private record Placed(Target about, long number, long transaction) {
        static Placed of(Change change) {
            Target about = new Target(change.origin(), change.sender(), change.to());
            return new Placed(about, change.number(), change.transaction());
        }
    }

    /** What was made of entries, in the order in which one thread made it. */
    private static final class Made {
        private final EntryTable table;
        private final Map<Placed, List<Rule>> rules = new LinkedHashMap<>();

        Made(EntryTable table) {
            this.table = table;
        }

        List<Effect> putAll(List<Entry> entries) throws IOException {
            return putAll(entries, table.putAll(entries, "admin"));
        }

        List<Effect> put(Entry entry) throws IOException {
            return putAll(List.of(entry), List.of(table.put(entry, "admin")));
        }

        private List<Effect> putAll(List<Entry> entries, List<Done> done) {
            for (int i = 0; i < entries.size(); i++) {
                add(Target.of(entries.get(i)), done.get(i), entries.get(i).rules());
            }
            return effects(done);
        }

        List<Effect> update(Target target, List<Rule> after) throws IOException {
            Done done = table.update(List.of(target), before -> after, "admin").getFirst();
            add(target, done, after);
            return List.of(done.effect());
        }

        List<Effect> remove(Target target) throws IOException {
            Done done = EntryTableContract.remove(table, target);
            add(target, done, List.of());
            return List.of(done.effect());
        }

        List<Effect> removeAll(List<Target> targets) throws IOException {
            List<Done> done = table.removeAll(targets, "admin");
            for (int i = 0; i < targets.size(); i++) {
                add(targets.get(i), done.get(i), List.of());
            }
            return effects(done);
        }

        private void add(Target about, Done done, List<Rule> after) {
            assertThat(done.rules()).containsExactlyInAnyOrderElementsOf(after);
            if (done.effect() == Effect.NONE) {
                assertThat(done).isEqualTo(Done.none(done.rules()));
            } else {
                rules.put(new Placed(about, done.number(), done.transaction()), done.rules());
            }
        }

        /** Changes entries of a few senders in all ways. */
        Made inAllWays(Random random) throws IOException {
            for (int i = 0; i < Extent.of(60, 1_000); i++) {
                // All in the same order, so that no transaction waits for one that waits for it.
                List<Entry> entries =
                        Stream.generate(() -> random(random))
                                .limit(1 + random.nextInt(4))
                                .sorted(Comparator.comparing(Target::of, TARGETS))
                                .toList();
                Entry first = entries.getFirst();
                switch (random.nextInt(6)) {
                    case 0 -> put(first);
                    case 1 -> update(Target.of(first), first.rules());
                    case 2 -> update(Target.of(first), List.of());
                    case 3 -> remove(Target.of(first));
                    case 4 -> removeAll(entries.stream().map(Target::of).toList());
                    default -> putAll(entries);
                }
            }
            return this;
        }
    }

    @Test
    void shouldReportWhereEachChangeIsInTheFeed() throws IOException {
        FeedPosition start = table.position();
        Entry plain = entry("a@b.org");
        Entry denied = entry("!a@b.org");
        Entry user =
                entry("a@b.org to=c@b.org origin=user", "a@b.org to=c@b.org origin=user note=1");
        Entry turned =
                entry("a@b.org to=c@b.org origin=user note=1", "a@b.org to=c@b.org origin=user");
        Target target = Target.of(plain);
        Made made = new Made(table);
        assertThat(made.put(plain)).containsExactly(Effect.CREATED);
        assertThat(made.put(plain)).containsExactly(Effect.NONE);
        assertThat(made.putAll(List.of(denied, user, plain, turned, plain)))
                .containsExactly(
                        Effect.REPLACED, Effect.CREATED, Effect.REPLACED, Effect.NONE, Effect.NONE);
        assertThat(made.update(target, plain.rules())).containsExactly(Effect.NONE);
        assertThat(made.update(target, denied.rules())).containsExactly(Effect.REPLACED);
        assertThat(made.update(target, List.of())).containsExactly(Effect.REMOVED);
        assertThat(made.update(target, List.of())).containsExactly(Effect.NONE);
        assertThat(made.update(target, plain.rules())).containsExactly(Effect.CREATED);
        assertThat(made.remove(target)).containsExactly(Effect.REMOVED);
        assertThat(made.remove(target)).containsExactly(Effect.NONE);
        assertThat(made.removeAll(List.of(target, Target.of(user))))
                .containsExactly(Effect.NONE, Effect.REMOVED);

        assertThat(known(Feed.of(table, start)).changes())
                .extracting(Placed::of)
                .containsExactlyInAnyOrderElementsOf(made.rules.keySet());
        assertThat(made.rules.keySet())
                .extracting(Placed::number)
                .isSorted()
                .doesNotHaveDuplicates();
    }

    /** The changes of an entry that two servers make are in the order of their numbers. */
    @Test
    void shouldReportWhereTheChangesOfTwoServersAre() throws Exception {
        FeedPosition start = table.position();
        Made own = new Made(table);
        Made others = new Made(ofAnotherServer());
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<Made>> running =
                    List.of(
                            threads.submit(() -> own.inAllWays(new Random(1))),
                            threads.submit(() -> others.inAllWays(new Random(2))));
            for (Future<Made> one : running) {
                one.get();
            }
        }
        Map<Placed, List<Rule>> made = new HashMap<>(own.rules);
        made.putAll(others.rules);
        List<Change> changes = known(Feed.of(table, start)).changes();
        assertThat(changes)
                .extracting(Placed::of)
                .containsExactlyInAnyOrderElementsOf(made.keySet());
        Map<Target, Placed> last = new HashMap<>();
        made.keySet()
                .forEach(
                        each ->
                                last.merge(
                                        each.about,
                                        each,
                                        BinaryOperator.maxBy(
                                                Comparator.comparingLong(Placed::number))));
        assertThat(changes)
                .isNotEmpty()
                .allSatisfy(
                        change ->
                                assertThat(change.rules())
                                        .isEqualTo(made.get(last.get(Placed.of(change).about))));
    }

    @Test
    void shouldReportWhatAPositionHasSeen() throws IOException {
        FeedPosition before = table.position();
        long put = table.put(entry("a@example.com"), "admin").transaction();
        assertThat(table.seen(before).test(put)).isFalse();
        FeedPosition after = known(Feed.of(table, before)).next();
        long removed = remove(table, Target.of(entry("a@example.com"))).transaction();
        assertThat(table.seen(before).test(put)).isFalse();
        assertThat(table.seen(after).test(put)).isTrue();
        assertThat(table.seen(after).test(removed)).isFalse();
        assertThat(table.seen(table.position()).test(removed)).isTrue();
        for (String bad : List.of("", "x", ";", "-1;", "x;", "1:2;")) {
            assertThat(table.seen(new FeedPosition(after.epoch(), bad)).test(put))
                    .as(bad)
                    .isFalse();
        }
    }

    @Test
    void shouldRefusePositionsOfOthers() throws Exception {
        put("a@example.com");
        FeedPosition position = table.position();
        assertThat(Feed.of(table, position)).isNotNull();
        assertThat(Feed.of(table, new FeedPosition("other", position.place()))).isNull();
        for (String bad : List.of("", ";", "-1;", "x;", "1;1.2", "9999999999;", "1:2;")) {
            assertThat(Feed.of(table, new FeedPosition(position.epoch(), bad))).as(bad).isNull();
        }
        run("update whitelist_feed set token = 4711");
        assertThat(Feed.of(table, position)).isNull();
        run("delete from whitelist_list");
        assertThat(Feed.of(table, position)).isNull();
        assertThat(table.position().epoch()).isNotEqualTo(position.epoch());
    }

    @Test
    void shouldSweepWhatHasEnded() throws IOException {
        put(until("a@example.com", -92));
        put("b@example.com until=2020-12-31", "b@example.com auth=spf");
        put("c@example.com until=2020-12-31", until("!c@example.com", -88));
        put(until("d@example.com", -88));
        FeedPosition position = table.position();
        FeedPosition next = known(Feed.of(table, position)).next();
        table.sweep();
        assertThat(find("a@example.com", null)).isNull();
        assertThat(table.count()).isEqualTo(3);
        assertThat(changed(next)).containsExactly("a@example.com");
        assertThat(table.history(key("a@example.com"), 1).getFirst().lines()).isEmpty();
    }

    static Instant inDays(int days) {
        return Instant.now().plus(Duration.ofDays(days));
    }

    /** Returns an entry that ends with a day. */
    private static String until(String sender, int inDays) {
        return sender + " until=" + LocalDate.ofInstant(inDays(inDays), ZoneOffset.UTC);
    }

    /** Gives all changes so far the time of a clock. */
    void changedBy(Instant clock) throws SQLException {
        try (Connection connection = plain()) {
            Sql.update(connection, "update whitelist_feed set at = ?", clock.toEpochMilli());
            Sql.update(connection, "update whitelist_history set at = ?", clock.toEpochMilli());
        }
    }

    /** Where nothing that was seen is left, nothing says whether the database was put back. */
    @Test
    void shouldReadAgainWhenAllThatWasSeenIsSwept() throws Exception {
        put("old@example.com");
        table.putAll(List.of(entry("a@example.com"), entry("b@example.com")), "test");
        FeedPosition position = table.position();
        closeTable();
        openTable();
        table.count();
        changedBy(inDays(-400));
        table.sweep();
        assertThat(changed(position)).isEmpty();
        put("new@example.com");
        assertThat(changed(position)).containsExactly("new@example.com");
        table.sweep();
        assertThat(Feed.of(table, position)).isNull();
    }

    @Tag("large")
    @Test
    void shouldReportWhoIsBehindWhatWasSwept() throws Exception {
        FeedPosition start = table.position();
        for (int i = 0; i < 1_200; i++) {
            put("s" + i + "@example.com until=2020-01-01");
        }
        FeedPosition end = known(Feed.of(table, start)).next();
        table.sweep();
        assertThat(table.count()).isZero();
        assertThat(changed(end)).hasSize(1_200);
        assertThat(Feed.of(table, start)).isNotNull();
        FeedPosition late = known(Feed.of(table, end)).next();
        changedBy(inDays(-89));
        table.sweep();
        assertThat(Feed.of(table, start)).isNotNull();
        changedBy(inDays(-91));
        table.sweep();
        assertThat(Feed.of(table, start)).isNull();
        assertThat(Feed.of(table, end)).isNull();
        assertThat(changed(late)).isEmpty();
        assertThat(table.history(key("s1@example.com"), 9)).isEmpty();
        put("new@example.com");
        assertThat(changed(late)).containsExactly("new@example.com");
    }

    @Test
    void shouldFindManyPairsAtOnce() throws IOException {
        table.put(entry("a@example.com"), "test");
        table.put(entry("a@example.com to=u@here.ex note=1"), "test");
        table.put(entry("a@example.com to=@here.ex"), "test");
        table.put(entry("@example.com to=@.here.ex"), "test");
        List<Pair> pairs = new ArrayList<>();
        for (String sender : List.of("a@example.com", "@example.com", "b@example.com")) {
            for (String to : List.of("", "u@here.ex", "@here.ex", "@.here.ex", "v@here.ex")) {
                pairs.add(new Pair(key(sender), to.isEmpty() ? null : key(to)));
            }
        }
        IntStream.range(0, 2_500)
                .forEach(i -> pairs.add(new Pair(key("a@example.com"), key("u" + i + "@far.ex"))));
        pairs.add(new Pair(key("a@example.com"), key("u@here.ex")));

        List<Found> found = table.findAll(pairs);
        assertThat(found).hasSameSizeAs(pairs);
        for (int i = 0; i < pairs.size(); i++) {
            Pair pair = pairs.get(i);
            if (i < 20 || i > 2_510) {
                assertThat(found.get(i).entry()).isEqualTo(table.find(pair.sender(), pair.to()));
            }
            assertThat(found.get(i).failure()).isNull();
        }
        assertThat(found.getFirst().entry())
                .isNotNull()
                .satisfies(
                        entry ->
                                assertThat(entry.kinds())
                                        .containsExactlyInAnyOrder(
                                                RecipientKind.ADDRESS, RecipientKind.DOMAIN));
        assertThat(found.stream().filter(each -> each.entry() != null)).hasSize(6);
        assertThat(table.findAll(List.of())).isEmpty();
    }

    @Test
    void shouldFindTheOthersWhenOneCannotBeRead() throws Exception {
        put("a@example.com");
        put("b@example.com");
        spoil("a@example.com");
        List<Found> found =
                table.findAll(
                        List.of(
                                new Pair(key("a@example.com"), null),
                                new Pair(key("b@example.com"), null)));
        assertThat(found.getFirst().failure()).hasMessageContaining("list 'vip'");
        assertThat(found.getLast().entry()).isEqualTo(entry("b@example.com"));
    }

    /** Has the database hold what no line of a list says. */
    private void spoil(String sender) throws SQLException {
        try (Connection connection = plain()) {
            Sql.update(
                    connection,
                    "update whitelist_entry set rules = ' fro=1' where sender = ?",
                    PairKey.of(key(sender), null).sender());
        }
    }

    @Test
    void shouldReportTheOtherChangesWhenOneCannotBeRead() throws Exception {
        FeedPosition start = table.position();
        put("a@example.com");
        put("b@example.com");
        spoil("a@example.com");
        Feed feed = known(Feed.of(table, start));
        assertThat(feed.changes())
                .extracting(change -> change.sender().toString(), Change::rules)
                .containsExactlyInAnyOrder(
                        tuple("a@example.com", List.of()),
                        tuple("b@example.com", entry("b@example.com").rules()));
        assertThat(feed.changes())
                .extracting(Change::unreadable)
                .containsOnlyOnce((String) null)
                .anySatisfy(why -> assertThat(why).contains("a@example.com", "fro=1"));
        assertThat(changed(feed.next())).isEmpty();
    }

    @Test
    void shouldNameWhatCannotBeRead() throws Exception {
        put("a@example.com");
        for (String bad : List.of(" fro=1", ".org", "!!", " until=2027-13-01", " to=b@b.org")) {
            run("update whitelist_entry set rules = '" + bad + "'");
            assertThatThrownBy(() -> find("a@example.com", null))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("list 'vip'")
                    .hasMessageContaining("a@example.com");
            assertThatThrownBy(this::all)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("list 'vip'")
                    .hasMessageContaining("a@example.com");
        }
    }

    @Test
    void shouldKeepEntriesWhenOpenedAgain() throws IOException {
        put("a@example.com");
        FeedPosition position = table.position();
        closeTable();
        openTable();
        assertThat(all()).containsExactly(entry("a@example.com"));
        put("b@example.com");
        assertThat(changed(position)).contains("b@example.com");
    }

    @Test
    void shouldRefuseTablesOfANewerVersion() throws Exception {
        run("update whitelist_schema set version = 2");
        assertThatThrownBy(
                        () -> {
                            closeTable();
                            openTable();
                            table.count();
                        })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 2");
    }

    private static final Comparator<Target> TARGETS =
            Comparator.comparing(
                            (Target target) -> new Entry(target.sender(), target.to(), List.of()),
                            Entry.ORDER)
                    .thenComparing(Target::origin);

    private static Entry random(Random random) {
        String sender = "s" + random.nextInt(6) + "@example.com";
        String to = List.of("", " to=a@b.org", " to=@b.org", " to=@.b.org").get(random.nextInt(4));
        String origin =
                to.equals(" to=a@b.org")
                        ? List.of("", " origin=user", " origin=learned").get(random.nextInt(3))
                        : "";
        List<String> lines =
                IntStream.rangeClosed(0, random.nextInt(2))
                        .mapToObj(i -> sender + to + origin + " note=" + random.nextInt(3))
                        .distinct()
                        .toList();
        return entry(lines.toArray(String[]::new));
    }

    @Test
    void shouldDoAsTheModel() throws IOException {
        Random random = new Random(7);
        Map<Target, Entry> model = new TreeMap<>(TARGETS);
        for (int i = 0; i < Extent.of(400, 5_000); i++) {
            Entry entry = random(random);
            Target target = Target.of(entry);
            FeedPosition position = table.position();
            Entry before = model.get(target);
            Effect expected;
            if (random.nextInt(3) > 0) {
                boolean same =
                        before != null
                                && Set.copyOf(before.rules()).equals(Set.copyOf(entry.rules()));
                expected = before == null ? Effect.CREATED : same ? Effect.NONE : Effect.REPLACED;
                assertThat(table.put(entry, "admin").effect()).isEqualTo(expected);
                if (!same) {
                    model.put(target, entry);
                }
            } else {
                expected = model.remove(target) == null ? Effect.NONE : Effect.REMOVED;
                assertThat(remove(table, target).effect()).isEqualTo(expected);
            }
            if (expected != Effect.NONE) {
                assertThat(changed(position)).contains(entry.key().toString());
            }
            assertThat(table.find(entry.key(), entry.to())).isEqualTo(found(model, entry));
        }
        assertThat(all()).isEqualTo(merged(model));
        assertThat(table.count()).isEqualTo(model.size());
    }

    private static @Nullable Entry found(Map<Target, Entry> model, Entry asked) {
        List<Rule> rules = new ArrayList<>();
        Set<RecipientKind> kinds = new HashSet<>();
        model.forEach(
                (target, entry) -> {
                    if (target.sender().equals(asked.key())) {
                        if (Objects.equals(target.to(), asked.to())) {
                            rules.addAll(entry.rules());
                        } else if (asked.to() == null && target.to() != null) {
                            kinds.add(RecipientKind.of(target.to()));
                        }
                    }
                });
        return rules.isEmpty() && kinds.isEmpty()
                ? null
                : new Entry(asked.key(), asked.to(), rules, kinds);
    }

    private static List<Entry> merged(Map<Target, Entry> model) {
        return model.values().stream()
                .map(entry -> new Entry(entry.key(), entry.to(), List.of()))
                .distinct()
                .map(entry -> Objects.requireNonNull(found(model, entry)))
                .map(entry -> new Entry(entry.key(), entry.to(), entry.rules()))
                .toList();
    }

    @Test
    void shouldPutManyAsOneByOne() throws IOException {
        Random random = new Random(11);
        EntryTable other = database.table("other");
        for (int i = 0; i < Extent.of(40, 400); i++) {
            List<Entry> entries =
                    IntStream.range(0, random.nextInt(12)).mapToObj(n -> random(random)).toList();
            FeedPosition position = table.position();
            List<Effect> effects = new ArrayList<>();
            for (Entry entry : entries) {
                effects.add(other.put(entry, "admin").effect());
            }

            assertThat(effects(table.putAll(entries, "admin"))).isEqualTo(effects);

            List<String> changed = new ArrayList<>();
            for (int n = 0; n < effects.size(); n++) {
                if (effects.get(n) != Effect.NONE) {
                    changed.add(entries.get(n).key().toString());
                }
            }
            assertThat(changed(position)).containsExactlyInAnyOrderElementsOf(changed);
        }
        List<Entry> others = new ArrayList<>();
        other.forEach(others::add);
        assertThat(all()).isEqualTo(others).isNotEmpty();
        for (Entry entry : others) {
            assertThat(withoutTimes(table.history(entry.key(), 1_000)))
                    .containsExactlyInAnyOrderElementsOf(
                            withoutTimes(other.history(entry.key(), 1_000)));
        }
    }

    private static List<PastChange> withoutTimes(List<PastChange> history) {
        return history.stream()
                .map(c -> new PastChange(Instant.EPOCH, c.who(), c.origin(), c.key(), c.lines()))
                .toList();
    }

    @Test
    void shouldKeepConditionsOfMany() throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (String line : lines().toList()) {
            entries.add(
                    entry(line.replace("a@example.com", "a" + entries.size() + "@example.com")));
        }
        assertThat(effects(table.putAll(entries, "admin"))).containsOnly(Effect.CREATED);
        assertThat(effects(table.putAll(entries, "admin"))).containsOnly(Effect.NONE);
        assertThat(all()).containsExactlyInAnyOrderElementsOf(entries);
        assertThat(table.putAll(List.of(), "admin")).isEmpty();
        table.putAll(List.of(entry("old@example.com until=2020-12-31")), "admin");
        table.sweep();
        assertThat(all()).containsExactlyInAnyOrderElementsOf(entries);
    }

    @Test
    void shouldPutAllOfManyOrNone() {
        Entry refused = new Entry(key("b@example.com"), null, List.of());
        assertThatThrownBy(() -> table.putAll(List.of(entry("a@example.com"), refused), "admin"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatCode(() -> assertThat(table.count()).isZero()).doesNotThrowAnyException();
    }

    @Test
    void shouldShowManyAtOnce() throws Exception {
        int part = 500;
        table.count();
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<Void> writing =
                    threads.submit(
                            () -> {
                                for (int i = 0; i < 4; i++) {
                                    int first = i * part;
                                    table.putAll(
                                            IntStream.range(first, first + part)
                                                    .mapToObj(n -> entry("s" + n + "@example.com"))
                                                    .toList(),
                                            "admin");
                                }
                                return null;
                            });
            boolean last = false;
            while (!last) {
                last = writing.isDone();
                assertThat(table.count() % part).isZero();
            }
            writing.get();
        }
        assertThat(table.count()).isEqualTo(4L * part);
    }

    @Test
    void shouldReportPages() throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (String sender : List.of("@example.com", "a@a.org", "ab@a.org", "ä@a.org")) {
            entries.add(entry(sender));
            if (!sender.startsWith("@")) {
                String pair = sender + " to=b@b.org";
                entries.add(entry(pair, pair + " origin=user", pair + " origin=learned"));
                entries.add(entry(sender + " to=c@b.org origin=user"));
                entries.add(entry(sender + " to=@.b.org"));
            }
        }
        for (Entry entry : entries) {
            for (Rule rule : entry.rules()) {
                table.put(entry.withOnly(rule), "admin");
            }
        }
        database.table("other").put(entry("z@a.org"), "admin");
        for (int most : List.of(1, 2, 3, 5, 12, 13, 14, 1_000)) {
            List<Entry> told = new ArrayList<>();
            Entry last = null;
            boolean more = true;
            while (more) {
                EntryTable.Page page = table.page(last, most);
                assertThat(page.entries().size()).isLessThanOrEqualTo(most);
                assertThat(page.entries().isEmpty()).isEqualTo(told.size() == entries.size());
                told.addAll(page.entries());
                more = page.more();
                last = told.getLast();
            }
            assertThat(told).as("pages of %d", most).isEqualTo(all()).hasSameSizeAs(entries);
        }
        assertThat(table.page(entry("aa@zzz.org to=x@b.org"), 1).entries())
                .containsExactly(entry("ab@a.org"));
    }

    /** A reader of the feed that asks for each sender that has changed ends with what there is. */
    @Tag("large")
    @Test
    void shouldReportAllChangesOfManyThreads() throws Exception {
        int writers = 8;
        FeedPosition position = table.position();
        Map<Key, List<Entry>> seen = new HashMap<>();
        EntryTable second = ofAnotherServer();
        try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
            List<Future<Void>> running = new ArrayList<>();
            for (int i = 0; i < writers; i++) {
                running.add(threads.submit(writer(i % 2 == 0 ? table : second, new Random(i))));
            }
            boolean last = false;
            while (true) {
                Feed feed = known(Feed.of(table, position));
                for (Change change : feed.changes()) {
                    seen.put(change.sender(), ofSender(change.sender()));
                }
                position = feed.next();
                if (last) {
                    break;
                }
                last = running.stream().allMatch(Future::isDone);
            }
            for (Future<Void> one : running) {
                one.get();
            }
        }
        List<Entry> told =
                seen.values().stream().flatMap(List::stream).sorted(Entry.ORDER).toList();
        assertThat(told).isEqualTo(all());
    }

    /** Four threads on two servers add and remove lines of one entry, each its own. */
    @Test
    void shouldLoseNothingThatOthersPutWhileAnEntryIsComputed() throws Exception {
        EntryTable second = ofAnotherServer();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<Void>> running = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                EntryTable own = i % 2 == 0 ? table : second;
                String line = "a@example.com to=me@here.org note=" + i;
                running.add(threads.submit(() -> addAndRemove(own, entry(line))));
            }
            for (Future<Void> one : running) {
                one.get();
            }
        }
        assertThat(all()).isEmpty();
        assertThat(table.history(key("a@example.com"), 1_000)).hasSize(4 * 2 * 50);
    }

    private static @Nullable Void addAndRemove(EntryTable table, Entry line) throws IOException {
        Rule rule = line.rules().getFirst();
        List<Target> target = List.of(new Target(Origin.ADMIN, line.key(), line.to()));
        for (int i = 0; i < 50; i++) {
            List<Done> added =
                    table.update(
                            target,
                            rules -> Stream.concat(rules.stream(), Stream.of(rule)).toList(),
                            "admin");
            assertThat(effects(added)).doesNotContain(Effect.NONE);
            Entry found = Objects.requireNonNull(table.find(line.key(), line.to()));
            assertThat(found.rules()).contains(rule);
            List<Done> removed =
                    table.update(
                            target,
                            rules -> rules.stream().filter(each -> !each.equals(rule)).toList(),
                            "admin");
            assertThat(effects(removed)).doesNotContain(Effect.NONE);
        }
        return null;
    }

    /** Returns the table as another server has it, or this one if there can be only one server. */
    abstract EntryTable ofAnotherServer() throws IOException;

    private static Callable<Void> writer(EntryTable table, Random random) {
        return () -> {
            for (int i = 0; i < Extent.of(150, 2_000); i++) {
                Entry entry = random(random);
                if (random.nextInt(3) > 0) {
                    table.put(entry, "admin");
                } else {
                    remove(table, Target.of(entry));
                }
            }
            return null;
        };
    }

    private List<Entry> ofSender(Key sender) throws IOException {
        List<Entry> found = new ArrayList<>();
        for (String to : List.of("", "a@b.org", "@b.org", "@.b.org")) {
            Entry entry = table.find(sender, to.isEmpty() ? null : key(to));
            if (entry != null && !entry.rules().isEmpty()) {
                found.add(new Entry(entry.key(), entry.to(), entry.rules()));
            }
        }
        return found;
    }
}
