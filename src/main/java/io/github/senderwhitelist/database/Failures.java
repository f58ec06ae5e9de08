package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Text;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;

/** The classification of failures of databases, and their messages in one line. */
final class Failures {
    /** The state of a statement that took longer than allowed. */
    static final String CANCELED = "57014";

    /** The state of a statement that waited longer than allowed for a lock. */
    static final String LOCKED = "55P03";

    private static final Set<String> PASSING =
            Set.of(
                    // Serialization failure, deadlock, and two inserted the same row at once.
                    "40001", "40P01", "23505");

    private Failures() {}

    /** Returns whether a repetition may succeed at once. */
    static boolean isPassing(SQLException e) {
        return PASSING.contains(String.valueOf(e.getSQLState()));
    }

    /** Returns whether the database does not know, or does not allow, the statement. */
    static boolean isRefusal(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return state.startsWith("42") || state.startsWith("0A") || state.startsWith("55");
    }

    /** Returns the failure of a thread that is interrupted while it waits. */
    static SQLException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new SQLException("interrupted", e);
    }

    /** Returns why something failed, in one line, without the statement. */
    static String reason(SQLException e) {
        String message = String.valueOf(e.getMessage());
        int statement = message.indexOf("; SQL statement:");
        String why = statement < 0 ? message : message.substring(0, statement);
        Throwable root = root(e);
        return oneLine(root instanceof SQLException ? why : why + " (" + said(root) + ')');
    }

    /** Returns the class and the message of a failure, in one line. */
    static String said(Throwable failure) {
        return oneLine(failure.getClass().getSimpleName() + ": " + failure.getMessage());
    }

    private static String oneLine(String text) {
        return Text.escaped(text.strip().replaceAll("\\s+", " "));
    }

    /** Returns the root cause of a failure. */
    static Throwable root(Throwable failure) {
        Throwable root = failure;
        for (Throwable next = root; next != null; next = next.getCause()) {
            root = next;
        }
        return root;
    }

    /** Returns a duration for people. */
    static String seconds(Duration duration) {
        return duration.toMillis() / 1000.0 + " seconds";
    }
}
