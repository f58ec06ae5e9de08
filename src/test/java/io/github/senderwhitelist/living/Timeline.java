package io.github.senderwhitelist.living;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What was true of one thing, one value after the other.
 *
 * @param <T> the values, which may be null
 */
final class Timeline<T> {
    /** As the moment at which servers know a value, until it is announced. */
    private static final long NOT_ANNOUNCED = Long.MAX_VALUE;

    private final List<Value<T>> values = new ArrayList<>();

    /** A value. Servers that have read the feed since it was announced must know it. */
    private static final class Value<T> {
        final @Nullable T value;
        final boolean restored;
        long announced;

        Value(@Nullable T value, long announced, boolean restored) {
            this.value = value;
            this.announced = announced;
            this.restored = restored;
        }

        @Override
        public String toString() {
            return value
                    + (announced == NOT_ANNOUNCED ? "" : " from " + announced)
                    + (restored ? " (restored)" : "");
        }
    }

    /** Adds what is true from a moment on, and is announced then. */
    void add(long moment, @Nullable T value) {
        values.add(new Value<>(value, moment, false));
    }

    /** Adds what is true, and is announced later. */
    void addUnannounced(@Nullable T value) {
        values.add(new Value<>(value, NOT_ANNOUNCED, false));
    }

    /**
     * Adds what a restore has made true.
     *
     * @param announced whether the feed says so; if not, what was announced since the backup is not
     *     announced any more
     * @param backup the moment of the backup
     */
    void restore(long moment, @Nullable T value, boolean announced, long backup) {
        for (Value<T> each : values) {
            if (!announced && each.announced > backup) {
                each.announced = NOT_ANNOUNCED;
            }
        }
        values.add(new Value<>(value, announced ? moment : NOT_ANNOUNCED, true));
    }

    /** Announces what is true now, if it was not announced yet. */
    void announce(long moment) {
        if (!isAnnounced()) {
            values.getLast().announced = moment;
        }
    }

    /** Returns whether what is true now is announced. */
    boolean isAnnounced() {
        return values.getLast().announced != NOT_ANNOUNCED;
    }

    /**
     * Returns whether a server may believe a value.
     *
     * @param since when it began to read the feed last
     * @param ahead the moment since which a database that was restored afterwards may have had what
     *     the server has read, but can never find out to be lost
     */
    boolean mayBe(@Nullable T value, long since, long ahead) {
        if (isLostUnannounced(value)) {
            return true;
        }
        boolean current = true;
        boolean lost = false;
        for (Value<T> each : values.reversed()) {
            lost = lost && each.announced > ahead;
            if ((current || lost) && Objects.equals(each.value, value)) {
                return true;
            }
            current = current && each.announced > since;
            lost = lost || (each.restored && ahead < since);
            if (!current && !lost) {
                return false;
            }
        }
        return false;
    }

    /** Returns whether an import put a value, and was lost by a restore before it was announced. */
    private boolean isLostUnannounced(@Nullable T value) {
        boolean isLost = false;
        for (Value<T> each : values.reversed()) {
            if (isLost && each.announced == NOT_ANNOUNCED && Objects.equals(each.value, value)) {
                return true;
            }
            isLost |= each.restored;
        }
        return false;
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
