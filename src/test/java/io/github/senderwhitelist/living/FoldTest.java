package io.github.senderwhitelist.living;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.ListCounters.LookupTimer;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FaultyDisk;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.living.BaseAndChanges.Since;
import io.github.senderwhitelist.living.EntryTable.Effect;
import io.github.senderwhitelist.living.EntryTable.Target;
import io.github.senderwhitelist.tools.SmallLists;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/** Changes are folded into a base, which says the same before and after that. */
class FoldTest {
    private static final Path BASE = Path.of("/var/whitelist/test.base");
    private static final int SENDERS = 400;
    private static final int RECIPIENTS = 6;

    private final Random random = new Random(4711);
    private final MemoryTable table = new MemoryTable();
    private final MemoryDisk memory = new MemoryDisk();
    private final FaultyDisk disk = new FaultyDisk(memory);
    private Follower follower = follower(Follower.MOST_BYTES);
    private BaseMaker maker = maker();

    private Follower follower(long mostBytes) {
        return follower(mostBytes, Duration.ofSeconds(1));
    }

    private Follower follower(long mostBytes, Duration patience) {
        return new Follower(
                table,
                random::nextLong,
                System::nanoTime,
                Instant::now,
                mostBytes,
                patience,
                why -> {});
    }

    private BaseMaker maker() {
        return maker(disk, follower);
    }

    private BaseMaker maker(Disk disk, Follower follower) {
        return new BaseMaker(
                new LivingSettings(
                        "test",
                        FilterSize.ofBitsPerKey(12),
                        0,
                        Duration.ofHours(1),
                        0,
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(30),
                        true),
                disk,
                BASE,
                table,
                follower,
                new ListCounters(LookupTimer.NONE),
                new LivingListener() {});
    }

    private void begin() throws IOException {
        follower.poll();
        assertThat(maker.stream(Objects.requireNonNull(follower.next()))).isTrue();
    }

    private void assertLostIsNoticed(Key lost) throws Exception {
        assertThat(follower.poll()).isFalse();
        begin();
        assertThat(find(inForce(follower), lost, null)).isNull();
    }

    private boolean fold() throws IOException {
        BaseAndChanges from = Objects.requireNonNull(follower.inForce());
        Since since = Objects.requireNonNull(follower.begin());
        try {
            return maker.fold(from, since, follower::pollAgain);
        } finally {
            follower.giveUp(since);
        }
    }

    private static Key key(String address) {
        return SmallLists.address(address).key();
    }

    private static Key sender(int i) {
        return i % 10 == 0
                ? Key.of(new byte[0], ("d" + i + ".example").getBytes(US_ASCII))
                : key("user" + i + "@d" + i % 7 + ".example");
    }

    private static @Nullable Key recipient(int i) {
        return switch (i) {
            case 0 -> null;
            case 1 -> Key.of(new byte[0], "here.example".getBytes(US_ASCII));
            case 2 -> Key.of(new byte[0], ".here.example".getBytes(US_ASCII));
            default -> key("to" + i + "@here.example");
        };
    }

    private Target target() {
        return new Target(
                List.of(Origin.values()).get(random.nextInt(3)),
                sender(random.nextInt(SENDERS)),
                recipient(random.nextInt(RECIPIENTS)));
    }

    private Entry entry(Target about) {
        List<Rule> rules = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            rules.add(
                    new Rule(
                            random.nextInt(3) == 0,
                            null,
                            null,
                            null,
                            about.origin(),
                            random.nextBoolean() ? "" : i + "x".repeat(random.nextInt(240))));
        }
        return new Entry(about.sender(), about.to(), rules.stream().distinct().toList());
    }

    /** Returns an entry for the first sender. */
    private static Entry noted(String note) {
        Rule rule = new Rule(false, null, null, null, Origin.ADMIN, note);
        return new Entry(sender(1), null, List.of(rule));
    }

    private void change(int times) throws IOException {
        for (int i = 0; i < times; i++) {
            Target about = target();
            if (random.nextInt(3) == 0) {
                follower.removeAll(List.of(about), "test");
            } else {
                follower.putAll(List.of(entry(about)), "test");
            }
        }
    }

    private static SenderLines inForce(Follower follower) {
        return Objects.requireNonNull(follower.inForce()).generation();
    }

    /** Returns the rules of each pair of which there are some. */
    private static Map<Pair, List<Rule>> all(SenderLines lines) throws Exception {
        Map<Pair, List<Rule>> all = new HashMap<>();
        for (int i = 0; i < SENDERS; i++) {
            for (int k = 0; k < RECIPIENTS; k++) {
                Entry entry = find(lines, sender(i), recipient(k));
                if (entry != null && !entry.rules().isEmpty()) {
                    all.put(new Pair(sender(i), recipient(k)), entry.rules());
                }
            }
        }
        return all;
    }

    private static @Nullable Entry find(SenderLines lines, Key sender, @Nullable Key to)
            throws Exception {
        boolean maybe =
                sender.isDomain()
                        ? lines.mightContainDomain(sender.bytes(), sender.domainStart())
                        : lines.mightContainAddress(sender);
        return maybe ? lines.find(sender, to) : null;
    }

    private Map<Pair, List<Rule>> ofTable() throws IOException {
        Map<Pair, List<Rule>> all = new HashMap<>();
        table.forEach(
                entry ->
                        all.put(
                                new Pair(entry.key(), entry.to()),
                                RulesCodec.ordered(entry.rules())));
        return all;
    }

    @Test
    void shouldSayTheSameBeforeAndAfterAFold() throws Exception {
        begin();
        for (int round = 0; round < 4; round++) {
            change(600);
            Map<Pair, List<Rule>> expected = ofTable();
            assertThat(all(inForce(follower))).isEqualTo(expected);
            follower.poll();
            assertThat(fold()).isTrue();
            assertThat(all(inForce(follower))).isEqualTo(expected);
        }
    }

    /** What another server puts into the same workDirectory has other hashes, and other changes. */
    @Test
    void shouldRefuseTheBaseOfAnotherServerInThePlaceOfItsOwn() throws Exception {
        begin();
        change(100);
        Map<Pair, List<Rule>> expected = ofTable();
        Follower other = follower(Follower.MOST_BYTES);
        other.poll();
        BaseMaker otherMaker = maker(memory, other);
        Disk shared =
                (Disk)
                        Proxy.newProxyInstance(
                                Disk.class.getClassLoader(),
                                new Class<?>[] {Disk.class},
                                (proxy, method, arguments) -> {
                                    Object result = method.invoke(memory, arguments);
                                    if (method.getName().equals("rename")) {
                                        otherMaker.stream(Objects.requireNonNull(other.next()));
                                    }
                                    return result;
                                });
        maker = maker(shared, follower);

        assertThatThrownBy(this::fold)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Needed: a workDirectory of its own for each server");
        assertThat(all(inForce(follower))).isEqualTo(expected);
        assertThat(all(inForce(other))).isEqualTo(expected);
    }

    @Test
    void shouldMakeTheSameBaseByAFoldAsOfTheTable() throws Exception {
        begin();
        change(1_500);
        follower.poll();
        fold();
        Map<Pair, Set<?>> folded = kinds(inForce(follower));
        assertThat(maker.stream(Objects.requireNonNull(follower.begin()))).isTrue();
        assertThat(all(inForce(follower))).isEqualTo(ofTable());
        assertThat(kinds(inForce(follower))).isEqualTo(folded);
    }

    private static Map<Pair, Set<?>> kinds(SenderLines lines) throws Exception {
        Map<Pair, Set<?>> kinds = new HashMap<>();
        for (int i = 0; i < SENDERS; i++) {
            Entry entry = find(lines, sender(i), null);
            if (entry != null) {
                kinds.put(new Pair(sender(i), null), new HashSet<>(entry.kinds()));
            }
        }
        return kinds;
    }

    @Test
    void shouldKeepWhatIsTooLargeForABlock() throws Exception {
        begin();
        Key sender = sender(1);
        List<Rule> all = new ArrayList<>();
        for (Origin origin : Origin.values()) {
            List<Rule> rules = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                rules.add(new Rule(false, null, null, null, origin, i + "x".repeat(240)));
            }
            all.addAll(rules);
            follower.putAll(List.of(new Entry(sender, recipient(4), rules)), "test");
        }
        follower.poll();
        for (int i = 0; i < 3; i++) {
            fold();
            assertThat(all(inForce(follower)))
                    .containsEntry(new Pair(sender, recipient(4)), RulesCodec.ordered(all));
        }
        restart();
        assertThat(all(inForce(follower)))
                .containsEntry(new Pair(sender, recipient(4)), RulesCodec.ordered(all));
        follower.poll();
        follower.removeAll(List.of(new Target(Origin.ADMIN, sender, recipient(4))), "test");
        follower.removeAll(List.of(new Target(Origin.USER, sender, recipient(4))), "test");
        follower.poll();
        fold();
        assertThat(all(inForce(follower))).isEqualTo(ofTable()).hasSize(1);
        assertThat(Objects.requireNonNull(follower.inForce()).since().changes().count()).isZero();
    }

    private void restart() throws IOException {
        follower.close();
        follower = follower(Follower.MOST_BYTES);
        maker = maker();
        assertThat(maker.resume()).isTrue();
    }

    @Test
    void shouldForgetWhatIsFolded() throws Exception {
        begin();
        change(300);
        follower.poll();
        fold();
        Changes changes = Objects.requireNonNull(follower.inForce()).since().changes();
        assertThat(changes.count()).isZero();
        restart();
        follower.poll();
        assertThat(all(inForce(follower))).isEqualTo(ofTable());
    }

    @Test
    void shouldStayInForceWhenAFoldFails() throws Exception {
        begin();
        change(300);
        for (int at = 0; at < 12; at++) {
            disk.arm(FaultyDisk.Fault.FULL, at, false);
            try {
                fold();
            } catch (IOException e) {
                assertThat(e).hasMessageContaining(FaultyDisk.FULL);
            }
            disk.disarm();
            assertThat(all(inForce(follower))).isEqualTo(ofTable());
        }
        restart();
        follower.poll();
        assertThat(all(inForce(follower))).isEqualTo(ofTable());
    }

    @Test
    void shouldRefuseChangesWhenThereIsNoRoomForThem() throws Exception {
        follower = follower(40_000);
        maker = maker();
        begin();
        assertThatThrownBy(() -> change(3_000))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("too many changes")
                .hasMessageContaining("Nothing was changed");
        assertThat(all(inForce(follower))).isEqualTo(ofTable());

        follower.poll();
        fold();
        assertThat(follower.isFull()).isFalse();
        change(1);
        assertThat(all(inForce(follower))).isEqualTo(ofTable());
    }

    @Test
    void shouldLetChangesWaitForTheFoldThatMakesRoom() throws Exception {
        follower = follower(40_000);
        maker = maker();
        begin();
        assertThatThrownBy(() -> change(3_000)).hasMessageContaining("too many changes");
        follower.poll();
        Since since = Objects.requireNonNull(follower.begin());
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread writer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        change(1);
                                    } catch (IOException | RuntimeException e) {
                                        failure.set(e);
                                    }
                                });
        await().until(() -> writer.getState() == Thread.State.TIMED_WAITING);

        maker.fold(Objects.requireNonNull(follower.inForce()), since, follower::pollAgain);
        writer.join();

        assertThat(failure.get()).isNull();
        assertThat(all(inForce(follower))).isEqualTo(ofTable());
    }

    /** The base may have been read before the entry was removed. */
    @Test
    void shouldPollBeforeItSaysThatNothingWasToDoWhileABaseIsMade() throws Exception {
        begin();
        Target gone = new Target(Origin.ADMIN, sender(1), null);
        table.put(entry(new Target(Origin.ADMIN, sender(2), null)), "another server");
        Since since = Objects.requireNonNull(follower.begin());

        assertThat(follower.removeAll(List.of(gone), "test")).containsExactly(Effect.NONE);

        assertThat(find(inForce(follower), sender(2), null)).isNotNull();
        follower.giveUp(since);
    }

    @Test
    void shouldReadOnOnceThereIsRoom() throws Exception {
        follower = follower(40_000);
        maker = maker();
        begin();
        changeByOthers(30);
        assertThat(follower.poll()).isTrue();
        changeByOthers(300);
        assertThatThrownBy(follower::poll)
                .hasMessageContaining("too many changes")
                .hasMessageContaining("not read on until then");
        fold();
        boolean goesOn = false;
        for (int i = 0; i < 20 && !goesOn; i++) {
            try {
                goesOn = follower.poll() || maker.stream(Objects.requireNonNull(follower.next()));
            } catch (IOException e) {
                fold();
            }
        }
        assertThat(all(inForce(follower))).isEqualTo(ofTable());
    }

    private void changeByOthers(int times) throws IOException {
        for (int i = 0; i < times; i++) {
            table.put(entry(target()), "another server");
        }
    }

    /** What it has brought is in force, but the position has not seen it. */
    @Test
    void shouldNoticeThatADatabaseWasPutBackAfterAPollThatFailed() throws Exception {
        table.put(entry(new Target(Origin.ADMIN, sender(1), null)), "test");
        begin();
        table.put(entry(new Target(Origin.ADMIN, sender(2), null)), "another server");
        table.breakOff();
        assertThatThrownBy(follower::poll).hasMessage("broken off");
        assertThat(find(inForce(follower), sender(2), null)).isNotNull();
        table.takeBack();
        assertLostIsNoticed(sender(2));
    }

    /** The poll found that the feed does not go on, but could not begin again. */
    @Test
    void shouldRememberWhatItLaidWhenItCannotBeginAgain() throws Exception {
        follower = follower(40_000);
        maker = maker();
        begin();
        for (int i = 0; i < 2_000; i++) {
            Key sender = key("user" + i + "@many.example");
            table.put(entry(new Target(Origin.ADMIN, sender, null)), "another server");
        }
        table.afterFeed(() -> table.fail("away"));
        assertThatThrownBy(follower::poll).hasMessage("away");
        assertThat(follower.isFull()).isTrue();
        table.fail(null);
        for (int i = 0; i < 1_990; i++) {
            table.takeBack();
        }
        assertLostIsNoticed(key("user20@many.example"));
    }

    /** Another change uses the number, so that no poll would ever miss this one. */
    @Test
    void shouldNotLayAChangeThatWasPutBackBeforeItWasAcknowledged() throws Exception {
        begin();
        table.beforeAnswer(
                () -> {
                    table.takeBack();
                    table.put(entry(new Target(Origin.ADMIN, sender(2), null)), "another server");
                    assertThat(follower.poll()).isTrue();
                });
        follower.putAll(List.of(entry(new Target(Origin.ADMIN, sender(1), null))), "test");
        assertThat(find(inForce(follower), sender(1), null)).isNull();
        assertThat(find(inForce(follower), sender(2), null)).isNotNull();
    }

    /** Another change of the same entry uses the number, and a poll has brought it. */
    @Test
    void shouldNotLayAChangeThatWasPutBackOverAnotherOfItsNumber() throws Exception {
        begin();
        table.beforeAnswer(
                () -> {
                    table.takeBack();
                    table.put(noted("other"), "another server");
                    assertThat(follower.poll()).isTrue();
                });
        follower.putAll(List.of(noted("own")), "test");
        assertThat(follower.poll()).isTrue();
        assertThat(all(inForce(follower))).isEqualTo(ofTable()).hasSize(1);
    }

    /** The position has seen its number, so that no later poll would miss it. */
    @Test
    void shouldNoticeThatAChangeWasPutBackBeforeAPollThatHadBegunReadTheFeed() throws Exception {
        begin();
        table.beforeFeed(
                () -> {
                    Entry own = entry(new Target(Origin.ADMIN, sender(1), null));
                    follower.putAll(List.of(own), "test");
                    table.takeBack();
                    table.put(entry(new Target(Origin.ADMIN, sender(2), null)), "another server");
                });
        assertLostIsNoticed(sender(1));
        assertThat(find(inForce(follower), sender(2), null)).isNotNull();
    }

    /** Only its token shows that the change that the poll brings is another one. */
    @Test
    void shouldNoticeAnotherChangeOfTheSameEntryWithTheNumberOfOneThatWasPutBack()
            throws Exception {
        begin();
        table.beforeFeed(
                () -> {
                    follower.putAll(List.of(noted("own")), "test");
                    table.takeBack();
                    table.put(noted("other"), "another server");
                });
        assertThat(follower.poll()).isFalse();
        begin();
        assertThat(all(inForce(follower))).isEqualTo(ofTable()).hasSize(1);
    }

    /** The poll had read the feed before the base was made. */
    @Test
    void shouldNoticeThatWhatABaseHasWasPutBackThatCameIntoForceDuringAPoll() throws Exception {
        follower.poll();
        table.afterFeed(
                () -> {
                    table.put(entry(new Target(Origin.ADMIN, sender(1), null)), "another server");
                    assertThat(maker.stream(Objects.requireNonNull(follower.next()))).isTrue();
                });
        assertThat(follower.poll()).isTrue();
        assertThat(find(inForce(follower), sender(1), null)).isNotNull();
        table.takeBack();
        assertLostIsNoticed(sender(1));
    }

    /** The feed was read before the database was put back, and is laid after the change. */
    @Test
    void shouldKeepAChangeThatWasMadeAfterTheDatabaseWasPutBackDuringAPoll() throws Exception {
        begin();
        table.put(noted("other"), "another server");
        table.afterFeed(
                () -> {
                    table.takeBack();
                    follower.putAll(List.of(noted("own")), "test");
                });
        assertThat(follower.poll()).isFalse();
        assertThat(all(inForce(follower))).isEqualTo(ofTable()).hasSize(1);
    }

    /** Nor has the position seen it, so that it is not missed by the poll. */
    @Test
    void shouldKeepAChangeThatHasTheNumberOfOneThatWasPutBackDuringAPoll() throws Exception {
        begin();
        table.put(noted("other"), "another server");
        table.afterFeed(
                () -> {
                    table.takeBackTheNumberOnly();
                    follower.putAll(List.of(noted("own")), "test");
                });
        assertThat(follower.poll()).isFalse();
        assertThat(all(inForce(follower))).isEqualTo(ofTable()).hasSize(1);
    }

    /** The other change is in the table, but is not laid yet. */
    @Test
    void shouldNotSayThatNothingWasToDoBeforeAnotherOwnChangeIsLaid() throws Exception {
        begin();
        Target about = new Target(Origin.ADMIN, sender(1), null);
        table.beforeAnswer(
                () -> {
                    table.remove(about.origin(), about.sender(), about.to(), "another server");
                    assertThat(follower.removeAll(List.of(about), "test"))
                            .containsExactly(Effect.NONE);
                });
        follower.putAll(List.of(entry(about)), "test");
        assertThat(find(inForce(follower), sender(1), null)).isNull();
    }

    /** What the feed says is older, but is laid later. */
    @Test
    void shouldNotSayThatNothingWasToDoWhileAPollGoesOn() throws Exception {
        follower = follower(Follower.MOST_BYTES, Duration.ZERO);
        maker = maker();
        begin();
        Target about = new Target(Origin.ADMIN, sender(1), null);
        table.put(entry(about), "another server");
        table.afterFeed(
                () -> {
                    table.remove(about.origin(), about.sender(), about.to(), "another server");
                    assertThatThrownBy(() -> follower.removeAll(List.of(about), "test"))
                            .hasMessageContaining("still being read");
                });
        assertThat(follower.poll()).isTrue();
        assertThat(find(inForce(follower), sender(1), null)).isNotNull();
        assertThat(follower.removeAll(List.of(about), "test")).containsExactly(Effect.NONE);
        assertThat(find(inForce(follower), sender(1), null)).isNull();
    }

    /** It is in the base, but the position of the base has not seen it. */
    @Test
    void shouldNoticeThatAChangeWasPutBackAfterAFoldWithoutRoomAndARestart() throws Exception {
        follower = follower(40_000);
        maker = maker();
        begin();
        changeByOthers(30);
        assertThat(follower.poll()).isTrue();
        Entry own = new Entry(key("own@example.com"), null, entry(target()).rules());
        follower.putAll(List.of(own), "test");
        changeByOthers(300);
        assertThat(fold()).isTrue();
        for (int i = 0; i < 301; i++) {
            table.takeBack();
        }
        changeByOthers(301);
        restart();
        assertThat(find(inForce(follower), own.key(), null)).isNotNull();
        assertLostIsNoticed(own.key());
        assertThat(all(inForce(follower))).isEqualTo(ofTable());
    }

    /** Only the base in force takes the change: the next one's position has seen its number. */
    @Test
    void shouldNoticeThatAChangeWasPutBackThatOnlyTheBaseInForceHad() throws Exception {
        begin();
        table.useTransactions(1);
        assertThat(follower.poll()).isTrue();
        BaseAndChanges from = Objects.requireNonNull(follower.inForce());
        Since next = Objects.requireNonNull(follower.begin());
        table.useTransactions(-1);
        assertThat(follower.poll()).isTrue();
        table.beforeFeed(
                () -> {
                    throw new IOException("away");
                });
        Entry own = entry(new Target(Origin.ADMIN, sender(1), null));
        assertThatThrownBy(() -> follower.putAll(List.of(own), "test")).hasMessage("away");
        assertThat(find(inForce(follower), sender(1), null)).isNotNull();
        table.takeBack();

        assertThat(maker.fold(from, next, follower::pollAgain)).isFalse();
        begin();
        assertThat(find(inForce(follower), sender(1), null)).isNull();
    }

    @Test
    void shouldGoOnAfterAChangeDuringAPoll() throws Exception {
        begin();
        for (int i = 1; i < 4; i++) {
            Entry own = entry(new Target(Origin.ADMIN, sender(i), null));
            table.beforeFeed(() -> follower.putAll(List.of(own), "test"));
            assertThat(follower.poll()).isTrue();
        }
        assertThat(follower.poll()).isTrue();
        assertThat(all(inForce(follower))).isEqualTo(ofTable()).hasSize(3);
    }

    @Test
    void shouldGoOnAfterAPollThatFailed() throws Exception {
        begin();
        table.put(entry(new Target(Origin.ADMIN, sender(2), null)), "another server");
        for (int i = 0; i < 3; i++) {
            table.breakOff();
            assertThatThrownBy(follower::poll).hasMessage("broken off");
        }
        assertThat(follower.poll()).isTrue();
        assertThat(follower.poll()).isTrue();
        assertThat(find(inForce(follower), sender(2), null)).isNotNull();
    }
}
