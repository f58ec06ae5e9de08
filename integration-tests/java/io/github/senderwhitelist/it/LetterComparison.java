package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Whether a mail has arrived as it was sent, beside what James itself does to mails, whitelist or
 * not.
 */
final class LetterComparison {
    /** Header fields that James adds to every mail on its way to a mailbox. */
    private static final Set<String> ADDED = Set.of("return-path", "delivered-to", "received");

    /** The header field of the plugin. A sender's own is removed. */
    private static final String VERDICT = "x-sender-whitelist";

    /** Header fields that a mailet sets anew when it sets any. */
    static final Set<String> SET_ANEW =
            Set.of("mime-version", "x-matcher", "x-test-verdict", "x-test-reason", "x-test-entry");

    /** Header fields that James adds when a mailet sets any and a mail lacks them. */
    private static final Set<String> COMPLETED = Set.of("date", "message-id");

    private LetterComparison() {}

    /**
     * The same body, the same header fields in the same order; James adds those on a mail's way,
     * and where a mailet sets headers puts MIME-Version first and adds what a mail must have.
     */
    static void assertSame(Letter sent, Letter arrived, boolean headersSet) {
        List<String> expected = new ArrayList<>(sent.fields());
        List<String> fields = new ArrayList<>(arrived.fields());
        expected.removeIf(field -> Letter.name(field).equals(VERDICT));
        fields.removeIf(field -> Letter.name(field).equals(VERDICT));
        if (headersSet) {
            expected.removeIf(field -> SET_ANEW.contains(Letter.name(field)));
            fields.removeIf(
                    field ->
                            SET_ANEW.contains(Letter.name(field))
                                    || (COMPLETED.contains(Letter.name(field))
                                            && !expected.contains(field)));
        }
        fields.removeIf(field -> ADDED.contains(Letter.name(field)) && !expected.contains(field));
        assertThat(fields).isEqualTo(expected);
        assertThat(arrived.body()).isEqualTo(sent.body());
    }
}
