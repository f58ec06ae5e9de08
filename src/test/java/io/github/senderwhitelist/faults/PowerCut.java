package io.github.senderwhitelist.faults;

import io.github.senderwhitelist.disk.Change;
import io.github.senderwhitelist.disk.MemoryDisk;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a power cut may leave of a disk that was empty at first. What was forced stays: the bytes of
 * a file whose bytes were forced, the names in a folder that was forced. Each other change may be
 * lost, whatever becomes of those before and after it; of bytes that were written, half of them may
 * be.
 *
 * <p>A rename is one change and knows its file: it holds even if that file's first name is lost.
 */
final class PowerCut {
    /** The number of bytes that a disk writes at once. */
    private static final int PAGE = 4096;

    private final List<Change> log = new ArrayList<>();

    /** How much of a change is lost. */
    enum Part {
        ALL,
        FIRST_HALF,
        SECOND_HALF
    }

    /** A change that is lost. */
    record Loss(int change, Part part) {}

    /** Cuts the power of a disk with these changes; bytes are written page by page. */
    PowerCut(List<Change> changes) {
        for (Change change : changes) {
            if (change instanceof Change.Wrote wrote) {
                addPages(wrote);
            } else {
                log.add(change);
            }
        }
    }

    private void addPages(Change.Wrote wrote) {
        byte[] bytes = wrote.bytes();
        for (int from = 0; from < bytes.length; from += PAGE) {
            byte[] page = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + PAGE));
            log.add(new Change.Wrote(wrote.inode(), wrote.position() + from, page));
        }
    }

    /** Returns the changes. */
    List<Change> log() {
        return log;
    }

    /** Returns everything that may be lost when the power is cut after this many changes. */
    List<Loss> losses(int length) {
        List<Loss> losses = new ArrayList<>();
        Set<Long> files = new HashSet<>();
        Set<Path> folders = new HashSet<>();
        for (int i = length - 1; i >= 0; i--) {
            switch (log.get(i)) {
                case Change.ForcedFile forced -> files.add(forced.inode());
                case Change.ForcedFolder forced -> folders.add(forced.name());
                case Change.Wrote wrote -> {
                    if (!files.contains(wrote.inode())) {
                        for (Part part : Part.values()) {
                            losses.add(new Loss(i, part));
                        }
                    }
                }
                case Change.Made made -> add(losses, i, folders, made.name());
                case Change.Renamed renamed -> add(losses, i, folders, renamed.to());
                case Change.Deleted deleted -> add(losses, i, folders, deleted.name());
                case Change.MadeFolder made -> add(losses, i, folders, made.name());
                case Change.Put put -> {}
                case Change.PutFolder put -> {}
                case Change.Mark mark -> {}
            }
        }
        return losses;
    }

    private static void add(List<Loss> losses, int change, Set<Path> forced, Path name) {
        if (!forced.contains(name.getParent())) {
            losses.add(new Loss(change, Part.ALL));
        }
    }

    /** Returns the disk that is found when the power is back. */
    MemoryDisk image(int length, List<Loss> lost) {
        Map<Path, Long> names = new TreeMap<>();
        Set<Path> folders = new HashSet<>();
        Map<Long, byte[]> bytes = new HashMap<>();
        for (int i = 0; i < length; i++) {
            Part part = part(lost, i);
            if (part != Part.ALL) {
                apply(log.get(i), part, names, folders, bytes);
            }
        }
        MemoryDisk image = new MemoryDisk();
        folders.stream().filter(folder -> isThere(folder, folders)).forEach(image::putFolder);
        names.forEach(
                (name, inode) -> {
                    if (isThere(Objects.requireNonNull(name.getParent()), folders)) {
                        image.put(name, bytes.getOrDefault(inode, new byte[0]));
                    }
                });
        return image;
    }

    private static @Nullable Part part(List<Loss> lost, int change) {
        for (Loss loss : lost) {
            if (loss.change() == change) {
                return loss.part();
            }
        }
        return null;
    }

    private static boolean isThere(Path folder, Set<Path> folders) {
        Path above = folder.getParent();
        return above == null || (folders.contains(folder) && isThere(above, folders));
    }

    private static void apply(
            Change change,
            @Nullable Part lost,
            Map<Path, Long> names,
            Set<Path> folders,
            Map<Long, byte[]> bytes) {
        switch (change) {
            case Change.Made made -> names.put(made.name(), made.inode());
            case Change.Put put -> {
                names.put(put.name(), put.inode());
                bytes.put(put.inode(), put.bytes());
            }
            case Change.Renamed renamed -> {
                names.remove(renamed.from(), renamed.inode());
                names.put(renamed.to(), renamed.inode());
            }
            case Change.Deleted deleted -> names.remove(deleted.name(), deleted.inode());
            case Change.MadeFolder made -> folders.add(made.name());
            case Change.PutFolder put -> folders.add(put.name());
            case Change.Wrote wrote ->
                    bytes.put(wrote.inode(), write(bytes.get(wrote.inode()), wrote, lost));
            case Change.ForcedFile forced -> {}
            case Change.ForcedFolder forced -> {}
            case Change.Mark mark -> {}
        }
    }

    private static byte[] write(byte @Nullable [] before, Change.Wrote wrote, @Nullable Part lost) {
        int half = wrote.bytes().length / 2;
        int from = lost == Part.FIRST_HALF ? half : 0;
        int to = lost == Part.SECOND_HALF ? half : wrote.bytes().length;
        int position = (int) wrote.position();
        byte[] old = Objects.requireNonNullElse(before, new byte[0]);
        byte[] after = Arrays.copyOf(old, Math.max(old.length, position + to));
        System.arraycopy(wrote.bytes(), from, after, position + from, to - from);
        return after;
    }
}
