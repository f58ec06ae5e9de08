package io.github.senderwhitelist.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.senderwhitelist.decision.Unwrapping.Form;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Tests the rules that hold for the options of unwrapping, whoever asks for them. */
class UnwrappingOptionsTest {
    private static final UnwrappingOptions OPTIONS = new UnwrappingOptions("--forms", "--secrets");
    private static final Set<Form> SRS = EnumSet.of(Form.SRS);
    private static final Set<Form> NONE = EnumSet.noneOf(Form.class);

    @Test
    void shouldNeedSecretsExactlyForSrs() throws IOException {
        assertThat(OPTIONS.unwrapping(NONE, null).isNone()).isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OPTIONS.unwrapping(SRS, null))
                .withMessage("--forms has srs, but --secrets is missing; allowed: both or neither");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OPTIONS.unwrapping(NONE, () -> List.of("tops3cr3t")))
                .withMessage(
                        "--secrets is given, but --forms has no srs; allowed: both or neither");
    }

    @Test
    void shouldTakeEachLineForASecret() throws IOException {
        Unwrapping unwrapping =
                OPTIONS.unwrapping(SRS, () -> List.of("another", "", "  tops3cr3t \t"));

        assertThat(
                        unwrapping.unwrap(
                                SmallLists.address(
                                        "SRS0=DGbK=KT=orig.example=alice@fwd.ours.example"),
                                () -> Instant.parse("2027-01-02T00:00:00Z")))
                .hasToString("alice@orig.example");
    }

    @Test
    void shouldRefuseAFileWithoutSecrets() {
        assertThatIOException()
                .isThrownBy(() -> OPTIONS.unwrapping(SRS, () -> List.of("", " ")))
                .withMessage("--secrets holds no secret; allowed: one or more secrets, one a line");
    }

    @Test
    void shouldSayWhichFileCannotBeRead() {
        assertThatIOException()
                .isThrownBy(
                        () ->
                                OPTIONS.unwrapping(
                                        SRS,
                                        () -> {
                                            throw new IOException("F: no such file");
                                        }))
                .withMessage(
                        "--secrets: F: no such file; allowed: a file of secrets in UTF-8, one a"
                                + " line");
    }
}
