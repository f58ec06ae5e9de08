package io.github.senderwhitelist.refresh;

import static io.github.senderwhitelist.refresh.SteppedList.isListed;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.tools.Extent;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Edits a file at random while three lists with different parameters follow it. At any time, a
 * whole text that the file had must be active, or an unfinished one that the manual says is taken.
 * In the end, the content of the file must be active if it may be.
 */
class EditScriptsTest extends ListTest {
    private static final Duration LONG = Duration.ofSeconds(75);
    private static final double[] MAX_SHRINKS = {0.5, 0.2, 1};

    private final List<Follower> followers = new ArrayList<>();
    private final List<String> script = new ArrayList<>();
    private final Set<String> senders = new LinkedHashSet<>();
    private SplittableRandom random = new SplittableRandom(0);
    private int versions;

    /** What the file holds, or null when that is no list. */
    private @Nullable String content;

    /** The texts that may be active beside the one that was. */
    private final Set<String> allowed = new LinkedHashSet<>();

    /** One of the lists, and the text that is active in it. */
    private final class Follower {
        final ListSettings settings;
        SteppedList list;
        String active;
        long due;

        Follower(double maxShrink, String text) throws IOException {
            settings =
                    settings()
                            .cacheSize(maxShrink == 1 ? 0 : 1000)
                            .inMemory()
                            .maxShrink(maxShrink)
                            .settings();
            active = text;
            list = start();
        }

        SteppedList start() throws IOException {
            return new SteppedList(settings, Disk.LOCAL, clock);
        }

        void requireWhole() {
            Set<String> listed =
                    senders.stream()
                            .filter(each -> isListed(list, each))
                            .collect(Collectors.toSet());
            long entries = list.status().header().entries();
            active =
                    Stream.concat(Stream.of(active), allowed.stream())
                            .filter(text -> count(text) == entries && senders(text).equals(listed))
                            .findFirst()
                            .orElseThrow(() -> new AssertionError(this + ": " + listed));
        }

        void requireLatest() {
            double least = count(active) * (1 - settings.maxShrink()) - 1e-9;
            boolean taken = content != null && count(content) >= least;
            assertThat(active.equals(content)).as("%s", this).isEqualTo(taken);
            assertThat(list.status().problem() == null).as("%s", this).isEqualTo(taken);
        }

        @Override
        public String toString() {
            return script + ": maxShrink " + settings.maxShrink() + ", " + list.status();
        }
    }

    private Set<String> senders(String text) {
        return text.lines().filter(senders::contains).collect(Collectors.toSet());
    }

    private static int count(String text) {
        return (int) text.lines().count();
    }

    @Test
    void shouldOnlyEverHaveAWholeListActive() throws IOException {
        for (int seed = 0; seed < Extent.of(5, 80); seed++) {
            random = new SplittableRandom(seed);
            file = folder.resolve("list" + seed + ".txt");
            script.clear();
            senders.clear();
            followers.clear();
            String first = version(6);
            Files.writeString(file, first);
            content = first;
            for (double maxShrink : MAX_SHRINKS) {
                followers.add(new Follower(maxShrink, first));
            }
            try {
                for (int step = 0; step < 12; step++) {
                    edit(Edit.values()[random.nextInt(Edit.values().length)]);
                    settle(LONG);
                }
            } finally {
                followers.forEach(follower -> follower.list.close());
            }
        }
    }

    private String version(int lines) {
        versions++;
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < lines; i++) {
            String sender = "v" + versions + "x" + i + "@example.com";
            senders.add(sender);
            text.append(sender).append('\n');
        }
        return text.toString();
    }

    private String version() {
        return version(3 + random.nextInt(8));
    }

    /** Looks as the threads of the lists do, until that time has passed. */
    private void pass(Duration time) {
        long end = clock.nanos() + time.toNanos();
        while (true) {
            long next = end;
            for (Follower follower : followers) {
                if (follower.due <= clock.nanos()) {
                    Duration wait = follower.list.look();
                    follower.due = clock.nanos() + Math.max(wait.toNanos(), 1_000_000);
                    follower.requireWhole();
                }
                next = Math.min(next, follower.due);
            }
            if (clock.nanos() >= end) {
                return;
            }
            clock.sleep(Duration.ofNanos(Math.max(next - clock.nanos(), 0)));
        }
    }

    /** The file has, or gets, a whole text that may be active from now on. */
    private String whole(String text) {
        content = text;
        allowed.add(text);
        return text;
    }

    private enum Edit {
        RENAME,
        LINK,
        IN_PLACE,
        IN_PLACE_WITH_PAUSES,
        SET_BACK,
        APPEND,
        TAKE_OUT,
        DELETE,
        EMPTY,
        FOLDER,
        BINARY,
        RESTART
    }

    private void edit(Edit edit) throws IOException {
        script.add(edit.toString());
        if (Files.isDirectory(file)) {
            Files.delete(file);
        }
        switch (edit) {
            case RENAME -> put(Files.writeString(folder.resolve("other"), whole(version())));
            case LINK -> {
                Path target = folder.resolve("target" + versions);
                Files.writeString(target, whole(version()));
                put(Files.createSymbolicLink(folder.resolve("link"), target));
            }
            case IN_PLACE -> Files.writeString(file, whole(version()));
            case IN_PLACE_WITH_PAUSES -> inPlaceWithPauses(version());
            case SET_BACK -> setBack();
            case APPEND -> {
                if (content != null) {
                    Files.writeString(file, whole(content + version(1)));
                }
            }
            case TAKE_OUT -> takeOut();
            case DELETE, EMPTY, FOLDER, BINARY -> makeUseless(edit);
            case RESTART -> restart();
        }
    }

    private void makeUseless(Edit edit) throws IOException {
        Files.deleteIfExists(file);
        content = null;
        if (edit == Edit.FOLDER) {
            Files.createDirectory(file);
        } else if (edit != Edit.DELETE) {
            byte[] binary = {0, 1, 2, (byte) 0xff, 0};
            Files.write(file, edit == Edit.EMPTY ? new byte[0] : binary);
        }
    }

    private void settle(Duration time) {
        pass(time);
        followers.forEach(Follower::requireLatest);
        allowed.clear();
    }

    /** Another text of the same length, and with the time of the one before. */
    private void setBack() throws IOException {
        String old = version(5);
        Files.writeString(file, whole(old));
        settle(LONG);
        FileTime before = Files.getLastModifiedTime(file);
        String text = version(5);
        if (text.length() == old.length()) {
            Files.writeString(file, whole(text));
            Files.setLastModifiedTime(file, before);
        }
    }

    /** Takes a line out in place, which all lists must have active at once. */
    private void takeOut() throws IOException {
        String text = version(12 + random.nextInt(8));
        Files.writeString(file, whole(text));
        settle(LONG);
        List<String> lines = new ArrayList<>(text.lines().toList());
        lines.remove(random.nextInt(lines.size()));
        Files.writeString(file, whole(String.join("\n", lines) + "\n"));
        settle(Duration.ofSeconds(7));
    }

    /** Writes with pauses within lines or between them, some longer than lists wait. */
    private void inPlaceWithPauses(String text) throws IOException {
        int before = Files.exists(file) ? (int) Files.size(file) : 0;
        Files.writeString(file, "");
        content = text;
        int written = 0;
        while (written < text.length()) {
            int end = Math.min(text.length(), written + 1 + random.nextInt(80));
            if (random.nextBoolean()) {
                end = text.indexOf('\n', end - 1) + 1;
            }
            Files.writeString(file, text.substring(written, end), StandardOpenOption.APPEND);
            written = end;
            if (written == text.length()) {
                break;
            }
            String part = text.substring(0, written);
            boolean isLong = random.nextInt(6) == 0;
            // A little shorter counts as whole, too.
            boolean allowsPart =
                    isLong || (part.endsWith("\n") && 10 * (before - written) < before);
            if (allowsPart) {
                // The text so far may have been read, and may be active.
                allowed.add(part);
                before = Math.min(before, written);
            }
            script.add((isLong ? "long pause at " : "pause at ") + written);
            pass(Duration.ofMillis(isLong ? 11_000 : random.nextInt(9_500)));
        }
        allowed.add(text);
    }

    /** Starts a list again: it has the last good list or the whole file active. */
    private void restart() throws IOException {
        for (Follower follower : followers) {
            follower.list.close();
            follower.list = follower.start();
            follower.due = 0;
            follower.requireWhole();
        }
    }
}
