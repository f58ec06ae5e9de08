package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The clock of sweeps, which is never ahead of any of three: the clock of this server, that of the
 * database, and the newest change that was there when this process opened the database, with the
 * time that has passed since. What this process changes does not count: a wrong clock of the
 * server, which is that of an embedded database, too, would agree with itself.
 *
 * <p>It may be behind: after a start, by the time for which nothing had changed before. Sweeps are
 * late then, which harms nobody.
 */
final class SweepClock {
    private final Engine engine;
    private final LongSupplier nanos;
    private @Nullable Instant newest;
    private long then;

    /**
     * Makes a clock that has not begun.
     *
     * @param nanos measures the time that passes, such as {@link System#nanoTime}
     */
    SweepClock(Engine engine, LongSupplier nanos) {
        this.engine = engine;
        this.nanos = nanos;
    }

    /** Reads the newest change. Must be called before this process changes anything. */
    synchronized void begin(Connection connection) throws SQLException, IOException {
        List<Instant> last =
                Sql.query(
                        connection,
                        engine.newestChange(),
                        row -> Instant.ofEpochMilli(row.getLong(1)));
        newest = last.isEmpty() ? null : last.getFirst();
        then = nanos.getAsLong();
    }

    /**
     * Returns the earliest of the three clocks. While there is no change at all, that is long ago.
     *
     * @param now the time by the clock of this server
     */
    synchronized Instant earliest(Connection connection, Instant now)
            throws SQLException, IOException {
        if (newest == null) {
            begin(connection);
        }
        Instant passed =
                newest == null ? Instant.EPOCH : newest.plusNanos(nanos.getAsLong() - then);
        Instant ofDatabase =
                Sql.query(
                                connection,
                                "select " + engine.clock(),
                                row -> Instant.ofEpochMilli(row.getLong(1)))
                        .getFirst();
        return Stream.of(now, ofDatabase, passed).min(Instant::compareTo).orElseThrow();
    }
}
