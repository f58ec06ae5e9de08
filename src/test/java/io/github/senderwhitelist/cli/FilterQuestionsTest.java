package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.filter.UpdatableFilter;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.SplittableRandom;

class FilterQuestionsTest {
    private static final int ENTRIES = 1_000;

    /** Leaves one entry out of the filter, and looks for it. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 255, 256, 767, 999})
    void shouldFindTheEntryThatIsNotInTheFilter(int leftOut) {
        UpdatableFilter filter =
                (UpdatableFilter)
                        FilterSize.ofRate(0.001).shape(FilterKind.BLOCKED, ENTRIES).create();
        FilterQuestions questions = new FilterQuestions(filter);
        SplittableRandom hashes = new SplittableRandom(1);
        for (int i = 0; i < ENTRIES; i++) {
            long hash = hashes.nextLong();
            if (i != leftOut) {
                filter.add(hash);
            }
        }
        hashes = new SplittableRandom(1);
        Entry found = null;
        for (int i = 0; i < ENTRIES; i++) {
            Key key = Key.of(("u" + i).getBytes(UTF_8), "a.example".getBytes(UTF_8));
            Entry missing = questions.add(new Entry(key, false), hashes.nextLong());
            found = missing != null ? missing : found;
        }
        Entry last = questions.ask();
        found = last != null ? last : found;
        if (leftOut < 0) {
            assertThat(found).isNull();
        } else {
            assertThat(found).asString().startsWith("u" + leftOut + "@");
        }
    }
}
