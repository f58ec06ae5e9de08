package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.living.LivingLists;
import io.github.senderwhitelist.refresh.FileList;

import java.util.SortedMap;

/** The lists that are open on this server. */
public interface OpenLists extends LivingLists {
    /** Returns the judges that ask these lists. */
    Judges judges();

    /** Returns the lists in files, by the names that they have in metrics, too. */
    SortedMap<String, FileList> files();
}
