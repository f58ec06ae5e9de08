package io.github.senderwhitelist.faults;

import static io.github.senderwhitelist.faults.Deed.SNAPSHOT;
import static io.github.senderwhitelist.faults.Deed.TEXT;
import static io.github.senderwhitelist.faults.Following.LOOSE;
import static io.github.senderwhitelist.faults.Following.RIBBON;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.disk.Change;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.faults.PowerCut.Loss;
import io.github.senderwhitelist.refresh.SteppedList;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Sha256;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * Cuts the power after each change that a refresh or a merge makes to a disk, and starts with what
 * is left, whichever changes are lost of those that were not forced: up to four at once. A list
 * that was taken must be there, whole, even if its file is gone; before that, the one that was
 * taken before; and nothing else.
 */
final class PowerRounds {
    /** The most changes that are lost together. */
    static final int MAX_LOST = 4;

    private final String name;
    private final List<Change> log;
    private final PowerCut cut;
    private final Check check;
    private final Set<ByteBuffer> seen = new HashSet<>();
    private final List<String> broken = new ArrayList<>();
    private long states;

    /** Requires that what is left is right. */
    @FunctionalInterface
    private interface Check {
        /**
         * @param taken the list that was active or in place last
         * @param there the list that its file held last
         */
        void require(MemoryDisk left, @Nullable Content taken, @Nullable Content there)
                throws IOException;
    }

    private PowerRounds(
            String name, MemoryDisk disk, UnaryOperator<List<Change>> way, Check check) {
        this.name = name;
        this.cut = new PowerCut(way.apply(disk.log()));
        this.log = cut.log();
        this.check = check;
    }

    /** Returns rounds in which a list is loaded first, and then refreshed. */
    static PowerRounds following(Path file, BuildOptions options, UnaryOperator<List<Change>> way)
            throws IOException {
        MemoryDisk disk = new MemoryDisk();
        MemoryDisk made = Work.diskToCopy();
        boolean text = file.equals(TEXT);
        disk.put(file, text ? Content.OLD.text() : made.bytes(Work.TARGET));
        SteppedList list = Following.open(file, options, disk);
        disk.mark(Content.OLD.name());
        disk.put(file, text ? Content.NEW.text() : made.bytes(SNAPSHOT));
        list.pass(Duration.ofMillis(300));
        Deed.require(Content.of(list) == Content.NEW, "not taken");
        disk.mark(Content.NEW.name());
        list.close();
        return new PowerRounds(
                file.getFileName() + " " + options.kind(),
                disk,
                way,
                (left, taken, there) -> requireStarts(left, file, options, taken, there));
    }

    /** Returns rounds in which the base of a living list is replaced by the next one. */
    static PowerRounds merging(UnaryOperator<List<Change>> way) throws IOException {
        MemoryDisk disk = Work.diskToMerge();
        disk.mark(Content.OLD.name());
        Work.merge(disk, Content.NEW);
        disk.mark(Content.NEW.name());
        return new PowerRounds(
                "merge",
                disk,
                way,
                (left, taken, there) -> {
                    Content base = taken == null ? null : Work.base(left);
                    Deed.require(taken != Content.NEW || base == taken, base + " in place");
                });
    }

    /** Returns all rounds. */
    static List<PowerRounds> all() throws IOException {
        return List.of(
                following(TEXT, LOOSE, log -> log),
                following(TEXT, RIBBON, log -> log),
                following(SNAPSHOT, LOOSE, log -> log),
                merging(log -> log));
    }

    /** Returns how many states of the disk were tried, equal ones included. */
    long states() {
        return states;
    }

    /** Returns what was wrong with each state that was broken. */
    List<String> broken() {
        return broken;
    }

    /** Tries every state with at most this many changes lost, until one is broken. */
    void untilBroken(int maxLost) {
        for (int length = 0; length <= log.size() && broken.isEmpty(); length++) {
            lose(length, cut.losses(length), 0, new ArrayList<>(), maxLost);
        }
    }

    private void lose(int length, List<Loss> possible, int from, List<Loss> lost, int max) {
        tryState(length, lost);
        for (int i = from; i < possible.size() && max > 0; i++) {
            Loss loss = possible.get(i);
            if (lost.isEmpty() || lost.getLast().change() != loss.change()) {
                lost.add(loss);
                lose(length, possible, i + 1, lost, max - 1);
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
            for (int losses = random.nextInt(MAX_LOST + 1); losses > 0; losses--) {
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
            if (change instanceof Change.Mark(String what)) {
                taken = Content.valueOf(what);
            } else if (change instanceof Change.Put) {
                there = there == null ? Content.OLD : Content.NEW;
            }
        }
        try {
            if (seen.add(fingerprint(image, taken, there))) {
                check.require(image, taken, there);
            }
        } catch (AssertionError | IOException | RuntimeException e) {
            List<Change> changes = lost.stream().map(loss -> log.get(loss.change())).toList();
            broken.add(name + " after " + length + " changes without " + changes + ": " + e);
        }
    }

    private static void requireStarts(
            MemoryDisk left,
            Path file,
            BuildOptions options,
            @Nullable Content taken,
            @Nullable Content there)
            throws IOException {
        MemoryDisk gone = left.copy();
        gone.delete(file);
        Content without = start(gone, file, options);
        Set<Content> allowed = EnumSet.noneOf(Content.class);
        for (Content content : Content.values()) {
            if (content == taken || (content == there && taken != Content.NEW)) {
                allowed.add(content);
            }
        }
        Deed.require(
                without == null ? taken == null : allowed.contains(without),
                without + " without the list's file, though " + taken + " was taken");
        if (there != null) {
            Content with = start(left, file, options);
            Deed.require(with == there, with + " with the list's file");
        }
    }

    /** Returns what the next process starts with, or null when it does not start. */
    private static @Nullable Content start(MemoryDisk image, Path file, BuildOptions options) {
        try (SteppedList list = Following.open(file, options, image)) {
            for (Path name : image.names()) {
                Deed.require(!name.toString().endsWith(".tmp"), "left over: " + name);
            }
            return Content.of(list);
        } catch (IOException e) {
            Deed.requireClear(e.getMessage(), List.of(file));
            return null;
        } finally {
            Deed.require(image.openFiles().isEmpty(), "open: " + image.openFiles());
        }
    }

    private static ByteBuffer fingerprint(
            MemoryDisk image, @Nullable Content taken, @Nullable Content there) throws IOException {
        MessageDigest digest = Sha256.start();
        digest.update((taken + " " + there + image.folders()).getBytes(UTF_8));
        for (Path name : image.names()) {
            digest.update(name.toString().getBytes(UTF_8));
            digest.update(image.bytes(name));
        }
        return ByteBuffer.wrap(digest.digest());
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s: %d changes, %d states of the disk, %d of them different, %d broken",
                name,
                log.size(),
                states,
                seen.size(),
                broken.size());
    }
}
