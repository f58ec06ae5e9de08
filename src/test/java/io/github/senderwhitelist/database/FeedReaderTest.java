package io.github.senderwhitelist.database;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.stream.LongStream;

/** Which transactions a place in the feed has seen. */
class FeedReaderTest {
    @ParameterizedTest
    @CsvSource({
        "5, 1 2 3 4 5",
        "0, ''",
        "-1, ''",
        "x, ''",
        "'', ''",
        "3:5:, ''",
    })
    void shouldHaveSeenUpToANumberInSqlite(String place, String seen) {
        assertThat(seen(new SqliteFeed(), place)).isEqualTo(seen);
    }

    @ParameterizedTest
    @CsvSource({
        "3:3:, 1 2",
        "'3:7:3,5', 1 2 4 6",
        "3:7:3, 1 2 4 5 6",
        "3:5:33, 1 2 3 4",
        "5, ''",
        "3:5, ''",
        "3:5:x, ''",
        "'', ''",
    })
    void shouldHaveSeenTheSnapshotInPostgresql(String place, String seen) {
        assertThat(seen(new PostgresFeed(), place)).isEqualTo(seen);
    }

    private static String seen(FeedReader feed, String place) {
        return String.join(
                " ",
                LongStream.rangeClosed(1, 9)
                        .filter(feed.seen(place))
                        .mapToObj(Long::toString)
                        .toList());
    }
}
