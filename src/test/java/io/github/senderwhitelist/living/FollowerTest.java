package io.github.senderwhitelist.living;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FaultyDisk;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.living.Follower.Setup;
import io.github.senderwhitelist.living.Follower.State;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.MemoryRecord.Moment;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;

/** When the table is read, when a list is behind, and what is refused; without threads. */
class FollowerTest {
    private static final Path FILE = Path.of("/var/own.base");
    private static final Duration DAY = Duration.ofDays(1);

    private final MemoryRecord record = new MemoryRecord(new Random(1));
    private final MemoryDisk files = new MemoryDisk();
    private final List<Follower> opened = new ArrayList<>();
    private long nanos = 1L << 40;
    private long freeBytes = Long.MAX_VALUE;

    /** What is done once before a file is opened. */
    private @Nullable Callable<?> beforeOpening;

    /** How often a listener was told that the log does not continue. */
    private int breaks;

    private Follower follower;

    @BeforeEach
    void open() throws IOException {
        record.create();
        follower = follower("own", 1 << 20);
        assertThat(follower.readTable()).isTrue();
        follower.read();
    }

    @AfterEach
    void close() {
        opened.forEach(Follower::close);
        assertThat(files.openFiles()).isEmpty();
    }

    private Follower follower(String list, long maxBytes) {
        Disk disk =
                new FaultyDisk(files) {
                    @Override
                    protected void before(Call call, Path path) throws IOException {
                        Callable<?> step = beforeOpening;
                        if (call == Call.OPEN && step != null) {
                            beforeOpening = null;
                            assertThatCode(step::call).doesNotThrowAnyException();
                        }
                    }

                    @Override
                    public long freeBytes(Path folder) {
                        assertThat(files.folders()).contains(folder);
                        return freeBytes;
                    }
                };
        LivingListener listener =
                new LivingListener() {
                    @Override
                    public void broken() {
                        breaks++;
                    }
                };
        Follower made =
                new Follower(
                        new Setup(
                                TestLivingLists.settings(
                                        list, Duration.ofSeconds(2), Duration.ofSeconds(30)),
                                record,
                                disk,
                                FILE,
                                new ListCounters(),
                                listener,
                                maxBytes,
                                () -> nanos,
                                () -> record.now));
        opened.add(made);
        return made;
    }

    private State state() {
        return Objects.requireNonNull(follower.state());
    }

    private boolean isListed(String sender) throws Exception {
        return state().base().find(key(sender), null) != null;
    }

    private void pass(Duration time) throws IOException {
        nanos += time.toNanos();
        follower.read();
    }

    private List<Effect> put(String line) throws IOException {
        return follower.write(List.of(Edit.put(entry(line))), "test");
    }

    private static List<Entry> entries(int count) {
        return IntStream.range(0, count).mapToObj(i -> entry("s" + i + "@example.org")).toList();
    }

    private void load(String line) throws IOException {
        record.load(List.of(entry(line)), false);
    }

    @Test
    void bulkShouldBeReadAtOnceWhenItHasEnded() throws Exception {
        load("a@example.com");
        follower.read();
        assertThat(follower.mustReadTable()).isFalse();
        assertThat(follower.isBehind()).as("it owes a bulk").isFalse();
        record.endLoad();
        follower.read();
        assertThat(follower.mustReadTable()).isTrue();
        assertThat(follower.readTable()).isTrue();
        assertThat(follower.mustReadTable()).isFalse();
        assertThat(isListed("a@example.com")).isTrue();
    }

    @Test
    void putOfWhatABulkHasBroughtShouldBeActiveThoughThatIsOwed() throws Exception {
        load("a@example.com");
        follower.read();
        assertThat(isListed("a@example.com")).isFalse();
        assertThat(put("a@example.com")).containsExactly(Effect.NONE);
        assertThat(isListed("a@example.com")).isTrue();
    }

    @Test
    void bulkWithoutAnEndShouldBeReadAfterTenQuietSeconds() throws Exception {
        load("a@example.com");
        follower.read();
        pass(Duration.ofSeconds(9));
        load("b@example.com");
        follower.read();
        pass(Duration.ofSeconds(9));
        assertThat(follower.mustReadTable()).isFalse();
        pass(Duration.ofSeconds(1));
        assertThat(follower.mustReadTable()).isTrue();
    }

    @Test
    void bulkThatIsOwedAtAStartShouldBeReadAfterTenQuietSeconds() throws Exception {
        load("a@example.com");
        follower.read();
        assertThat(follower.merge()).isTrue();
        Follower again = follower("own", 1 << 20);
        assertThat(again.resume()).isTrue();
        assertThat(again.mustReadTable()).isFalse();
        nanos += Duration.ofSeconds(10).toNanos();
        assertThat(again.mustReadTable()).isTrue();
    }

    @Test
    void bulkThatGoesOnShouldBeReadAfterTenMinutes() throws Exception {
        load("a@example.com");
        follower.read();
        for (int i = 0; i < 119; i++) {
            pass(Duration.ofSeconds(5));
            load("a@example.com");
            follower.read();
            assertThat(follower.mustReadTable()).isFalse();
        }
        pass(Duration.ofSeconds(5));
        assertThat(follower.mustReadTable()).isTrue();
    }

    @Test
    void restoreShouldLeaveWhatIsActiveAndBeBehindUntilTheTableIsRead() throws Exception {
        Object backup = record.backup();
        put("a@example.com");
        record.restore(backup);
        follower.read();
        assertThat(follower.isBehind()).isTrue();
        assertThat(follower.mustReadTable()).isTrue();
        assertThat(isListed("a@example.com")).isTrue();
        assertThat(put("b@example.com")).containsExactly(Effect.CREATED);
        assertThat(isListed("b@example.com")).isTrue();
        assertThat(follower.readTable()).isTrue();
        assertThat(follower.isBehind()).isFalse();
        assertThat(isListed("a@example.com")).isFalse();
    }

    @Test
    void breakShouldStayOwedWhenABulkFollows() throws Exception {
        Object backup = record.backup();
        put("a@example.com");
        record.restore(backup);
        follower.read();
        assertThat(breaks).isEqualTo(1);
        load("b@example.com");
        follower.read();
        record.restore(backup);
        follower.read();
        assertThat(breaks).as("said once").isEqualTo(1);
        assertThat(state().owing()).isEqualTo(Follower.Owing.BREAK);
        assertThat(follower.isBehind()).isTrue();
        assertThat(follower.mustReadTable()).isTrue();
    }

    /** Invariant 8: what cannot become active is refused before it is written. */
    @Test
    void writeShouldBeRefusedWithoutABaseAndWhenChangesAreFull() throws Exception {
        List<Edit> edits = List.of(Edit.put(entry("a@example.com")));
        Follower none = follower("own", 1 << 20);
        assertThatThrownBy(() -> none.write(edits, "test")).hasMessageContaining("refused");
        assertThat(none.mustMerge() || none.merge()).as("nothing is known").isFalse();
        Follower full = follower("own", Changes.BITS / Byte.SIZE);
        assertThat(full.resume()).isTrue();
        assertThatThrownBy(() -> full.write(edits, "test")).hasMessageContaining("refused");
        assertThatThrownBy(full::read).hasMessageContaining("bytes");
        assertThat(record.count()).isZero();
    }

    @Test
    void writeShouldSayThatItWasWrittenWhenItCannotBeRepeated() throws Exception {
        Object backup = record.backup();
        put("b@example.com");
        record.restore(backup);
        record.faults = moment -> record.away = moment == Moment.AFTER_COMMIT ? "gone" : null;
        assertThatThrownBy(() -> put("a@example.com"))
                .hasMessage(
                        "the change was written, and becomes active once the table is read: gone");
        record.away = null;
        assertThat(isListed("a@example.com")).isFalse();
        assertThat(follower.readTable()).isTrue();
        assertThat(isListed("a@example.com")).isTrue();
    }

    /** Invariant 11. */
    @Test
    void basesShouldNotBeMadeWhereTheyDoNotFit() throws Exception {
        put("a@example.com");
        long needed = 2 * state().base().header().fileLength() + 40 + (1 << 20);
        freeBytes = needed - 1;
        assertThatThrownBy(follower::merge)
                .hasMessageEndingWith("needs %s bytes, and %s are free", needed, freeBytes);
        assertThat(state().changes().count()).isEqualTo(1);
        assertThat(isListed("a@example.com")).isTrue();
        freeBytes = needed;
        assertThat(follower.merge()).isTrue();
        freeBytes = 1_000;
        assertThatThrownBy(follower::readTable).hasMessageContaining("1000 are free");
        assertThat(isListed("a@example.com")).isTrue();
    }

    @Test
    void readingOfTheTableShouldEndWhenTheDiskBecomesFull() throws Exception {
        record.load(entries(10_000), false);
        record.faults = moment -> freeBytes = moment == Moment.VISIT ? 1_000 : freeBytes;
        assertThatThrownBy(follower::readTable).hasMessageContaining("1000 are free");
    }

    @Test
    void tableShouldNotBecomeActiveWhenTheLogBreaksOrTheListIsClosed() throws Exception {
        Object backup = record.backup();
        put("a@example.com");
        State before = state();
        record.faults = moment -> record.restore(backup);
        assertThat(follower.readTable()).isFalse();
        assertThat(state()).isSameAs(before);
        record.faults = moment -> follower.close();
        assertThat(follower.readTable()).isFalse();
        assertThat(follower.state()).isNull();
    }

    @Test
    void stepsShouldLeaveTheirTurnToOthers() throws Exception {
        Callable<Boolean> read =
                () -> {
                    follower.read();
                    return true;
                };
        for (Callable<?> each :
                List.<Callable<?>>of(read, () -> put("a@example.com"), follower::readTable)) {
            each.call();
            FutureTask<Boolean> other = new FutureTask<>(read);
            Thread.startVirtualThread(other);
            assertThat(other).succeedsWithin(Duration.ofMinutes(5)).isEqualTo(true);
        }
    }

    /** Invariants 5 and 9. */
    @Test
    void mergeShouldBeDroppedWhenTheTableWasReadMeanwhile() throws Exception {
        put("a@example.com");
        State from = state();
        var frozen = from.changes().frozen();
        record.write(List.of(Edit.remove(ListRecord.Target.of(entry("a@example.com")))), "b");
        assertThat(follower.readTable()).isTrue();
        State now = state();
        Follower other = follower("own", 1 << 20);
        assertThat(other.resume()).isTrue();
        opened.remove(other);
        State merged = Objects.requireNonNull(other.state());
        assertThat(follower.merged(merged, from, frozen)).isFalse();
        assertThat(state()).isSameAs(now);
        assertThat(isListed("a@example.com")).isFalse();
    }

    @Test
    void mergeShouldBeDroppedWhenTheListIsClosedMeanwhile() throws Exception {
        put("a@example.com");
        beforeOpening =
                () -> {
                    follower.close();
                    return true;
                };
        assertThat(follower.merge()).isFalse();
        assertThat(follower.state()).isNull();
    }

    /** A stop merges, though a change may wait for a database that is away. */
    @Test
    void mergeShouldNotWaitForAChangeThatIsBeingMade() throws Exception {
        put("a@example.com");
        ListRecord.Position before = state().position();
        record.faults =
                beforeCommit -> {
                    record.faults = none -> {};
                    FutureTask<Boolean> merge = new FutureTask<>(follower::merge);
                    Thread.startVirtualThread(merge);
                    assertThat(merge).succeedsWithin(Duration.ofMinutes(5)).isEqualTo(true);
                    assertThat(state().position()).isEqualTo(before);
                    assertThat(state().changes().count()).isZero();
                };
        assertThat(put("b@example.com")).containsExactly(Effect.CREATED);
        assertThat(state().position()).isEqualTo(record.last());
        assertThat(state().changes().count()).isEqualTo(1);
        assertThat(isListed("a@example.com")).isTrue();
        assertThat(isListed("b@example.com")).isTrue();
    }

    @Test
    void baseOfAnotherListShouldNotBeResumed() throws Exception {
        Follower other = follower("other", 1 << 20);
        assertThat(other.resume()).isFalse();
        files.delete(FILE);
        assertThat(other.resume()).isFalse();
        assertThat(other.state()).isNull();
    }

    /** Two servers with one work directory: the base of the other has another position. */
    @Test
    void baseOfAnotherServerShouldBeRefusedInThePlaceOfItsOwn() throws Exception {
        put("a@example.com");
        State before = state();
        Follower others = follower("own", 1 << 20);
        assertThat(others.readTable()).isTrue();
        for (Callable<?> each : List.<Callable<?>>of(follower::merge, follower::readTable)) {
            beforeOpening = others::merge;
            assertThatThrownBy(each::call)
                    .hasMessageContaining("another server keeps the same list")
                    .hasMessageContaining("workDirectory of its own");
            assertThat(state()).isSameAs(before);
        }
        assertThat(isListed("a@example.com")).isTrue();
    }

    @Test
    void readingOfTheTableShouldEndWhenTheListIsClosed() throws Exception {
        put("a@example.com");
        State before = state();
        Thread.currentThread().interrupt();
        assertThatThrownBy(follower::readTable).isInstanceOf(InterruptedIOException.class);
        assertThatThrownBy(follower::read).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(state()).isSameAs(before);
    }

    private void passDays(int days) {
        record.now = record.now.plus(DAY.multipliedBy(days));
    }

    @Test
    void mergeShouldBeDueAnHourAfterAChangeAndWithoutChangesAfter22Days() throws Exception {
        assertThat(follower.mustMerge()).isFalse();
        passDays(21);
        assertThat(follower.mustMerge()).isFalse();
        passDays(1);
        assertThat(follower.mustMerge()).as("the log is kept for 90 days").isTrue();
        assertThat(follower.merge()).isTrue();
        put("a@example.com");
        record.now = record.now.plus(Duration.ofMinutes(59));
        assertThat(follower.mustMerge()).isFalse();
        record.now = record.now.plus(Duration.ofMinutes(1));
        assertThat(follower.mustMerge()).isTrue();
        passDays(-700);
        assertThat(follower.mustMerge()).as("the base is of the future").isTrue();
        assertThat(follower.merge()).isTrue();
        assertThat(follower.mustMerge()).isFalse();
    }

    @Test
    void mergeShouldBeDueAfterTenThousandChanges() throws Exception {
        record.load(entries(1_000), false);
        Follower large = follower("own", Follower.MAX_BYTES);
        assertThat(large.readTable()).isTrue();
        List<Entry> denied = entries(10_000).stream().map(each -> entry("!" + each.key())).toList();
        large.write(denied.subList(1, 10_000).stream().map(Edit::put).toList(), "test");
        assertThat(large.mustMerge()).isFalse();
        large.write(List.of(Edit.put(denied.getFirst())), "test");
        assertThat(large.mustMerge()).isTrue();
    }

    /** What a restore of the entries without their log would leave is gone by then. */
    @Test
    void tableShouldBeReadAWeekAfterItWasReadLast() throws Exception {
        passDays(6);
        put("a@example.com");
        assertThat(follower.merge()).isTrue();
        assertThat(follower.mustReadTable()).isFalse();
        Follower again = follower("own", 1 << 20);
        assertThat(again.resume()).isTrue();
        assertThat(again.mustReadTable()).isFalse();
        passDays(1);
        assertThat(follower.mustReadTable()).isTrue();
        assertThat(again.mustReadTable()).as("merges and restarts are no reading").isTrue();
        assertThat(follower.readTable()).isTrue();
        assertThat(follower.mustReadTable()).isFalse();
    }

    @Test
    void listShouldBeBehindAfterItsStaleness() throws Exception {
        nanos += Duration.ofSeconds(30).toNanos();
        assertThat(follower.isBehind()).isFalse();
        nanos++;
        assertThat(follower.isBehind()).isTrue();
        follower.read();
        assertThat(follower.isBehind()).isFalse();
    }
}
