package io.github.senderwhitelist.learning;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskInput;
import io.github.senderwhitelist.living.LivingList;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * The removal of users' own and learned entries for users whom the server no longer has. A user
 * must be missing for some days without a break, because directories of users fail, and because a
 * deletion can be a mistake.
 *
 * <p>The day since which each user is missing is kept in a text file, one {@code ADDRESS DAY} a
 * line, after the day of the last sweep, {@code swept DAY}. If the file is lost, the days begin
 * again.
 *
 * <p>Clocks are wrong at times, such as when a machine has just started. So from one look to the
 * next, {@value #MOST_DAYS} days count at most, and none if the clock was set back.
 */
public final class DeletedUsers {
    /** The origins whose entries are removed. The administrator's entries stay. */
    private static final Set<Origin> THEIRS = EnumSet.of(Origin.USER, Origin.LEARNED);

    private static final int MOST_DAYS = 2;
    private static final String SWEPT = "swept";

    private final LivingList list;
    private final Disk disk;
    private final Path notes;
    private final Users users;
    private final int graceDays;
    private final InstantSource clock;

    /** The directory of the server's users. */
    @FunctionalInterface
    public interface Users {
        /**
         * Returns whether mail to an address reaches a user of this server.
         *
         * @throws IOException if the directory of users fails
         */
        boolean has(Address address) throws IOException;
    }

    /**
     * Creates the removal for a list.
     *
     * @param disk holds the notes
     * @param notes the file with the days since which users are missing
     * @param graceDays for how many days a user must be missing
     */
    public DeletedUsers(
            LivingList list,
            Disk disk,
            Path notes,
            Users users,
            int graceDays,
            InstantSource clock) {
        this.list = list;
        this.disk = disk;
        this.notes = notes;
        this.users = users;
        this.graceDays = graceDays;
        this.clock = clock;
    }

    /**
     * The result of a sweep.
     *
     * @param missing how many users are missing, and not long enough yet
     * @param removed the users whose entries were removed
     * @param entries how many entries these had
     */
    public record Swept(int missing, List<String> removed, long entries) {}

    /**
     * Looks at all users who have entries, and removes the entries of those who are missing for
     * long enough, and the history of these.
     *
     * @throws IOException if the directory of users, the database or the disk fails. Entries of
     *     users who are missing for long enough may have been removed then
     */
    public Swept sweep() throws IOException {
        LocalDate today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        Map<String, LocalDate> before = moved(read(), today);
        Map<String, LocalDate> missing = new TreeMap<>();
        for (Key user = list.record().nextRecipient(null);
                user != null;
                user = list.record().nextRecipient(user)) {
            if (!user.isDomain()
                    && AddressSyntax.parse(user.toString()) instanceof WellFormed(Address address)
                    && !users.has(address)) {
                String name = user.toString();
                missing.put(name, before.getOrDefault(name, today));
            }
        }
        List<String> removed = new ArrayList<>();
        long entries = 0;
        for (var each : List.copyOf(missing.entrySet())) {
            if (!each.getValue().plusDays(graceDays).isAfter(today)) {
                long had = remove(each.getKey());
                missing.remove(each.getKey());
                if (had > 0) {
                    removed.add(each.getKey());
                    entries += had;
                }
            }
        }
        write(missing, today);
        return new Swept(missing.size(), removed, entries);
    }

    private long remove(String user) throws IOException {
        if (!(AddressSyntax.parse(user) instanceof WellFormed(Address address))) {
            return 0;
        }
        long had = list.removeAllFor(address.key(), THEIRS, "user is deleted");
        if (had > 0) {
            list.record().forgetHistory(address.key());
        }
        return had;
    }

    /** Moves the days of the notes, so that it is as long before today as counts. */
    private static Map<String, LocalDate> moved(Map<String, LocalDate> notes, LocalDate today) {
        LocalDate last = notes.getOrDefault(SWEPT, today);
        long passed = Math.clamp(ChronoUnit.DAYS.between(last, today), 0, MOST_DAYS);
        Map<String, LocalDate> moved = new TreeMap<>();
        notes.forEach(
                (user, since) -> {
                    long missing = Math.max(0, ChronoUnit.DAYS.between(since, last));
                    moved.put(user, today.minusDays(missing + passed));
                });
        return moved;
    }

    /**
     * Reads the notes. A line that cannot be read is ignored, so that its user's days begin again.
     */
    private Map<String, LocalDate> read() throws IOException {
        Map<String, LocalDate> days = new TreeMap<>();
        List<String> lines;
        try {
            lines = DiskInput.lines(disk, notes);
        } catch (FileNotFoundException | NoSuchFileException e) {
            return days;
        }
        for (String line : lines) {
            int space = line.lastIndexOf(' ');
            LocalDate day = day(line.substring(space + 1));
            if (space > 0 && day != null) {
                days.put(line.substring(0, space), day);
            }
        }
        return days;
    }

    private static @Nullable LocalDate day(String text) {
        try {
            return LocalDate.parse(text);
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    /** Writes as many notes as can be read again, first those of whom is missing longest. */
    private void write(Map<String, LocalDate> missing, LocalDate today) throws IOException {
        List<Map.Entry<String, LocalDate>> oldest = new ArrayList<>(missing.entrySet());
        oldest.sort(Map.Entry.comparingByValue());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(line(SWEPT, today));
        for (var each : oldest) {
            byte[] line = line(each.getKey(), each.getValue());
            if (bytes.size() + line.length > DiskInput.MAX_TEXT) {
                break;
            }
            bytes.writeBytes(line);
        }
        Path folder = Objects.requireNonNull(notes.getParent());
        Disk.createFolders(disk, folder);
        AtomicFile.sweep(disk, notes);
        try (AtomicFile unfinished = AtomicFile.of(disk, notes)) {
            unfinished.file().writeFully(ByteBuffer.wrap(bytes.toByteArray()), 0);
            unfinished.publish();
        }
    }

    private static byte[] line(String user, LocalDate day) {
        return (user + ' ' + day + '\n').getBytes(UTF_8);
    }
}
