package io.github.senderwhitelist.faults;

import static io.github.senderwhitelist.faults.Deed.SNAPSHOT;
import static io.github.senderwhitelist.faults.Deed.TEXT;
import static io.github.senderwhitelist.faults.Following.LOOSE;
import static io.github.senderwhitelist.faults.Following.RIBBON;
import static io.github.senderwhitelist.faults.Following.WORK;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FaultyDisk.Call;
import io.github.senderwhitelist.disk.FaultyDisk.Crash;
import io.github.senderwhitelist.disk.FaultyDisk.Fault;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.faults.Following.Plan;
import io.github.senderwhitelist.tools.Extent;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Does everything that is done with disks, again and again, and lets another call go wrong each
 * time, in every way, once or from then on; afterwards all must be well. Of each kind of calls,
 * some go wrong, at length all.
 */
@Tag("power")
@Tag("large")
class FaultTest {
    private static final int MAX_OF_A_KIND = Extent.of(3, Integer.MAX_VALUE);

    /** The operation of which fewer calls are made to fail, since each run takes long. */
    private static final String LARGE = "build many RIBBON";

    private static final int MAX_OF_LARGE = Extent.of(1, 10);

    private static final Map<String, Supplier<Deed>> DEEDS = new LinkedHashMap<>();
    private static int cases;

    private final List<String> wrong = new ArrayList<>();

    /** Prepares all operations, each of which begins on a fresh disk. */
    @BeforeAll
    static void prepare() throws IOException {
        cases = 0;
        MemoryDisk large = Work.largeDiskToBuild(RIBBON);
        MemoryDisk copying = Work.diskToCopy();
        MemoryDisk merging = Work.diskToMerge();
        DEEDS.put(LARGE, () -> Work.building(large.copy(), RIBBON));
        DEEDS.put("export", () -> Work.exporting(copying.copy()));
        DEEDS.put("sort", Work::sorting);
        DEEDS.put("merge", () -> Work.merging(merging.copy()));
        addLists(TEXT, Content.OLD.text(), Content.NEW.text());
        addLists(SNAPSHOT, copying.bytes(Work.TARGET), copying.bytes(SNAPSHOT));
        MemoryDisk fresh = new MemoryDisk();
        fresh.put(TEXT, Content.OLD.text());
        byte[] next = Content.NEW.text();
        byte[] cut = Arrays.copyOf(next, next.length - 1);
        Plan unfinished =
                new Plan(TEXT, LOOSE, disk -> disk.put(TEXT, cut), Content.NEW).withPatience();
        DEEDS.put("unfinished", () -> new Following(fresh.copy(), unfinished));
        Plan refresh = new Plan(TEXT, RIBBON, disk -> disk.put(TEXT, next), Content.NEW);
        DEEDS.put("refresh RIBBON", () -> new Following(fresh.copy(), refresh));
    }

    private static void addLists(Path file, byte[] old, byte[] next) throws IOException {
        String what = " " + file.getFileName();
        MemoryDisk fresh = new MemoryDisk();
        fresh.put(file, old);
        MemoryDisk served = fresh.copy();
        Following.open(file, LOOSE, served).close();
        MemoryDisk littered = litter(served.copy());
        Plan start = new Plan(file, LOOSE, null, Content.OLD);
        Plan refresh = new Plan(file, LOOSE, disk -> disk.put(file, next), Content.NEW);
        Plan repair =
                new Plan(file, LOOSE, FaultTest::damageLastGood, Content.OLD)
                        .whileLookupsFail(disk -> {});
        Consumer<MemoryDisk> loseAll =
                disk -> {
                    damageLastGood(disk);
                    disk.delete(file);
                };
        Plan gone =
                new Plan(file, LOOSE, loseAll, Content.OLD)
                        .whileLookupsFail(disk -> disk.put(file, old));
        DEEDS.put("first start" + what, () -> new Following(fresh.copy(), start));
        DEEDS.put("start" + what, () -> new Following(served.copy(), start));
        DEEDS.put("refresh" + what, () -> new Following(served.copy(), refresh));
        DEEDS.put("repair" + what, () -> new Following(served.copy(), repair));
        DEEDS.put("repair without source" + what, () -> new Following(served.copy(), gone));
        DEEDS.put("sweep" + what, () -> new Following(littered.copy(), start));
    }

    /** Overwrites the blocks of the snapshot in the work directory. */
    private static void damageLastGood(MemoryDisk disk) {
        disk.list(WORK).forEach(file -> disk.overwrite(file, 4096, new byte[8192]));
    }

    /** Adds files that killed processes leave behind, and files of others. */
    private static MemoryDisk litter(MemoryDisk disk) {
        String lastGood = disk.list(WORK).getFirst().getFileName().toString();
        disk.put(WORK.resolve("." + lastGood + ".1a2b.tmp"), new byte[10]);
        disk.put(WORK.resolve(Disk.TEMPORARY_PREFIX + "3c4d"), new byte[10]);
        disk.put(Following.USED, new byte[10]);
        return disk;
    }

    static Set<String> deeds() {
        return DEEDS.keySet();
    }

    /** Runs an operation once for every call and every way in which it can fail. */
    @ParameterizedTest
    @MethodSource("deeds")
    @Timeout(3600)
    void shouldBeWellAfterwardsWhateverGoesWrong(String name) throws IOException {
        Supplier<Deed> beginning = Objects.requireNonNull(DEEDS.get(name));
        Deed dry = beginning.get();
        dry.prepare();
        dry.disk.arm(null, 0, false);
        dry.run();
        List<Call> calls = dry.disk.calls();
        dry.requireWell(null, true);
        boolean isQuick = name.equals(LARGE) && !Extent.isLong();
        for (int call : chosen(calls, name.equals(LARGE) ? MAX_OF_LARGE : MAX_OF_A_KIND)) {
            for (Fault fault : isQuick ? List.of(Fault.ERROR) : List.of(Fault.values())) {
                if (fault.strikes(calls.get(call))) {
                    play(beginning.get(), fault, call, false);
                    if (fault != Fault.CRASH && !isQuick) {
                        play(beginning.get(), fault, call, true);
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @AfterAll
    static void requireMany() {
        System.out.println(cases + " cases");
        assertThat(cases).isGreaterThan(1_500);
    }

    /**
     * Returns the calls to make fail. Of a kind with many, these are some, always with the last.
     */
    private static List<Integer> chosen(List<Call> calls, int max) {
        Map<Call, List<Integer>> kinds = new EnumMap<>(Call.class);
        for (int i = 0; i < calls.size(); i++) {
            kinds.computeIfAbsent(calls.get(i), kind -> new ArrayList<>()).add(i);
        }
        List<Integer> chosen = new ArrayList<>();
        for (List<Integer> all : kinds.values()) {
            int count = Math.min(max, all.size());
            for (int i = 1; i < count; i++) {
                chosen.add(all.get((int) ((i - 1L) * (all.size() - 1) / (count - 1))));
            }
            chosen.add(all.getLast());
        }
        return chosen.stream().sorted().toList();
    }

    private void play(Deed deed, Fault fault, int call, boolean lasting) {
        String what = "call " + call + ", " + fault + (lasting ? " from then on: " : ": ");
        try {
            deed.prepare();
            deed.disk.arm(fault, call, lasting);
            play(deed, fault);
        } catch (AssertionError | IOException | RuntimeException e) {
            wrong.add(what + e + " " + deed.disk.struckCalls());
        } finally {
            Thread.interrupted();
        }
    }

    private void play(Deed deed, Fault fault) throws IOException {
        IOException failure = null;
        try {
            deed.run();
        } catch (IOException e) {
            failure = e;
        } catch (Crash e) {
            Deed.require(fault == Fault.CRASH, "crashed");
        }
        boolean interrupted = Thread.interrupted();
        if (deed.disk.struckCalls().isEmpty()) {
            return;
        }
        cases++;
        deed.disk.disarm();
        if (fault == Fault.CRASH) {
            deed.requireWellAfter(deed.memory.copy());
        } else {
            Deed.require(interrupted == (fault == Fault.INTERRUPT), "interrupted: " + interrupted);
            deed.requireWell(failure, fault.isHarmless());
        }
    }
}
