package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.decision.Unwrapping.Form;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * The two options of an {@link Unwrapping}, which both the mailet and the command line have: the
 * forms to take off, and the secrets that verify SRS addresses.
 *
 * @param formsOption the caller's name of the option with the forms, for messages
 * @param secretsOption the caller's name of the option with the secrets, for messages
 */
public record UnwrappingOptions(String formsOption, String secretsOption) {

    /** Reads the secrets when they are needed. */
    @FunctionalInterface
    public interface Secrets {
        /**
         * Returns the secrets, one a line. White space around a secret is ignored, and so are empty
         * lines.
         *
         * @throws IOException when they cannot be read; the message names the file and the reason
         */
        List<String> lines() throws IOException;
    }

    /**
     * Returns the unwrapping that the options ask for.
     *
     * @param secrets null when the option is absent
     * @throws IllegalArgumentException when SRS is asked for without secrets, or secrets are given
     *     without SRS
     * @throws IOException when the secrets cannot be read, or there are none; the message never
     *     shows a secret
     */
    public Unwrapping unwrapping(Set<Form> forms, @Nullable Secrets secrets) throws IOException {
        boolean srs = forms.contains(Form.SRS);
        if (srs && secrets == null) {
            throw new IllegalArgumentException(
                    formsOption
                            + " has srs, but "
                            + secretsOption
                            + " is missing; allowed: both or neither");
        }
        if (!srs && secrets != null) {
            throw new IllegalArgumentException(
                    secretsOption
                            + " is given, but "
                            + formsOption
                            + " has no srs; allowed: both or neither");
        }
        return secrets == null
                ? new Unwrapping(forms, SenderRewriting.NONE)
                : new Unwrapping(forms, new SenderRewriting(read(secrets)));
    }

    private List<String> read(Secrets secrets) throws IOException {
        List<String> found;
        try {
            found = secrets.lines().stream().map(String::strip).toList();
        } catch (IOException e) {
            throw new IOException(
                    secretsOption
                            + ": "
                            + e.getMessage()
                            + "; allowed: a file of secrets in UTF-8, one a line",
                    e);
        }
        if (found.stream().allMatch(String::isEmpty)) {
            throw new IOException(
                    secretsOption + " holds no secret; allowed: one or more secrets, one a line");
        }
        return found.stream().filter(secret -> !secret.isEmpty()).toList();
    }
}
