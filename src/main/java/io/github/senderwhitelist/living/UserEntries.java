package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Target;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The removal of a user's entries from a list. */
public final class UserEntries {
    /** How many entries are removed in one transaction, so that none takes long. */
    private static final int AT_ONCE = 500;

    private UserEntries() {}

    /**
     * Removes the entries that are for this user alone.
     *
     * @param origins whose entries
     * @param who who did it, for the history
     * @return the number of entries removed
     * @throws IOException if the database fails; some may have been removed
     */
    public static long remove(LivingList list, Key user, Set<Origin> origins, String who)
            throws IOException {
        List<Target> targets = new ArrayList<>();
        for (Entry entry : list.record().entriesFor(user, Integer.MAX_VALUE)) {
            entry.rules().stream()
                    .map(Rule::origin)
                    .filter(origins::contains)
                    .distinct()
                    .forEach(origin -> targets.add(new Target(origin, entry.key(), user)));
        }
        long removed = 0;
        for (int from = 0; from < targets.size(); from += AT_ONCE) {
            List<Target> part = targets.subList(from, Math.min(targets.size(), from + AT_ONCE));
            removed += list.removeAll(part, who).stream().filter(Effect.REMOVED::equals).count();
        }
        return removed;
    }
}
