package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.Generation.Overlay;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.tools.SmallLists;

import java.io.IOException;
import java.util.List;

/** What benchmarks do with the changes of living lists that nobody else does. */
public final class Merges {
    private Merges() {}

    /** Merges the changes of a list in the calling thread. */
    public static void now(LivingList list) throws IOException {
        list.merge();
    }

    /** Returns changes of this many senders, each for a recipient. */
    public static Overlay changes(int count, Snapshot base) {
        Changes changes = new Changes(base);
        for (int i = 0; i < count; i++) {
            changes.put(
                    new Entry(
                            key("changed" + i + "@new" + i % 10_007 + ".example"),
                            key("user" + i % 1000 + "@tenant0.example"),
                            List.of(new Rule(false, null, null, null, Origin.LEARNED, ""))));
        }
        return changes;
    }

    private static Key key(String address) {
        return SmallLists.address(address).key();
    }
}
