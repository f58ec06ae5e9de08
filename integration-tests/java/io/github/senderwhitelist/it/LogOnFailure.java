package io.github.senderwhitelist.it;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

import java.util.function.Supplier;

/** Shows the end of the server's log with a failure. */
final class LogOnFailure implements TestExecutionExceptionHandler {
    private static final int LENGTH = 6_000;
    private final Supplier<String> log;

    LogOnFailure(Supplier<String> log) {
        this.log = log;
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure)
            throws Throwable {
        failure.addSuppressed(new Log(end(log.get())));
        throw failure;
    }

    static String end(String log) {
        return log.length() <= LENGTH ? log : "..." + log.substring(log.length() - LENGTH);
    }

    private static final class Log extends Exception {
        private static final long serialVersionUID = 1L;

        Log(String text) {
            super("The end of the server's log:\n" + text, null, false, false);
        }
    }
}
