package io.github.senderwhitelist.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.model.WhitelistModel.Answer;
import io.github.senderwhitelist.model.WhitelistModel.Mail;
import io.github.senderwhitelist.model.WhitelistModel.Settings;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.tools.Extent;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Random small lists, asked of the model and of the project. */
@Tag("more")
class WhitelistModelTest {
    /** As many as fit into {@code mvn test}; {@code mvn verify} goes through the 10,000. */
    private static final int LISTS = Extent.of(500, 10_000, 200_000);

    private static final int MAILS = 30;

    private final Map<String, Integer> told = new HashMap<>();

    @Test
    void shouldSayWhatTheManualSays() throws IOException {
        for (long seed = 0; seed < LISTS; seed++) {
            RandomMails random = new RandomMails(seed);
            compare(seed, random.lists(), random.settings(), random);
        }
        assertThat(told.keySet())
                .containsExactlyInAnyOrder(
                        "listed",
                        "denied",
                        "unauthenticated",
                        "expired",
                        "not-yet",
                        "stranger",
                        "ambiguous-from",
                        "malformed",
                        "refused");
        assertThat(told.values()).allMatch(times -> times > LISTS / 200);
        assertThat(told.values().stream().mapToLong(times -> times).sum())
                .isGreaterThan(60L * LISTS);
    }

    private void compare(long seed, List<List<String>> lists, Settings settings, RandomMails random)
            throws IOException {
        WhitelistModel model = WhitelistModel.of(lists, settings);
        RealWhitelist real = RealWhitelist.of(lists, settings, options(seed));
        assertThat(real == null).as("refused %s", lists).isEqualTo(model == null);
        if (model == null || real == null) {
            told.merge("refused", 1, Integer::sum);
            return;
        }
        for (int i = 0; i < MAILS; i++) {
            List<String> recipients = random.recipients();
            Mail mail = random.mail();
            List<Answer> answers = real.answers(mail, recipients);
            for (int each = 0; each < answers.size(); each++) {
                String to = recipients.isEmpty() ? null : recipients.get(each);
                Answer expected = model.answer(mail, to);
                told.merge(expected.reason(), 1, Integer::sum);
                if (!isRight(expected, answers.get(each))) {
                    throw new AssertionError(
                            List.of(
                                    "seed " + seed,
                                    lists,
                                    settings,
                                    mail + " to " + to,
                                    "by the manual " + expected,
                                    "is " + answers.get(each)));
                }
            }
        }
    }

    /**
     * A filter of a bit per address lets many strangers pass on to the store. The size of other
     * kinds takes longer to compute than all the rest.
     */
    private static BuildOptions options(long seed) {
        FilterKind[] kinds = FilterKind.values();
        return seed % 64 == 0
                ? new BuildOptions(
                        kinds[(int) (seed / 64 % kinds.length)], FilterSize.ofBitsPerKey(12))
                : new BuildOptions(FilterKind.CLASSIC, FilterSize.ofBitsPerKey(1));
    }

    private static boolean isRight(Answer expected, Answer answer) {
        return answer.reason().equals(expected.reason())
                && (expected.keys().isEmpty()
                        ? answer.keys().isEmpty()
                        : expected.keys().containsAll(answer.keys()) && !answer.keys().isEmpty());
    }
}
