package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.decision.Verdict;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/** The counts of verdicts in each of the last 60 minutes. Counting takes no lock. */
public final class LastHour {
    private static final int MINUTES = 60;
    private static final int SECONDS = 60;

    private final AtomicLongArray listed = new AtomicLongArray(MINUTES);
    private final AtomicLongArray notListed = new AtomicLongArray(MINUTES);
    private final AtomicLongArray unavailable = new AtomicLongArray(MINUTES);

    /** The counts by the verdict, that of the oldest minute first. */
    public record Counts(List<Long> listed, List<Long> notListed, List<Long> unavailable) {}

    /** Counts a verdict on a mail. */
    public void count(Verdict verdict, Instant now) {
        AtomicLongArray minutes =
                switch (verdict.word()) {
                    case Verdict.LISTED -> listed;
                    case Verdict.NOT_LISTED -> notListed;
                    default -> unavailable;
                };
        // A place has the number of its minute in the upper half, so that an old count ends.
        long minute = now.getEpochSecond() / SECONDS;
        minutes.accumulateAndGet(
                (int) (minute % MINUTES),
                minute,
                (before, is) ->
                        before >>> Integer.SIZE == is ? before + 1 : is << Integer.SIZE | 1);
    }

    /** Returns the counts of the hour that ends now. */
    public Counts counts(Instant now) {
        long minute = now.getEpochSecond() / SECONDS;
        return new Counts(
                counts(listed, minute), counts(notListed, minute), counts(unavailable, minute));
    }

    private static List<Long> counts(AtomicLongArray minutes, long now) {
        List<Long> counts = new ArrayList<>(MINUTES);
        for (long minute = now - MINUTES + 1; minute <= now; minute++) {
            long place = minutes.get((int) (minute % MINUTES));
            counts.add(place >>> Integer.SIZE == minute ? place & 0xffffffffL : 0);
        }
        return counts;
    }
}
