package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.KeyHasher;
import io.github.senderwhitelist.filter.FilterSize;

/** The filters of a living list: one of addresses, and one of domains. */
final class KeyFilters {
    private final KeyHasher hasher;
    private final KeyFilter addresses;
    private final KeyFilter domains;

    /**
     * Makes empty filters.
     *
     * @param addresses how many addresses they are made for
     * @param domains how many domain entries they are made for
     */
    KeyFilters(FilterSize size, KeyHasher hasher, long addresses, long domains) {
        this.hasher = hasher;
        this.addresses = new KeyFilter(size, addresses);
        this.domains = new KeyFilter(size, domains);
    }

    boolean mightContainAddress(Key key) {
        return addresses.mightContain(hasher.hash(key));
    }

    boolean mightContainDomain(byte[] bytes, int start) {
        return domains.mightContain(hasher.hashDomain(bytes, start));
    }

    /** Adds the key of a sender. One thread adds at a time. */
    void add(Key sender) {
        if (sender.isDomain()) {
            domains.add(hasher.hashDomain(sender.bytes(), sender.domainStart()));
        } else {
            addresses.add(hasher.hash(sender));
        }
    }

    boolean isFull() {
        return addresses.isFull() || domains.isFull();
    }

    /** Returns the filter of addresses, for figures. */
    KeyFilter addresses() {
        return addresses;
    }

    /** Returns the filter of domains, for figures. */
    KeyFilter domains() {
        return domains;
    }
}
