package io.github.senderwhitelist.tools;

import org.junit.jupiter.api.Assumptions;
import org.opentest4j.AssertionFailedError;

import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Skips tests where the machine lacks what they need, and says so on standard error, which the
 * build shows. With {@code -Dskip.nothing=true} they fail instead.
 */
public final class Needs {
    private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

    private Needs() {}

    /**
     * Skips the test unless the condition holds. {@code missing} says what is not there, and how to
     * get it.
     */
    public static void require(boolean there, String missing) {
        if (there) {
            return;
        }
        if (Boolean.getBoolean("skip.nothing")) {
            throw new AssertionFailedError(missing);
        }
        if (SAID.add(missing)) {
            System.err.println("SKIPPED: " + missing);
        }
        Assumptions.abort(missing);
    }

    /** Skips the test unless Java can draw letters. */
    public static void requireFonts() {
        boolean there;
        try {
            FontRenderContext context = new FontRenderContext(null, true, true);
            new Font(Font.SANS_SERIF, Font.PLAIN, 12).getLineMetrics("letters", context);
            there = true;
        } catch (RuntimeException | Error e) {
            // Without fonts, different versions of Java throw different exceptions.
            there = false;
        }
        require(
                there,
                "there are no fonts (Debian: fontconfig, fonts-dejavu-core); no chart drawn");
    }
}
