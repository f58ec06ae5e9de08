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

    /** Header fields that are replaced when the verdict is added. */
    static final Set<String> SET_ANEW =
            Set.of(
                    "mime-version",
                    "x-sender-whitelist",
                    "x-sender-whitelist-reason",
                    "x-sender-whitelist-entry",
                    "x-matcher");

    /** Header fields that are added together with the verdict when a mail lacks them. */
    private static final Set<String> COMPLETED = Set.of("date", "message-id");

    private LetterComparison() {}

    /**
     * The same body, the same header fields in the same order; James adds those on a mail's way,
     * and where a mailet sets headers puts MIME-Version first and adds what a mail must have.
     */
    static void assertSame(Letter sent, Letter arrived, boolean headersSet) {
        List<String> expected = new ArrayList<>(sent.fields());
        List<String> fields = new ArrayList<>(arrived.fields());
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
