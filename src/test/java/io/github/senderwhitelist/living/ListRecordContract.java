package io.github.senderwhitelist.living;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Loaded;
import io.github.senderwhitelist.living.ListRecord.LogRows;
import io.github.senderwhitelist.living.ListRecord.PastChange;
import io.github.senderwhitelist.living.ListRecord.Position;
import io.github.senderwhitelist.living.ListRecord.Share;
import io.github.senderwhitelist.living.ListRecord.Target;
import io.github.senderwhitelist.living.ListRecord.Written;
import io.github.senderwhitelist.tools.Extent;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
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
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What every record of a list must do. */
public abstract class ListRecordContract {
    protected ListRecord record;

    /** Returns a list of the database of this test, as one more server has it. */
    protected abstract ListRecord open(String list) throws Exception;

    @BeforeEach
    void makeList() throws Exception {
        record = open("vip");
        record.create();
    }

    protected final Effect put(String... lines) throws IOException {
        return put(record, entry(lines));
    }

    protected static Effect put(ListRecord record, Entry entry) throws IOException {
        return record.write(List.of(Edit.put(entry)), "admin").getFirst();
    }

    protected static Effect remove(ListRecord record, Target target) throws IOException {
        return record.write(List.of(Edit.remove(target)), "admin").getFirst();
    }

    private Effect remove(Origin origin, String sender, @Nullable String to) throws IOException {
        return remove(record, new Target(origin, key(sender), to == null ? null : key(to)));
    }

    protected final @Nullable Entry find(String sender, @Nullable String to) throws IOException {
        return record.find(key(sender), to == null ? null : key(to));
    }

    protected static List<Entry> all(ListRecord record) throws IOException {
        List<Entry> all = new ArrayList<>();
        record.forEach(
                all::add,
                why -> {
                    throw new IOException(why);
                });
        return all;
    }

    protected static LogRows rows(ListRecord record, Position after) throws IOException {
        LogRows rows = record.log(after);
        assertThat(rows.continues()).as("the log continues").isTrue();
        return rows;
    }

    private List<String> changed(Position after) throws IOException {
        return rows(record, after).changes().stream()
                .map(change -> change.key().toString())
                .toList();
    }

    @Test
    void listsShouldBeApart() throws Exception {
        ListRecord other = open("other");
        other.create();
        put("a@example.com");
        Position position = other.last();
        put(other, entry("b@example.com"));
        assertThat(all(record)).containsExactly(entry("a@example.com"));
        assertThat(other.find(key("a@example.com"), null)).isNull();
        assertThat(record.history(key("b@example.com"), 9)).isEmpty();
        assertThat(record.log(position).continues()).isFalse();
        assertThat(rows(other, position).changes()).hasSize(1);
    }

    @Test
    void everyMethodShouldRefuseAListThatIsMissing() throws Exception {
        ListRecord missing = open("missing");
        Position position = record.last();
        for (Callable<?> each :
                List.<Callable<?>>of(
                        missing::last,
                        missing::count,
                        () -> missing.log(position),
                        () -> all(missing),
                        () -> missing.find(key("a@example.com"), null),
                        () -> put(missing, entry("a@example.com")))) {
            assertThatThrownBy(each::call)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no such list");
        }
        missing.create();
        String epoch = missing.last().epoch();
        missing.create();
        assertThat(missing.last()).isEqualTo(new Position(epoch, 0, 0));
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
    void writeShouldKeepConditions(String line) throws IOException {
        Entry put = entry(line);
        assertThat(put(record, put)).isEqualTo(Effect.CREATED);
        assertThat(put(record, put)).isEqualTo(Effect.NONE);
        assertThat(record.find(put.key(), put.to())).isEqualTo(put);
        assertThat(all(record)).containsExactly(put);
        assertThat(record.history(put.key(), 9).getFirst().lines()).isEqualTo(put.lines());
    }

    /** As many as are put at once, with an end and without. */
    @Test
    void loadShouldKeepConditions() throws IOException {
        List<Entry> part = new ArrayList<>();
        lines().filter(line -> !line.startsWith("a@")).forEach(line -> part.add(entry(line)));
        part.add(entry("n@example.com note=NULL"));
        part.add(entry("b@example.com note={\"a\",\\b,NULL} '{}' \\x00"));
        part.add(entry("!d@example.com", "d@example.com auth=spf until=2027-12-31"));
        for (int i = part.size(); i < 10_000; i++) {
            part.add(entry("s" + i + "@example.com" + (i % 2 == 0 ? "" : " until=2027-12-31")));
        }
        assertThat(record.load(part, false)).isEqualTo(new Loaded(part.size(), List.of()));
        assertThat(record.load(part, false)).isEqualTo(new Loaded(0, List.of()));
        part.sort(Entry.ORDER);
        assertThat(all(record)).isEqualTo(part);
        assertThat(record.history(key("n@example.com"), 9)).isEmpty();
    }

    /** Invariant 15: what fits into no snapshot is refused when it is put. */
    @Test
    void writeShouldRefuseWhatNoSnapshotCanHave() throws IOException {
        Key key = key("a@example.com");
        Rule inBetween = new Rule(false, Instant.ofEpochMilli(1), null, null, Origin.ADMIN, "");
        String pair = "a@example.com to=me@here.org";
        String[] many =
                IntStream.range(0, 5)
                        .mapToObj(i -> pair + " note=" + i + "x".repeat(230))
                        .toArray(String[]::new);
        for (Edit refused :
                List.of(
                        new Edit(new Target(Origin.ADMIN, key, null), any -> List.of(inBetween)),
                        Edit.put(entry(pair, pair + " origin=user")),
                        Edit.put(entry(many)))) {
            assertThatThrownBy(
                            () ->
                                    record.write(
                                            List.of(Edit.put(entry("b@example.com")), refused),
                                            "admin"))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(record.count()).isZero();
        put(many[0], many[1], many[2], many[3]);
        String user = pair + " origin=user note=" + "y".repeat(230);
        assertThatThrownBy(() -> put(user)).isInstanceOf(IllegalArgumentException.class);
        assertThat(all(record)).containsExactly(entry(many[0], many[1], many[2], many[3]));
    }

    @Test
    void forEachShouldReturnThePositionOfItsMoment() throws IOException {
        put("a@example.com");
        List<Entry> seen = new ArrayList<>();
        Position before = record.last();
        Position position =
                record.forEach(
                        entry -> {
                            seen.add(entry);
                            put("b@example.com");
                        },
                        why -> {});
        assertThat(seen).containsExactly(entry("a@example.com"));
        assertThat(position).isEqualTo(before);
        assertThat(changed(position)).containsExactly("b@example.com");
    }

    @Test
    void shareShouldCountWhatThereIsForARecipient() throws Exception {
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
        assertThat(record.share(to, Origin.LEARNED, day)).isEqualTo(new Share(3, 3));
        assertThat(record.share(to, Origin.USER, day)).isEqualTo(new Share(3, 3));
        assertThat(record.share(key("x@b.org"), Origin.LEARNED, day)).isEqualTo(new Share(0, 0));
    }

    @Test
    void historyShouldHaveTheLastChangesOfASender() throws IOException {
        Instant start = Instant.now().minusSeconds(60);
        put("a@example.com");
        put("b@example.com");
        record.write(List.of(Edit.put(entry("!a@example.com to=me@here.org origin=user"))), "me");
        remove(Origin.ADMIN, "a@example.com", null);
        remove(Origin.ADMIN, "a@example.com", null);
        List<PastChange> history = record.history(key("a@example.com"), 10);
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
        assertThat(record.history(key("a@example.com"), 1)).hasSize(1);
        assertThat(record.history(null, 3))
                .extracting(PastChange::key)
                .containsExactly("a@example.com", "a@example.com to=me@here.org", "b@example.com");
    }

    @Test
    void forgetHistoryShouldKeepEntriesAndLog() throws Exception {
        String me = "a@example.com to=me@here.org";
        put("a@example.com to=you@here.org");
        Position position = record.last();
        for (int i = 0; i < Extent.of(3, 1_100); i++) {
            put(me + " origin=user note=" + i);
        }
        put(me);
        long notes = Extent.of(3, 1_100) + 1L;
        assertThat(record.forgetHistory(key("me@here.org"))).isEqualTo(notes);
        assertThat(record.forgetHistory(key("me@here.org"))).isZero();
        assertThat(record.history(key("a@example.com"), 9))
                .extracting(PastChange::key)
                .containsExactly("a@example.com to=you@here.org");
        assertThat(Objects.requireNonNull(find("a@example.com", "me@here.org")).rules()).hasSize(2);
        assertThat(changed(position)).containsExactly("a@example.com");
    }

    /** Invariants 2 and 3: each change has its row, and is delivered once, as it is now. */
    @Test
    void logShouldHaveEachChangeOnceAsItIsNow() throws IOException {
        put("before@example.com");
        Position start = record.last();
        assertThat(rows(record, start))
                .isEqualTo(new LogRows(true, start, List.of(), false, false));
        put("a@example.com");
        put("!a@example.com");
        put("b@example.com to=me@here.org");
        remove(Origin.ADMIN, "b@example.com", "me@here.org");
        put("!a@example.com");
        LogRows rows = rows(record, start);
        assertThat(rows.changes())
                .containsExactlyInAnyOrder(
                        entry("!a@example.com"),
                        new Entry(key("b@example.com"), key("me@here.org"), List.of()));
        assertThat(rows.to()).isEqualTo(record.last());
        assertThat(rows.to().seq()).isEqualTo(start.seq() + 4);
        assertThat(changed(rows.to())).isEmpty();
        put("c@example.com");
        assertThat(changed(rows.to())).containsExactly("c@example.com");
    }

    /** Invariants 1 and 3: the rows of a transaction have the next numbers, and it reads them. */
    @Test
    void writeShouldReadTheLogPastItsRows() throws IOException {
        Position start = record.last();
        put("b@example.com");
        List<Edit> two =
                List.of(Edit.put(entry("!a@example.com")), Edit.put(entry("b@example.com")));
        Written some = record.write(two, "admin", false, start);
        assertThat(some.effects()).containsExactly(Effect.CREATED, Effect.NONE);
        LogRows rows = Objects.requireNonNull(some.rows());
        assertThat(rows).isEqualTo(rows(record, start));
        assertThat(rows.to().seq()).isEqualTo(start.seq() + 2);
        assertThat(rows.changes()).hasSize(2);
        Written none = record.write(two, "admin", false, rows.to());
        assertThat(none)
                .isEqualTo(
                        new Written(
                                List.of(Effect.NONE, Effect.NONE),
                                new LogRows(true, rows.to(), List.of(), false, false)));
        Written always = record.write(two, "admin", true, rows.to());
        assertThat(Objects.requireNonNull(always.rows()).changes()).hasSize(2);
        assertThat(record.last().seq()).isEqualTo(start.seq() + 4);
        Written broken = record.write(two, "admin", true, new Position("other", 0, 0));
        assertThat(broken.rows())
                .isEqualTo(new LogRows(false, record.last(), List.of(), false, false));
        assertThat(record.write(two, "admin", false, null).rows()).isNull();
    }

    /** Invariant 6: a position continues by its epoch and the token of its row. */
    @Test
    void logShouldNotContinueFromAPositionThatIsNotItsOwn() throws IOException {
        put("a@example.com");
        Position last = record.last();
        for (Position other :
                List.of(
                        new Position("other", last.seq(), last.token()),
                        new Position(last.epoch(), last.seq(), last.token() + 1),
                        new Position(last.epoch(), last.seq() + 1, last.token()),
                        new Position(last.epoch(), last.seq() + 1, 0),
                        new Position(last.epoch(), 0, 1))) {
            assertThat(record.log(other).continues()).as(other.toString()).isFalse();
        }
        assertThat(record.log(last).continues()).isTrue();
        assertThat(record.log(new Position(last.epoch(), 0, 0)).continues()).isTrue();
    }

    @Test
    void bulksShouldNameNoKeys() throws IOException {
        put("!denied@example.com");
        put("weak@example.com auth=spf");
        Position start = record.last();
        List<Entry> entries =
                List.of(
                        entry("a@example.com"),
                        entry("b@example.com to=me@here.org origin=user"),
                        entry("denied@example.com"),
                        entry("weak@example.com"));
        Loaded loaded = record.load(entries, false);
        assertThat(loaded.changed()).isEqualTo(3);
        assertThat(loaded.others())
                .extracting(other -> other.before().lines(), other -> other.now().lines())
                .containsExactlyInAnyOrder(
                        tuple(List.of("!denied@example.com"), List.of("denied@example.com")),
                        tuple(List.of("weak@example.com auth=spf"), List.of("weak@example.com")));
        assertThat(find("denied@example.com", null)).isEqualTo(entry("!denied@example.com"));
        LogRows part = rows(record, start);
        assertThat(part).isEqualTo(new LogRows(true, record.last(), List.of(), true, false));
        assertThat(part.to().seq()).isEqualTo(start.seq() + 1);
        put("c@example.com");
        record.endLoad();
        LogRows whole = rows(record, start);
        assertThat(whole.bulk()).isTrue();
        assertThat(whole.ended()).isTrue();
        assertThat(whole.changes()).hasSize(1);
        record.load(entries, true);
        assertThat(find("denied@example.com", null)).isEqualTo(entry("denied@example.com"));
        assertThat(rows(record, start).ended()).isFalse();
    }

    @Test
    void loadShouldKeepTheRulesOfOtherOrigins() throws IOException {
        String pair = "a@example.com to=me@here.org";
        String user = pair + " origin=user";
        put(pair + " origin=learned");
        List<Entry> part = List.of(entry(pair), entry(user), entry("b@b.org"), entry("b@b.org"));
        assertThat(record.load(part, false)).isEqualTo(new Loaded(3, List.of()));
        assertThat(record.load(part, false)).isEqualTo(new Loaded(0, List.of()));
        assertThat(Objects.requireNonNull(find("a@example.com", "me@here.org")).lines())
                .containsExactlyInAnyOrder(pair, user, pair + " origin=learned");
    }

    private static Instant inDays(int days) {
        return Instant.now().plus(Duration.ofDays(days));
    }

    /** Returns an entry that ends with a day. */
    private static String until(String sender, int inDays) {
        return sender + " until=" + LocalDate.ofInstant(inDays(inDays), ZoneOffset.UTC);
    }

    /** Gives all rows of log and history so far the age of some days. */
    protected abstract void age(int days) throws Exception;

    /** Invariant 16, of entries. */
    @Test
    void endingShouldFindWhatEndsFirst() throws IOException {
        for (int days : List.of(40, 3, -2, 20, 10)) {
            put(until("d" + days + "@example.com", days));
        }
        put("never@example.com");
        Instant now = Instant.now();

        for (int max : List.of(2, 3, 9)) {
            assertThat(record.ending(now, now.plus(Duration.ofDays(30)), max))
                    .extracting(entry -> entry.key().toString())
                    .isEqualTo(
                            List.of("d3@example.com", "d10@example.com", "d20@example.com")
                                    .subList(0, Math.min(max, 3)));
        }
    }

    @Test
    void sweepShouldRemoveWhatEnded90DaysAgo() throws IOException {
        put(until("a@example.com", -92));
        put("b@example.com until=2020-12-31", "b@example.com auth=spf");
        put("c@example.com until=2020-12-31", until("!c@example.com", -88));
        put(until("d@example.com", -88));
        String pair = "e@example.com to=me@here.org";
        put(pair);
        put(until(pair + " origin=learned", -92));
        Position position = record.last();
        record.sweep();
        assertThat(find("a@example.com", null)).isNull();
        assertThat(record.count()).isEqualTo(4);
        assertThat(find("e@example.com", "me@here.org")).isEqualTo(entry(pair));
        assertThat(changed(position)).containsExactlyInAnyOrder("a@example.com", "e@example.com");
        assertThat(record.history(key("a@example.com"), 1).getFirst().lines()).isEmpty();
    }

    /** Invariant 16, of the log. */
    @Test
    void sweepShouldRemoveOldRowsButTheLast() throws Exception {
        Position start = record.last();
        for (int i = 0; i < Extent.of(5, 1_200); i++) {
            put("s" + i + "@example.com");
        }
        Position last = record.last();
        age(89);
        record.sweep();
        assertThat(record.log(start).continues()).isTrue();
        age(91);
        record.sweep();
        assertThat(record.log(start).continues()).isFalse();
        assertThat(record.history(key("s1@example.com"), 9)).isEmpty();
        assertThat(record.last()).isEqualTo(last);
        put("new@example.com");
        assertThat(changed(last)).containsExactly("new@example.com");
        record.sweep();
        assertThat(record.log(last).continues()).as("its row is old, and not the last").isFalse();
    }

    /** The only row of a log loses its key, so who has not read it must not miss it. */
    @Test
    void logShouldNotContinueBeforeARowWithoutItsKey() throws Exception {
        Position start = record.last();
        put("a@example.com");
        Position last = record.last();
        age(91);
        record.sweep();
        assertThat(record.log(start).continues()).isFalse();
        assertThat(rows(record, last).changes()).isEmpty();
    }

    private static final Comparator<Target> TARGETS =
            Comparator.comparing(
                            (Target target) -> new Entry(target.sender(), target.to(), List.of()),
                            Entry.ORDER)
                    .thenComparing(Target::origin);

    private static Entry random(Random random) {
        List<String> senders = List.of("@example.com", "a@a.org", "a@b.org", "ab@a.org", "ä@a.org");
        String sender = senders.get(random.nextInt(senders.size()));
        List<String> recipients =
                List.of("", " to=b@b.org", " to=ü@b.org", " to=@b.org", " to=@.b.org");
        String to = recipients.get(random.nextInt(recipients.size()));
        boolean isForOne = to.endsWith("b@b.org") && !sender.startsWith("@");
        String origin =
                List.of("", " origin=user", " origin=learned")
                        .get(isForOne ? random.nextInt(3) : 0);
        List<String> lines =
                IntStream.rangeClosed(0, random.nextInt(2))
                        .mapToObj(i -> sender + to + origin + " note=" + random.nextInt(3))
                        .distinct()
                        .toList();
        Entry entry = entry(lines.toArray(String[]::new));
        return new Entry(entry.key(), entry.to(), RulesCodec.ordered(entry.rules()));
    }

    /** Effects, answers, kinds of recipients, history, the log, orders and pages. */
    @Test
    void recordShouldDoAsTheModel() throws IOException {
        Random random = new Random(7);
        Map<Target, Entry> model = new TreeMap<>(TARGETS);
        Map<Key, Integer> changes = new TreeMap<>();
        for (int i = 0; i < Extent.of(400, 5_000); i++) {
            Entry entry = random(random);
            Target target = Target.of(entry);
            Position position = record.last();
            Entry before = model.get(target);
            Effect expected;
            if (random.nextInt(3) > 0) {
                boolean same =
                        before != null
                                && Set.copyOf(before.rules()).equals(Set.copyOf(entry.rules()));
                expected = before == null ? Effect.CREATED : same ? Effect.NONE : Effect.REPLACED;
                assertThat(put(record, entry)).isEqualTo(expected);
                model.put(target, same ? before : entry);
            } else {
                expected = model.remove(target) == null ? Effect.NONE : Effect.REMOVED;
                assertThat(remove(record, target)).isEqualTo(expected);
            }
            List<String> changed =
                    expected == Effect.NONE ? List.of() : List.of(entry.key().toString());
            assertThat(changed(position)).isEqualTo(changed);
            changes.merge(entry.key(), changed.size(), Integer::sum);
            assertThat(record.find(entry.key(), entry.to())).isEqualTo(found(model, entry));
        }
        List<Entry> all = merged(model);
        assertThat(all(record)).isEqualTo(all).hasSizeGreaterThan(9);
        assertThat(record.count()).isEqualTo(all.size());
        List<Pair> pairs = all.stream().map(Entry::pair).toList();
        assertThat(record.findAll(pairs))
                .isEqualTo(all.stream().map(each -> found(model, each)).toList());
        for (Key to : List.of(key("b@b.org"), key("@b.org"), key("nobody@b.org"))) {
            List<Entry> own = all.stream().filter(each -> to.equals(each.to())).toList();
            assertThat(record.entriesFor(to, 100)).isEqualTo(own);
            assertThat(record.entriesFor(to, 2)).isEqualTo(own.stream().limit(2).toList());
        }
        for (Map.Entry<Key, Integer> each : changes.entrySet()) {
            assertThat(record.history(each.getKey(), 10_000)).hasSize(each.getValue());
        }
        for (int max : List.of(1, 2, 3, all.size() - 1, all.size(), all.size() + 1)) {
            List<Entry> told = new ArrayList<>();
            for (List<Entry> page = record.page(null, max);
                    !page.isEmpty();
                    page = record.page(page.getLast(), max)) {
                assertThat(page).hasSize(Math.min(max, all.size() - told.size()));
                told.addAll(page);
            }
            assertThat(told).as("pages of %d", max).isEqualTo(all);
        }
        // After what is not there.
        assertThat(record.page(entry("aa@zzz.org to=x@b.org"), 1).getFirst().key())
                .isGreaterThan(key("aa@zzz.org"));
    }

    private static List<Entry> merged(Map<Target, Entry> model) {
        return model.values().stream()
                .map(entry -> new Entry(entry.key(), entry.to(), List.of()))
                .distinct()
                .map(entry -> Objects.requireNonNull(found(model, entry)))
                .map(entry -> new Entry(entry.key(), entry.to(), entry.rules()))
                .toList();
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
                : new Entry(asked.key(), asked.to(), RulesCodec.ordered(rules), kinds);
    }

    /**
     * Invariants 1 and 3: four threads on two servers change what they like, and add and remove
     * lines of one entry, each its own. Who reads the log meanwhile ends with what there is.
     */
    @Test
    void recordShouldLoseNothingThatManyThreadsWrite() throws Exception {
        int rounds = Extent.of(50, 1_000);
        Position position = record.last();
        Map<Entry, Entry> seen = new TreeMap<>(Entry.ORDER);
        ListRecord second = open("vip");
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<Boolean>> running = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                ListRecord own = i % 2 == 0 ? record : second;
                Entry line = entry("x@example.com to=me@here.org note=" + i);
                Random random = new Random(i);
                running.add(threads.submit(() -> change(own, line, random, rounds)));
            }
            boolean last = false;
            while (!last) {
                last = running.stream().allMatch(Future::isDone);
                LogRows rows = rows(record, position);
                rows.changes().forEach(change -> seen.put(change, change));
                position = rows.to();
            }
            for (Future<Boolean> one : running) {
                assertThat(one.get()).isTrue();
            }
        }
        seen.values().removeIf(entry -> entry.rules().isEmpty());
        assertThat(List.copyOf(seen.values())).isEqualTo(all(record)).isNotEmpty();
        assertThat(find("x@example.com", "me@here.org")).isNull();
        assertThat(record.history(key("x@example.com"), 10_000)).hasSize(4 * 2 * rounds);
    }

    private static boolean change(ListRecord record, Entry line, Random random, int rounds)
            throws IOException {
        Rule rule = line.rules().getFirst();
        Target target = Target.of(line);
        for (int i = 0; i < rounds; i++) {
            Edit add =
                    new Edit(
                            target,
                            rules -> Stream.concat(rules.stream(), Stream.of(rule)).toList());
            assertThat(record.write(List.of(add), "admin")).doesNotContain(Effect.NONE);
            assertThat(Objects.requireNonNull(record.find(line.key(), line.to())).rules())
                    .contains(rule);
            Entry entry = random(random);
            if (random.nextInt(3) > 0) {
                put(record, entry);
            } else {
                remove(record, Target.of(entry));
            }
            Edit takeAway =
                    new Edit(
                            target,
                            rules -> rules.stream().filter(each -> !each.equals(rule)).toList());
            assertThat(record.write(List.of(takeAway), "admin")).doesNotContain(Effect.NONE);
        }
        return true;
    }

    @Tag("large")
    @Test
    void logShouldNotContinueOverMoreRowsThanItReads() throws Exception {
        Position start = record.last();
        List<Edit> part = Collections.nCopies(1_000, Edit.put(entry("s@example.com")));
        for (int i = 0; i < ListRecord.MAX_ROWS / part.size(); i++) {
            record.write(part, "admin", true, null);
        }
        assertThat(record.log(start).continues()).isTrue();
        put("one@example.com");
        assertThat(record.log(start).continues()).isFalse();
        record.sweep();
        assertThat(record.log(record.last()).continues()).isTrue();
    }
}
