package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.Unwrapping;
import io.github.senderwhitelist.decision.UnwrappingOptions;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.TextFile;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The parser of the parameters of checks that do not belong to lists. */
public final class CheckParameters {
    private CheckParameters() {}

    /**
     * Parses the parameters of a mailet or matcher.
     *
     * @param clock the time for entries with dates
     * @param users finds the users that recipients belong to
     * @param isLocal returns whether a domain is one of this server's
     */
    public static Policy parse(
            Parameters parameters,
            InstantSource clock,
            RecipientUsers users,
            Predicate<String> isLocal)
            throws SettingException {
        return new Policy(
                parameters.value(Settings.SUBADDRESS_DELIMITER),
                unwrapping(parameters),
                parameters.value(Settings.REQUIRE_AUTHENTICATION),
                clock,
                parameters.value(Settings.RECIPIENT_DELIMITER),
                users,
                parameters.value(Settings.SENDER),
                !parameters.value(Settings.NOT_LISTED_ON_LOOKUP_FAILURE),
                isLocal);
    }

    /** Returns the name that is given to a policy, or else one of its class and its lists. */
    public static String name(Parameters parameters, String owner) throws SettingException {
        String given = parameters.given(Settings.NAME);
        return given != null
                ? given
                : owner
                        + "="
                        + Stream.of(parameters.written(Settings.WHITELIST).split(",", -1))
                                .map(String::strip)
                                .collect(Collectors.joining(","));
    }

    /** Returns the values of these parameters as text, by which policies can be compared. */
    public static Map<String, String> written(Parameters parameters) {
        Map<String, String> written = new HashMap<>();
        for (Setting<?> setting : Settings.OF_CHECKS) {
            written.put(
                    setting.name(),
                    parameters.has(setting)
                            ? parameters.written(setting)
                            : String.valueOf(setting.usual()));
        }
        return written;
    }

    /** Returns the same in one line, without the secret. */
    public static String shown(Parameters parameters) {
        Map<String, String> shown = new TreeMap<>(written(parameters));
        shown.remove(Settings.SRS_SECRET.name());
        return shown.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(" "));
    }

    private static Unwrapping unwrapping(Parameters parameters) throws SettingException {
        UnwrappingOptions options =
                new UnwrappingOptions(
                        "parameter " + Settings.UNWRAP.name(),
                        "parameter " + Settings.SRS_SECRET.name());
        try {
            return options.unwrapping(
                    parameters.value(Settings.UNWRAP),
                    parameters.has(Settings.SRS_SECRET) ? secrets(parameters) : null);
        } catch (IllegalArgumentException | IOException e) {
            throw parameters.wrong(String.valueOf(e.getMessage()));
        }
    }

    /** Returns the secrets in the parameter or in the file that it names. Never log them. */
    private static UnwrappingOptions.Secrets secrets(Parameters parameters)
            throws SettingException {
        String value = parameters.written(Settings.SRS_SECRET);
        if (!value.startsWith("file://")) {
            return () -> List.of(value);
        }
        Path file = parameters.file(Settings.SRS_SECRET, value);
        return () -> TextFile.lines(Disk.LOCAL, file);
    }
}
