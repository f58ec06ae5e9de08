package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.living.ListRecord.Edit;
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
        List<Edit> edits = new ArrayList<>();
        for (Entry entry : list.record().entriesFor(user, Integer.MAX_VALUE)) {
            entry.rules().stream()
                    .map(Rule::origin)
                    .filter(origins::contains)
                    .distinct()
                    .map(origin -> new Target(origin, entry.key(), user))
                    .forEach(target -> edits.add(Edit.remove(target)));
        }
        long removed = 0;
        for (int from = 0; from < edits.size(); from += AT_ONCE) {
            List<Edit> part = edits.subList(from, Math.min(edits.size(), from + AT_ONCE));
            removed += list.write(part, who).stream().filter(Effect.REMOVED::equals).count();
        }
        return removed;
    }
}
