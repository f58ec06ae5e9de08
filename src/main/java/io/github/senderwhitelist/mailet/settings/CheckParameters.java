package io.github.senderwhitelist.mailet.settings;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.decision.SenderIdentity;
import io.github.senderwhitelist.decision.Unwrapping;
import io.github.senderwhitelist.decision.Unwrapping.Form;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The parameters of mailets and matchers that check senders, but for those of lists. */
public final class CheckParameters {
    private static final String SRS_SECRET = "srsSecret";
    private static final String NAME = "name";
    private static final ValueType<String> NAMES =
            ValueType.name("a name, or leave the parameter out");

    private CheckParameters() {}

    /** Returns the settings of decisions; {@code isLocal} knows this server's domains. */
    public static Policy policy(
            Parameters parameters,
            InstantSource clock,
            RecipientUsers users,
            Predicate<String> isLocal) {
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
    public static Subaddressing subaddressing(Parameters parameters) {
        return parameters.value("subaddressDelimiter", Subaddressing.VALUES, "+");
    }

    /** Returns which character begins the tag of a recipient's address. */
    public static Subaddressing recipientTags(Parameters parameters) {
        return parameters.value("recipientDelimiter", Subaddressing.VALUES, "none");
    }

    /** Returns what explanations call a mailet or matcher: its name, or its class and lists. */
    public static String name(Parameters parameters) {
        String given = parameters.given(NAME, NAMES);
        String lists = ListParameters.whitelist(parameters).replaceAll("\\s*,\\s*", ",");
        return given != null ? given : parameters.owner() + "=" + lists;
    }

    /** Returns the parameters that were read of a policy in one line, without the secret. */
    public static String shown(Parameters parameters) {
        Set<String> hidden = Set.of(SRS_SECRET, NAME, ListParameters.WHITELIST);
        Map<String, String> given = parameters.values();
        return parameters.read().entrySet().stream()
                .filter(each -> !hidden.contains(each.getKey()))
                .map(
                        each ->
                                each.getKey()
                                        + "="
                                        + given.getOrDefault(
                                                        each.getKey(),
                                                        String.valueOf(
                                                                each.getValue().defaultValue()))
                                                .strip())
                .collect(Collectors.joining(" "));
    }

    private static Unwrapping unwrapping(Parameters parameters) {
        Set<Form> forms = parameters.value("unwrap", Unwrapping.VALUES, "none");
        List<String> secrets =
                parameters.secrets(SRS_SECRET, "text, or the URL of a file with one a line");
        try {
            Unwrapping given =
                    new Unwrapping(forms, Objects.requireNonNullElse(secrets, List.of()));
            return forms.isEmpty() ? Unwrapping.NONE : given; // strangers are compared with it
        } catch (IllegalArgumentException e) {
            throw parameters.wrong("parameter " + e.getMessage());
        }
    }
}
