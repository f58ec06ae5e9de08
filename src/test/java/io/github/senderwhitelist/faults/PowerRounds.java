package io.github.senderwhitelist.faults;

import static io.github.senderwhitelist.faults.Deed.SNAPSHOT;
import static io.github.senderwhitelist.faults.Deed.TEXT;
import static io.github.senderwhitelist.faults.Following.LOOSE;
import static io.github.senderwhitelist.faults.Following.RIBBON;

import io.github.senderwhitelist.disk.Change;
import io.github.senderwhitelist.disk.Change.Mark;
import io.github.senderwhitelist.disk.Change.Put;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.faults.PowerCut.Loss;
import io.github.senderwhitelist.refresh.SteppedList;
import io.github.senderwhitelist.snapshot.BuildOptions;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * Cuts the power after each change that a build, a refresh or a fold makes to a disk, and starts
 * with what is left, whichever changes are lost of those that were not forced: up to four at once.
 * A list that was taken must be there, whole, even if its file is gone; before that, the one that
 * was taken before; and nothing else.
 */
final class PowerRounds {
    /** The most changes that are lost together. */
    static final int MOST_LOST = 4;

    private final String name;
    private final List<Change> log;
    private final PowerCut cut;
    private final @Nullable Path source;
    private final Reader target;
    private final BuildOptions options;
    private final Set<Long> seen = new HashSet<>();
    private final List<String> broken = new ArrayList<>();
    private long states;

    /** Reads which content was built. */
    @FunctionalInterface
    private interface Reader {
        Content read(MemoryDisk disk) throws IOException;
    }

    private PowerRounds(
            String name,
            List<Change> log,
            @Nullable Path source,
            Reader target,
            BuildOptions options) {
        this.options = options;
        this.target = target;
        this.name = name;
        this.cut = new PowerCut(log);
        this.log = cut.log();
        this.source = source;
    }

    /** Returns rounds in which a list is loaded first, and then refreshed. */
    static PowerRounds following(Path file, BuildOptions options, UnaryOperator<Disk> way)
            throws IOException {
        MemoryDisk disk = new MemoryDisk();
        MemoryDisk made = Copying.disk();
        boolean text = file.equals(TEXT);
        disk.put(file, text ? Content.OLD.text() : made.bytes(Building.TARGET));
        SteppedList list =
                new SteppedList(
                        Following.settings(file, options), way.apply(disk), MemoryDisk.LATER);
        disk.mark(Content.OLD.name());
        disk.put(file, text ? Content.NEW.text() : made.bytes(SNAPSHOT));
        list.look();
        list.look();
        Deed.require(Content.of(list) == Content.NEW, "not taken");
        disk.mark(Content.NEW.name());
        list.close();
        String name = file.getFileName() + " " + options.kind();
        return new PowerRounds(name, disk.log(), file, PowerRounds::built, options);
    }

    /** Returns rounds in which a snapshot is built in place of another one. */
    static PowerRounds building(BuildOptions options, UnaryOperator<Disk> way) throws IOException {
        MemoryDisk before = Building.disk(options);
        MemoryDisk disk = new MemoryDisk();
        before.folders().forEach(disk::putFolder);
        for (Path file : before.names()) {
            disk.put(file, before.bytes(file));
        }
        disk.mark(Content.OLD.name());
        Building.build(way.apply(disk), options);
        disk.mark(Content.NEW.name());
        String name = "build " + options.kind();
        return new PowerRounds(name, disk.log(), null, PowerRounds::built, options);
    }

    private static Content built(MemoryDisk disk) throws IOException {
        return Content.of(disk, Building.TARGET);
    }

    /** Returns rounds in which the base of a living list is replaced by the next one. */
    static PowerRounds folding(UnaryOperator<Disk> way) throws IOException {
        MemoryDisk disk = Folding.disk();
        disk.mark(Content.OLD.name());
        Folding.write(way.apply(disk), Folding.NEW);
        disk.mark(Content.NEW.name());
        return new PowerRounds("fold", disk.log(), null, Folding::content, LOOSE);
    }

    /** Returns all rounds by name. */
    static Map<String, PowerRounds> all(UnaryOperator<Disk> way) throws IOException {
        Map<String, PowerRounds> all = new LinkedHashMap<>();
        for (PowerRounds rounds :
                List.of(
                        following(TEXT, LOOSE, way),
                        following(TEXT, RIBBON, way),
                        following(SNAPSHOT, LOOSE, way),
                        building(LOOSE, way),
                        building(RIBBON, way),
                        folding(way))) {
            all.put(rounds.name, rounds);
        }
        return all;
    }

    /** Returns how many states of the disk were tried, equal ones included. */
    long states() {
        return states;
    }

    /** Returns how many different states were tried. */
    int distinct() {
        return seen.size();
    }

    /** Returns what was wrong with each state that was broken. */
    List<String> broken() {
        return broken;
    }

    /** Tries every state with at most this many changes lost. */
    void all(int mostLost) {
        for (int length = 0; length <= log.size(); length++) {
            lose(length, cut.losses(length), 0, new ArrayList<>(), mostLost);
        }
    }

    /** Tries the states as {@link #all(int)} does, until one is broken. */
    void untilBroken(int mostLost) {
        for (int length = 0; length <= log.size() && broken.isEmpty(); length++) {
            lose(length, cut.losses(length), 0, new ArrayList<>(), mostLost);
        }
    }

    private void lose(int length, List<Loss> possible, int from, List<Loss> lost, int most) {
        tryState(length, lost);
        for (int i = from; i < possible.size() && most > 0; i++) {
            Loss loss = possible.get(i);
            if (lost.isEmpty() || lost.getLast().change() != loss.change()) {
                lost.add(loss);
                lose(length, possible, i + 1, lost, most - 1);
                lost.removeLast();
            }
        }
    }

    /** Tries this many states, chosen at random. */
    void some(int count, SplittableRandom random) {
        for (int i = 0; i < count; i++) {
            int length = random.nextInt(log.size() + 1);
            List<Loss> possible = cut.losses(length);
            List<Loss> lost = new ArrayList<>();
            for (int losses = random.nextInt(MOST_LOST + 1); losses > 0; losses--) {
                if (!possible.isEmpty()) {
                    lost.add(possible.get(random.nextInt(possible.size())));
                }
            }
            tryState(length, lost);
        }
    }

    private void tryState(int length, List<Loss> lost) {
        states++;
        MemoryDisk image = cut.image(length, lost);
        Content taken = null;
        Content there = null;
        for (Change change : log.subList(0, length)) {
            if (change instanceof Mark(String what)) {
                taken = Content.valueOf(what);
            } else if (change instanceof Put put && put.name().equals(source)) {
                there = there == null ? Content.OLD : Content.NEW;
            }
        }
        if (!seen.add(fingerprint(image, taken, there))) {
            return;
        }
        try {
            if (source == null) {
                requireTarget(image, taken);
            } else {
                requireStarts(image, source, taken, there);
            }
        } catch (AssertionError | IOException | RuntimeException e) {
            List<Change> changes = lost.stream().map(loss -> log.get(loss.change())).toList();
            broken.add(name + " after " + length + " changes without " + changes + ": " + e);
        }
    }

    private void requireTarget(MemoryDisk image, @Nullable Content taken) throws IOException {
        if (taken != null) {
            Content content = target.read(image);
            Deed.require(taken == Content.OLD || content == taken, content + " in place");
        }
    }

    private void requireStarts(
            MemoryDisk image, Path source, @Nullable Content taken, @Nullable Content there)
            throws IOException {
        MemoryDisk gone = image.copy();
        gone.delete(source);
        Content without = start(gone, source);
        EnumSet<Content> allowed = EnumSet.noneOf(Content.class);
        if (taken != null) {
            allowed.add(taken);
        }
        if (there != null) {
            allowed.add(there);
        }
        if (taken == Content.NEW) {
            allowed.remove(Content.OLD);
        }
        Deed.require(
                without == null ? taken == null : allowed.contains(without),
                without + " without the list's file, though " + taken + " was taken");
        if (there != null) {
            Content with = start(image, source);
            Deed.require(with == there, with + " with the list's file");
        }
    }

    /** Returns what the next process starts with, or null when it does not start. */
    private @Nullable Content start(MemoryDisk image, Path source) throws IOException {
        SteppedList list;
        try {
            list = new SteppedList(Following.settings(source, options), image, MemoryDisk.LATER);
        } catch (IOException e) {
            Deed.requireClear(e.getMessage(), source);
            return null;
        }
        Content content = Content.of(list);
        for (Path name : image.names()) {
            Deed.require(!name.toString().endsWith(".tmp"), "left over: " + name);
        }
        list.close();
        Deed.require(image.openFiles().isEmpty(), "open: " + image.openFiles());
        return content;
    }

    private static long fingerprint(
            MemoryDisk image, @Nullable Content taken, @Nullable Content there) {
        long sum = (taken + " " + there).hashCode();
        for (Path folder : image.folders()) {
            sum = 1_000_003 * sum + folder.hashCode();
        }
        for (Path name : image.names()) {
            try {
                byte[] bytes = image.bytes(name);
                java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
                crc.update(bytes);
                long both = (long) Arrays.hashCode(bytes) << 32 ^ crc.getValue();
                sum = 1_000_003 * (1_000_003 * sum + name.hashCode()) + both;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
        return sum;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s: %d changes, %d states of the disk, %d of them different, %d broken",
                name,
                log.size(),
                states,
                distinct(),
                broken.size());
    }
}
