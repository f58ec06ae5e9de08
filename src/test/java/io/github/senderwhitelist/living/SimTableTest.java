package io.github.senderwhitelist.living;

import static io.github.senderwhitelist.database.Lines.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.living.EntryTable.Change;
import io.github.senderwhitelist.living.EntryTable.Done;
import io.github.senderwhitelist.living.EntryTable.Target;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;
import java.util.Objects;

/** The table of the simulation numbers changes as the databases do. */
class SimTableTest {
    private final SimTable table = new SimTable(SimTable.Flaw.NONE, new Still());

    /** Nothing else happens. */
    private static final class Still implements SimTable.World {
        @Override
        public void meanwhile() {}

        @Override
        public long nanos() {
            return 0;
        }

        @Override
        public void changed(Target about, List<Rule> rules, boolean inFeed) {}

        @Override
        public void imported() {}

        @Override
        public void importsInstead() {}
    }

    @Test
    void shouldRecogniseTheLaterChangeByItsNumberAlone() throws IOException {
        FeedPosition start = table.position();
        Target about = Target.of(entry("a@example.com"));
        SimTable.Transaction first = table.begin();
        Done quick = table.put(entry("a@example.com"), "admin");
        Feed feed = known(start);
        Done slow = first.change(about, rules -> List.of(), "admin");
        first.commit();
        FeedPosition end = known(feed.next()).next();

        assertThat(slow.number()).isGreaterThan(quick.number());
        assertThat(slow.transaction()).isLessThan(quick.transaction());
        assertThat(known(start).changes())
                .extracting(Change::number)
                .containsExactly(quick.number(), slow.number());
        assertThat(table.seen(start).test(quick.transaction())).isFalse();
        assertThat(table.seen(feed.next()).test(quick.transaction())).isTrue();
        assertThat(table.seen(feed.next()).test(slow.transaction())).isFalse();
        assertThat(table.seen(end).test(slow.transaction())).isTrue();

        assertThat(table.remove(about.origin(), about.sender(), null, "admin"))
                .isEqualTo(Done.none(List.of()));
    }

    private Feed known(FeedPosition after) throws IOException {
        return Objects.requireNonNull(Feed.of(table, after));
    }
}
