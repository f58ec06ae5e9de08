package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.SenderIdentity;
import io.github.senderwhitelist.decision.Unwrapping;
import io.github.senderwhitelist.decision.Unwrapping.Form;

import org.jspecify.annotations.Nullable;

import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The parameters of mailets and matchers that check senders, but for those of lists. */
public final class CheckParameters {
    private static final String UNWRAP = "unwrap";
    private static final String SRS_SECRET = "srsSecret";
    private static final ValueType<String> SECRET =
            ValueType.text("text, or the URL of a file with one a line");
    private static final String NAME = "name";
    private static final ValueType<String> NAMES =
            ValueType.name("a name, or leave the parameter out");

    private CheckParameters() {}

    /**
     * Returns the settings of decisions.
     *
     * @param clock the time for entries with dates
     * @param users finds the users that recipients belong to
     * @param isLocal returns whether a domain is one of this server's
     */
    public static Policy policy(
            Parameters parameters,
            InstantSource clock,
            RecipientUsers users,
            Predicate<String> isLocal)
            throws SettingException {
        return new Policy(
                subaddressing(parameters),
                unwrapping(parameters),
                parameters.value("requireAuthentication", AuthRequirement.VALUES, "none"),
                clock,
                recipientTags(parameters),
                users,
                parameters.value("sender", SenderIdentity.VALUES, "envelope"),
                parameters.value(
                        "onLookupFailure", ValueType.either("listed", "notListed"), "notListed"),
                isLocal);
    }

    /** Returns which character begins the tag of a sender's address. */
    public static Subaddressing subaddressing(Parameters parameters) throws SettingException {
        return parameters.value("subaddressDelimiter", Subaddressing.VALUES, "+");
    }

    /** Returns which character begins the tag of a recipient's address. */
    public static Subaddressing recipientTags(Parameters parameters) throws SettingException {
        return parameters.value("recipientDelimiter", Subaddressing.VALUES, "none");
    }

    /**
     * Returns what explanations call a mailet or matcher: the name that it is given, or else its
     * class and its lists.
     */
    public static String name(Parameters parameters) throws SettingException {
        String given = parameters.given(NAME, NAMES);
        return given != null
                ? given
                : parameters.owner()
                        + "="
                        + Stream.of(ListParameters.whitelist(parameters).split(",", -1))
                                .map(String::strip)
                                .collect(Collectors.joining(","));
    }

    /** Returns the parameters that were read of a policy in one line, without the secret. */
    public static String shown(Parameters parameters) {
        return parameters.read().entrySet().stream()
                .filter(each -> !Set.of(SRS_SECRET, NAME, "whitelist").contains(each.getKey()))
                .map(
                        each ->
                                each.getKey()
                                        + "="
                                        + parameters
                                                .values()
                                                .getOrDefault(
                                                        each.getKey(),
                                                        String.valueOf(
                                                                each.getValue().defaultValue()))
                                                .strip())
                .collect(Collectors.joining(" "));
    }

    /** Returns what is taken off senders. */
    private static Unwrapping unwrapping(Parameters parameters) throws SettingException {
        Set<Form> forms = parameters.value(UNWRAP, Unwrapping.VALUES, "none");
        @Nullable List<String> secrets =
                parameters.secrets(SRS_SECRET, SECRET, "a file of secrets in UTF-8, one a line");
        try {
            return new Unwrapping(forms, Objects.requireNonNullElse(secrets, List.of()));
        } catch (IllegalArgumentException e) {
            throw parameters.wrong("parameter " + e.getMessage());
        }
    }
}
