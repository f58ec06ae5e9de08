package io.github.senderwhitelist.living;

import org.jspecify.annotations.Nullable;

import java.util.SortedSet;

/** The living lists that are open on this server. */
public interface LivingLists {
    /** Returns the list of this name, or null when no open list has it. */
    @Nullable LivingList living(String name);

    /** Returns the names of the lists. */
    SortedSet<String> livingNames();
}
