package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Key;

import java.util.List;

/** All that the decision on one mail may ask a list about. For use by one thread. */
public interface MailKeys {
    /** Returns the keys of the sender, the most specific first. */
    List<Key> senders();

    /**
     * Returns the keys by which entries can be for a recipient. Those of a recipient whose user
     * cannot be found out are left out.
     */
    List<Key> recipients();
}
