package io.github.senderwhitelist.usage;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.database.LineUse;
import io.github.senderwhitelist.database.UsageTable;
import io.github.senderwhitelist.database.UsedLine;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.decision.SenderList;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counter of the use of one list on this server. Mails count in memory, and none waits for the
 * database; {@link #flush} brings that into it. What waits when the process is killed is lost.
 */
public final class UsageCounter {
    /** How many lines wait at most while the database cannot be written. */
    public static final int MAX_WAITING = 100_000;

    /** What opens the table, when it is needed first. */
    @FunctionalInterface
    public interface Opener {
        UsageTable open() throws IOException;
    }

    private final Opener opener;

    /** The list if it is one in a file; null for one in a database, which knows its entries. */
    private final @Nullable SenderList file;

    private final InstantSource clock;

    /** What is not in the database yet. */
    private final ConcurrentHashMap<UsedLine, LineUse> waiting = new ConcurrentHashMap<>();

    /** What was brought into the database. */
    private final LongAdder used = new LongAdder();

    private final LongAdder rescued = new LongAdder();
    private final LongAdder dropped = new LongAdder();

    /** Not asked of the clock for each mail. */
    private volatile LocalDate today;

    private @Nullable UsageTable table;

    /** The entries of the file, when all lines of other entries were removed last. */
    private WeakReference<@Nullable SenderLines> swept = new WeakReference<>(null);

    /**
     * Makes a counter without counts.
     *
     * @param file the list if it is one in a file; null for one in the table's database
     */
    public UsageCounter(Opener opener, @Nullable SenderList file, InstantSource clock) {
        this.opener = opener;
        this.file = file;
        this.clock = clock;
        this.today = now();
    }

    private LocalDate now() {
        return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
    }

    /**
     * Counts a use of a line.
     *
     * @param mails on how many mails it decided
     * @param recipients how many recipients have got a mail because of it
     */
    public void count(UsedLine line, int mails, int recipients) {
        add(new LineUse(line, mails, recipients, today, today));
    }

    private void add(LineUse use) {
        if (waiting.mappingCount() >= MAX_WAITING && !waiting.containsKey(use.line())) {
            dropped.increment();
        } else {
            waiting.merge(use.line(), use, LineUse::plus);
        }
    }

    /** Returns on how many mails lines decided since the list was opened, as far as flushed. */
    public long used() {
        return used.sum();
    }

    /** Returns how many recipients have got a mail because of the list, as {@link #used}. */
    public long rescued() {
        return rescued.sum();
    }

    /** Returns how many uses were not counted since too many lines waited. */
    public long dropped() {
        return dropped.sum();
    }

    /** Returns whether only the mails on this server are counted. */
    public boolean isOfThisServerOnly() {
        return file != null;
    }

    /** Returns the table, after what waits was brought into it. */
    public synchronized UsageTable flushed() throws IOException {
        flush();
        return table();
    }

    /**
     * Brings what waits into the database, in parts. If that fails, it waits on; after a commit of
     * which nobody knows whether it was made, it counts twice.
     *
     * @throws IOException if the database cannot be written, or cannot be opened yet
     */
    public synchronized void flush() throws IOException {
        today = now();
        UsageTable to = table();
        List<LineUse> part = new ArrayList<>();
        for (UsedLine line : waiting.keySet()) {
            LineUse use = waiting.remove(line);
            if (use != null) {
                part.add(use);
            }
            if (part.size() == UsageTable.MAX_PART) {
                write(to, part);
                part.clear();
            }
        }
        if (!part.isEmpty()) {
            write(to, part);
        }
        removeGone(to);
    }

    private void write(UsageTable to, List<LineUse> part) throws IOException {
        boolean isWritten = false;
        try {
            to.add(part, file == null);
            isWritten = true;
            part.forEach(use -> used.add(use.used()));
            part.forEach(use -> rescued.add(use.rescued()));
        } finally {
            if (!isWritten) {
                // A database that was restored may lack the list, which the next opening makes.
                table = null;
                part.forEach(this::add);
            }
        }
    }

    /** Removes the lines of entries that were removed from the file, once after each change. */
    private void removeGone(UsageTable from) throws IOException {
        SenderLines now = file == null ? null : file.current();
        if (now == null || swept.refersTo(now)) {
            return;
        }
        long kept = 0;
        List<LineUse> page;
        do {
            page = from.newest(kept, false, UsageTable.MAX_PART);
            List<UsedLine> gone =
                    page.stream().map(LineUse::line).filter(line -> !isThere(now, line)).toList();
            from.remove(gone);
            kept += page.size() - gone.size();
        } while (page.size() == UsageTable.MAX_PART);
        swept = new WeakReference<>(now);
    }

    /** Returns whether a file has a line; true if it cannot be told now. */
    private static boolean isThere(SenderLines file, UsedLine line) {
        try {
            Key sender = line.pair().sender();
            Entry entry = file.mightContain(sender) ? file.find(sender, line.pair().to()) : null;
            return entry != null && !entry.rulesOf(line.origin()).isEmpty();
        } catch (IOException | RetiredException e) {
            return true;
        }
    }

    /** Forgets the use of all lines that are for one recipient. */
    public synchronized void forget(Key to) throws IOException {
        waiting.keySet().removeIf(line -> to.equals(line.pair().to()));
        table().removeAllFor(to);
    }

    /** Returns the table, which is opened if it was not yet. */
    private UsageTable table() throws IOException {
        UsageTable opened = table;
        if (opened == null) {
            opened = opener.open();
            opened.begin();
            table = opened;
        }
        return opened;
    }
}
