package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.KeyHasher;
import io.github.senderwhitelist.filter.FilterSize;

/** The filters of a living list: one of addresses, and one of domains. */
final class KeyFilters {
    private final long seed;
    private final KeyHasher hasher;
    private final KeyFilter addresses;
    private final KeyFilter domains;

    /**
     * Makes empty filters.
     *
     * @param seed decides the hashes of keys, and must be secret
     * @param addresses how many addresses they are made for
     * @param domains how many domain entries they are made for
     */
    KeyFilters(FilterSize size, long seed, long addresses, long domains) {
        this(seed, new KeyFilter(size, addresses), new KeyFilter(size, domains));
    }

    /** Takes filters whose keys have hashes of this seed. */
    KeyFilters(long seed, KeyFilter addresses, KeyFilter domains) {
        this.seed = seed;
        this.hasher = new KeyHasher(seed);
        this.addresses = addresses;
        this.domains = domains;
    }

    long seed() {
        return seed;
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

    /** Returns the filter of addresses, for figures and for keeping it. */
    KeyFilter addresses() {
        return addresses;
    }

    /** Returns the filter of domains, for figures and for keeping it. */
    KeyFilter domains() {
        return domains;
    }
}
