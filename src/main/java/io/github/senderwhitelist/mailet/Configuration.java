package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;

import jakarta.mail.MessagingException;

import org.apache.james.filesystem.api.FileSystem;
import org.apache.mailet.base.GenericMailet;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/** The configurations of mailets and matchers, as James has them. */
final class Configuration {
    /** The parameters that James itself reads for every mailet. */
    private static final Set<String> OF_EVERY_MAILET =
            Set.of("onMailetException", "onMatchException");

    private Configuration() {}

    /** Returns the parameters of a mailet. */
    static Parameters of(String owner, GenericMailet mailet, FileSystem files) {
        Map<String, String> values = new HashMap<>();
        for (Iterator<String> names = mailet.getInitParameterNames(); names.hasNext(); ) {
            String name = names.next();
            if (!OF_EVERY_MAILET.contains(name)) {
                values.put(name, mailet.getInitParameter(name));
            }
        }
        return of(owner, values, files);
    }

    /** Returns parameters whose values are known. */
    static Parameters of(String owner, Map<String, String> values, FileSystem files) {
        return new Parameters(owner, values, url -> files.getFile(url).toPath());
    }

    /** A start that a wrong setting prevents. */
    @FunctionalInterface
    interface Start {
        void run() throws SettingException;
    }

    /** Starts a mailet or matcher. */
    static void start(Start start) throws MessagingException {
        try {
            start.run();
        } catch (SettingException e) {
            throw refused(e);
        }
    }

    /** Returns the exception that James wants for a wrong setting. */
    static MessagingException refused(SettingException e) {
        return new MessagingException(
                e.getMessage(), e.getCause() instanceof Exception cause ? cause : null);
    }
}
