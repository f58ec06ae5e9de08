package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.live.LiveList;
import io.github.senderwhitelist.living.LivingLists;

import java.util.SortedMap;

/** The lists that are open on this server. */
public interface OpenLists extends LivingLists {
    /** Returns the lists in files, by the names that they have in metrics, too. */
    SortedMap<String, LiveList> files();
}
