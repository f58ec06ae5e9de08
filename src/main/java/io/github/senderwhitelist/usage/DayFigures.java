package io.github.senderwhitelist.usage;

import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.database.UsedLine;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/**
 * What all lists of this server did since the last line about it in the log, which comes once a
 * day.
 */
public final class DayFigures {
    /** How many entries are counted one by one at most; few rescue at all. */
    private static final int MAX_ENTRIES = 10_000;

    /** How many entries are named. */
    private static final int NAMED = 3;

    private final InstantSource clock;
    private final LongAdder others = new LongAdder();
    private final LongAdder listed = new LongAdder();
    private final LongAdder rescued = new LongAdder();

    /** How many recipients the administrator's entries have rescued a mail for. */
    private final Map<UsedLine, Long> rescuing = new ConcurrentHashMap<>();

    private Instant since;

    /** Begins to count. */
    public DayFigures(InstantSource clock) {
        this.clock = clock;
        this.since = clock.instant();
    }

    /** Counts a mail that was judged. */
    public void judged(boolean isListed) {
        (isListed ? listed : others).increment();
    }

    /** Counts a recipient who has got a mail because of a line. */
    public void rescued(UsedLine line) {
        rescued.increment();
        if (line.origin() == Origin.ADMIN
                && (rescuing.containsKey(line) || rescuing.size() < MAX_ENTRIES)) {
            rescuing.merge(line, 1L, Long::sum);
        }
    }

    /** Returns the line, and begins anew; null if no mail was judged. */
    public synchronized @Nullable String take() {
        Instant from = since;
        since = clock.instant();
        long ofListed = listed.sumThenReset();
        long mails = ofListed + others.sumThenReset();
        long recipients = rescued.sumThenReset();
        String most =
                rescuing.entrySet().stream()
                        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                        .limit(NAMED)
                        .map(each -> Text.escaped(each.getKey() + " (" + each.getValue() + ")"))
                        .collect(Collectors.joining(", "));
        rescuing.clear();
        return mails == 0
                ? null
                : "Since %s: %s mails judged, %s of listed senders; rescued for %s recipients%s"
                        .formatted(
                                from.truncatedTo(ChronoUnit.SECONDS),
                                mails,
                                ofListed,
                                recipients,
                                most.isEmpty() ? "" : ", most by " + most);
    }
}
