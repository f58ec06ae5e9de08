package io.github.senderwhitelist.living;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** When the table is read, when a list is behind, and what is refused; without threads. */
class FollowerTest {
    private static final Path FILE = Path.of("/var/own.base");
    private static final Duration DAY = Duration.ofDays(1);

    private final MemoryRecord record = new MemoryRecord(new Random(1));
    private final MemoryDisk files = new MemoryDisk();
    private long nanos;
    private long freeBytes = Long.MAX_VALUE;

    /** Who merges before a file is opened. */
    private @Nullable Follower merging;

    private Follower follower;

    @BeforeEach
    void open() throws IOException {
        record.create();
        follower = follower("own", 1 << 20);
        assertThat(follower.readTable()).isTrue();
        follower.read();
    }

    private Follower follower(String list, long maxBytes) {
        Disk disk =
                new FaultyDisk(files) {
                    @Override
                    protected void before(Call call, Path path) throws IOException {
                        Follower other = merging;
                        if (call == Call.OPEN && other != null) {
                            merging = null;
                            other.merge();
                        }
                    }

                    @Override
                    public long freeBytes(Path folder) {
                        return freeBytes;
                    }
                };
        return new Follower(
                new Setup(
                        TestLivingLists.settings(
                                list, Duration.ofSeconds(2), Duration.ofSeconds(30)),
                        record,
                        disk,
                        FILE,
                        new ListCounters(),
                        new LivingListener() {},
                        maxBytes,
                        () -> nanos,
                        () -> record.now));
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
        load("b@example.com");
        follower.read();
        assertThat(state().owing()).isEqualTo(Follower.Owing.BREAK);
        assertThat(follower.isBehind()).isTrue();
        assertThat(follower.mustReadTable()).isTrue();
    }

    /** Invariant 8: what cannot become active is refused before it is written. */
    @Test
    void writeShouldBeRefusedWithoutABaseAndWhenChangesAreFull() throws Exception {
        List<Edit> edits = List.of(Edit.put(entry("a@example.com")));
        assertThatThrownBy(() -> follower("own", 1 << 20).write(edits, "test"))
                .hasMessageContaining("refused");
        Follower full = follower("own", 1);
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
        freeBytes = 1_000;
        assertThatThrownBy(follower::merge).hasMessageContaining("1000 are free");
        assertThatThrownBy(follower::readTable).hasMessageContaining("1000 are free");
        assertThat(state().changes().count()).isEqualTo(1);
        assertThat(isListed("a@example.com")).isTrue();
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
        assertThat(follower.merged(from, from, frozen)).isFalse();
        assertThat(state()).isSameAs(now);
        assertThat(isListed("a@example.com")).isFalse();
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
            merging = others;
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
        nanos += Duration.ofSeconds(31).toNanos();
        assertThat(follower.isBehind()).isTrue();
        follower.read();
        assertThat(follower.isBehind()).isFalse();
    }
}
