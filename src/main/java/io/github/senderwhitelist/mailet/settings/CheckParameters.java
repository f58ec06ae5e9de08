package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.SenderIdentity;
import io.github.senderwhitelist.decision.Unwrapping;
import io.github.senderwhitelist.decision.Unwrapping.Form;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskInput;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The parameters of checks that do not belong to lists.
 *
 * @param name what explanations call this policy
 * @param policy the settings of decisions
 * @param written all of these but the name as text, by which policies can be compared; it holds the
 *     secret
 */
public record CheckParameters(String name, Policy policy, Map<String, String> written) {
    /** What begins a tag of senders, when the parameter is left out. */
    private static final String TAG = "+";

    private static final String SRS_SECRET = "srsSecret";
    private static final ValueType<String> SECRET =
            ValueType.text("text, or the URL of a file with one a line", "text, or a file URL");
    private static final ValueType<String> NAME =
            ValueType.name("a name, or leave the parameter out", "text");

    /**
     * Reads the parameters of a mailet or matcher.
     *
     * @param clock the time for entries with dates
     * @param users finds the users that recipients belong to
     * @param isLocal returns whether a domain is one of this server's
     */
    public static CheckParameters read(
            Parameters parameters,
            InstantSource clock,
            RecipientUsers users,
            Predicate<String> isLocal)
            throws SettingException {
        Parameters part = parameters.part();
        Policy policy =
                new Policy(
                        subaddressing(part),
                        unwrapping(part),
                        part.value("requireAuthentication", AuthRequirement.VALUES, "none"),
                        clock,
                        recipientTags(part),
                        users,
                        part.value("sender", SenderIdentity.VALUES, "envelope"),
                        !part.value(
                                "onLookupFailure",
                                ValueType.either("notListed", "listed"),
                                "notListed"),
                        isLocal);
        return new CheckParameters(name(parameters), policy, part.written());
    }

    /** Returns which character begins the tag of a sender's address. */
    public static Subaddressing subaddressing(Parameters parameters) throws SettingException {
        return parameters.value("subaddressDelimiter", Subaddressing.VALUES, TAG);
    }

    /** Returns which character begins the tag of a recipient's address. */
    public static Subaddressing recipientTags(Parameters parameters) throws SettingException {
        return parameters.value("recipientDelimiter", Subaddressing.VALUES, "none");
    }

    /** Returns the name that is given to a policy, or else one of its class and its lists. */
    public static String name(Parameters parameters) throws SettingException {
        String given = parameters.given("name", NAME);
        return given != null
                ? given
                : parameters.owner()
                        + "="
                        + Stream.of(ListParameters.whitelist(parameters).split(",", -1))
                                .map(String::strip)
                                .collect(Collectors.joining(","));
    }

    /** Returns all but the name in one line, without the secret. */
    public String shown() {
        Map<String, String> shown = new TreeMap<>(written);
        shown.remove(SRS_SECRET);
        return shown.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(" "));
    }

    private static Unwrapping unwrapping(Parameters parameters) throws SettingException {
        Set<Form> forms = parameters.value("unwrap", Unwrapping.VALUES, "none");
        String secret = parameters.text(SRS_SECRET, SECRET);
        try {
            return new Unwrapping(
                    forms, parameters.has(SRS_SECRET) ? secrets(parameters, secret) : List.of());
        } catch (IOException e) {
            throw parameters.wrong(
                    "parameter "
                            + SRS_SECRET
                            + ": "
                            + e.getMessage()
                            + "; allowed: a file of secrets in UTF-8, one a line");
        } catch (IllegalArgumentException e) {
            throw parameters.wrong("parameter " + e.getMessage());
        }
    }

    /** Returns the secrets in the parameter or in the file that it names. Never log them. */
    private static List<String> secrets(Parameters parameters, String value)
            throws SettingException, IOException {
        return Parameters.isFile(value)
                ? DiskInput.lines(
                        Disk.LOCAL, parameters.resolve(SRS_SECRET, value, SECRET.allowed()))
                : List.of(value);
    }

    /** Returns these parameters without the secret. */
    @Override
    public String toString() {
        return name + ": " + shown();
    }
}
