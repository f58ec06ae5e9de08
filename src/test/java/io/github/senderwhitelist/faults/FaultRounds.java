package io.github.senderwhitelist.faults;

import static io.github.senderwhitelist.faults.Deed.SNAPSHOT;
import static io.github.senderwhitelist.faults.Deed.TEXT;
import static io.github.senderwhitelist.faults.Following.LOOSE;
import static io.github.senderwhitelist.faults.Following.RIBBON;
import static io.github.senderwhitelist.faults.Following.WORK;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FaultyDisk;
import io.github.senderwhitelist.disk.FaultyDisk.Crash;
import io.github.senderwhitelist.disk.FaultyDisk.Fault;
import io.github.senderwhitelist.disk.ForwardingDisk.Call;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.faults.Following.Event;
import io.github.senderwhitelist.faults.Following.Plan;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.refresh.SteppedList;
import io.github.senderwhitelist.snapshot.BuildOptions;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Does everything that is done with disks, again and again, and lets another call go wrong each
 * time, in every way, once or from then on; afterwards all must be well.
 */
final class FaultRounds {
    /** Operations of which only some calls are made to fail, since each run takes long. */
    private static final Set<String> LARGE = Set.of("build many RIBBON", "build by threads RIBBON");

    private static final int MOST_OF_LARGE = 10;

    /** The most calls of each kind that are made to fail. */
    private final int most;

    private final List<String> wrong = new ArrayList<>();
    private int cases;

    FaultRounds(int most) {
        this.most = most;
    }

    /** Prepares a fresh disk and the operation on it. */
    @FunctionalInterface
    interface Beginning {
        Deed begin() throws IOException;
    }

    /** Returns all operations by name. */
    static Map<String, Beginning> deeds() throws IOException {
        Map<String, Beginning> deeds = new LinkedHashMap<>();
        for (BuildOptions options : List.of(LOOSE, RIBBON)) {
            MemoryDisk disk = Building.disk(options);
            deeds.put("build " + options.kind(), () -> new Building(disk.copy(), options));
        }
        MemoryDisk large = Building.largeDisk(RIBBON);
        deeds.put("build many RIBBON", () -> new Building(large.copy(), RIBBON));
        MemoryDisk copying = Copying.disk();
        deeds.put("copy", () -> new Copying(copying.copy()));
        deeds.put("export", () -> new Exporting(copying.copy()));
        deeds.put("sort", () -> new Sorting(Sorting.disk()));
        MemoryDisk folding = Folding.disk();
        deeds.put("fold", () -> new Folding(folding.copy()));
        deeds.put("filter RIBBON", () -> new Filtering(FilterKind.RIBBON));
        addLists(deeds);
        return deeds;
    }

    private static void addLists(Map<String, Beginning> deeds) throws IOException {
        MemoryDisk snapshots = Copying.disk();
        byte[] before = snapshots.bytes(Building.TARGET);
        byte[] after = snapshots.bytes(SNAPSHOT);
        for (Path file : List.of(TEXT, SNAPSHOT)) {
            boolean text = file.equals(TEXT);
            byte[] old = text ? Content.OLD.text() : before;
            byte[] next = text ? Content.NEW.text() : after;
            String what = " " + file.getFileName();
            MemoryDisk fresh = new MemoryDisk();
            fresh.put(file, old);
            MemoryDisk served = fresh.copy();
            new SteppedList(Following.settings(file, LOOSE), served, MemoryDisk.LATER).close();

            Plan start = new Plan(file, LOOSE, false, Event::none, Content.OLD);
            deeds.put("first start" + what, () -> new Following(fresh.copy(), start));
            deeds.put("start" + what, () -> new Following(served.copy(), start));
            Plan refresh = new Plan(file, LOOSE, true, disk -> disk.put(file, next), Content.NEW);
            deeds.put("refresh" + what, () -> new Following(served.copy(), refresh));
            Plan repair =
                    new Plan(
                            file,
                            LOOSE,
                            true,
                            FaultRounds::damageLastGood,
                            Event::none,
                            Content.OLD,
                            Content.OLD,
                            false,
                            true);
            deeds.put("repair" + what, () -> new Following(served.copy(), repair));
            Plan gone =
                    new Plan(
                            file,
                            LOOSE,
                            true,
                            disk -> {
                                damageLastGood(disk);
                                disk.delete(file);
                            },
                            disk -> disk.put(file, old),
                            Content.OLD,
                            Content.OLD,
                            false,
                            true);
            deeds.put("repair without source" + what, () -> new Following(served.copy(), gone));
            MemoryDisk littered = litter(served.copy());
            deeds.put("sweep" + what, () -> new Following(littered.copy(), start));
        }
        MemoryDisk fresh = new MemoryDisk();
        fresh.put(TEXT, Content.OLD.text());
        byte[] cut = Arrays.copyOf(Content.NEW.text(), Content.NEW.text().length - 1);
        Plan unfinished =
                new Plan(
                        TEXT,
                        LOOSE,
                        true,
                        disk -> disk.put(TEXT, cut),
                        Event::none,
                        Content.OLD,
                        Content.NEW,
                        true,
                        false);
        deeds.put("unfinished", () -> new Following(fresh.copy(), unfinished));
        Plan ribbon =
                new Plan(
                        TEXT,
                        RIBBON,
                        true,
                        disk -> disk.put(TEXT, Content.NEW.text()),
                        Content.NEW);
        deeds.put("refresh RIBBON", () -> new Following(fresh.copy(), ribbon));
    }

    /** Overwrites the blocks of the snapshot in the work directory. */
    private static void damageLastGood(MemoryDisk disk) throws IOException {
        for (Path file : disk.list(WORK)) {
            disk.overwrite(file, 4096, new byte[8192]);
        }
    }

    /** Adds files that killed processes leave behind, and files of others. */
    private static MemoryDisk litter(MemoryDisk disk) throws IOException {
        String lastGood = disk.list(WORK).getFirst().getFileName().toString();
        disk.put(WORK.resolve("." + lastGood + ".1a2b.tmp"), new byte[10]);
        disk.put(WORK.resolve(Disk.TEMPORARY_PREFIX + "3c4d"), new byte[10]);
        disk.put(Following.USED, new byte[10]);
        return disk;
    }

    /** Returns how many cases there were. */
    int cases() {
        return cases;
    }

    /** Returns what went wrong. */
    List<String> wrong() {
        return wrong;
    }

    /** Runs an operation once for every call and every way in which it can fail. */
    void play(String name, Beginning beginning) throws IOException {
        Deed dry = beginning.begin();
        dry.prepare();
        dry.disk.arm(null, 0, false);
        dry.run();
        List<Call> calls = dry.disk.calls();
        dry.requireWell(null, true);
        boolean large = LARGE.contains(name);
        if (large && most < Integer.MAX_VALUE) {
            for (int call : chosen(calls, 1)) {
                play(name, beginning, Fault.ERROR, call, false);
            }
            return;
        }
        for (int call : chosen(calls, large ? MOST_OF_LARGE : most)) {
            for (Fault fault : Fault.values()) {
                if (FaultyDisk.allows(calls.get(call), fault)) {
                    play(name, beginning, fault, call, false);
                    if (fault != Fault.CRASH) {
                        play(name, beginning, fault, call, true);
                    }
                }
            }
        }
    }

    /**
     * Returns the calls to make fail. Of a kind with many, these are some, always with the last.
     */
    private static List<Integer> chosen(List<Call> calls, int most) {
        Map<Call, List<Integer>> kinds = new EnumMap<>(Call.class);
        for (int i = 0; i < calls.size(); i++) {
            kinds.computeIfAbsent(calls.get(i), kind -> new ArrayList<>()).add(i);
        }
        List<Integer> chosen = new ArrayList<>();
        for (List<Integer> all : kinds.values()) {
            int count = Math.min(most, all.size());
            for (int i = 0; i < count; i++) {
                chosen.add(
                        count == 1
                                ? all.getLast()
                                : all.get((int) ((long) i * (all.size() - 1) / (count - 1))));
            }
        }
        return chosen.stream().sorted().toList();
    }

    private void play(String name, Beginning beginning, Fault fault, int call, boolean lasting)
            throws IOException {
        Deed deed = beginning.begin();
        String what = name + ", call " + call + ", " + fault + (lasting ? " from then on: " : ": ");
        try {
            play(deed, fault, call, lasting);
        } catch (AssertionError | IOException | RuntimeException e) {
            wrong.add(what + e + " " + deed.disk.struckCalls());
        } finally {
            Thread.interrupted();
        }
    }

    private void play(Deed deed, Fault fault, int call, boolean lasting) throws IOException {
        deed.prepare();
        deed.disk.arm(fault, call, lasting);
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
            deed.requireWell(failure, fault == Fault.SHORT_READ || fault == Fault.SHORT_WRITE);
        }
    }
}
