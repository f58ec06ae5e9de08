package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.RecipientKind;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The recipients of a mail, and what entries can call them. A recipient is parsed, and its user
 * found, only when a sender has entries for some recipients, which strangers have not. For use by
 * one thread.
 */
final class Recipients {
    private final Question question;
    private final Policy policy;

    /** The keys of each recipient that was asked for. */
    private final Map<Integer, Map<RecipientKind, Set<Key>>> known = new HashMap<>();

    /** Makes the recipients of a mail. */
    Recipients(Question question, Policy policy) {
        this.question = question;
        this.policy = policy;
    }

    /**
     * Returns the keys by which entries of these kinds can be for a recipient: the address as
     * written, without its tag, and that of its user; the domains of these addresses; the domains
     * above them.
     *
     * @throws IOException if the user cannot be found out
     */
    List<Key> keys(int i, Set<RecipientKind> kinds) throws IOException {
        Map<RecipientKind, Set<Key>> all = known.get(i);
        if (all == null) {
            all = keys(i);
            known.put(i, all);
        }
        List<Key> wanted = new ArrayList<>();
        all.forEach(
                (kind, keys) -> {
                    if (kinds.contains(kind)) {
                        wanted.addAll(keys);
                    }
                });
        return wanted;
    }

    /** Returns all keys of all recipients. Those whose user cannot be found out are left out. */
    List<Key> all() {
        Set<RecipientKind> kinds = EnumSet.allOf(RecipientKind.class);
        Set<Key> all = new TreeSet<>();
        for (int i = 0; i < question.recipients().size(); i++) {
            all.addAll(keysIfKnown(i, kinds));
        }
        return List.copyOf(all);
    }

    private List<Key> keysIfKnown(int i, Set<RecipientKind> kinds) {
        try {
            return keys(i, kinds);
        } catch (IOException e) {
            // Who asks for this recipient alone is told.
            return List.of();
        }
    }

    private Map<RecipientKind, Set<Key>> keys(int i) throws IOException {
        Map<RecipientKind, Set<Key>> keys = new EnumMap<>(RecipientKind.class);
        String recipient = question.recipient(i);
        if (recipient != null
                && AddressSyntax.parse(recipient) instanceof WellFormed(Address address)) {
            add(keys, address);
            Address user = policy.users().userOf(address);
            if (user != null) {
                add(keys, user);
            }
        }
        return keys;
    }

    private void add(Map<RecipientKind, Set<Key>> keys, Address address) {
        for (Key key : address.keys(policy.recipientTags())) {
            keys.computeIfAbsent(RecipientKind.of(key), kind -> new LinkedHashSet<>()).add(key);
        }
    }
}
