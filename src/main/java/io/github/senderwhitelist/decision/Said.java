package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.decision.Verdict.NotListed;

import org.jspecify.annotations.Nullable;

/** What the lines of each origin say for one recipient: a verdict, or null for nothing. */
final class Said {
    @Nullable Verdict admin;
    @Nullable Verdict user;
    @Nullable Verdict learned;

    /** What users' or learned lines say of another address of the sender: a listing, or null. */
    private @Nullable Verdict ofOther;

    /** Returns what the lines of an origin say. */
    @Nullable Verdict by(Origin origin) {
        return switch (origin) {
            case ADMIN -> admin;
            case USER -> user;
            case LEARNED -> learned;
        };
    }

    /** Sets what the lines of an origin say. */
    void put(Origin origin, Verdict verdict) {
        switch (origin) {
            case ADMIN -> admin = verdict;
            case USER -> user = verdict;
            case LEARNED -> learned = verdict;
        }
    }

    /** Adds what the lines of a wider key say: it counts only where nothing was said before. */
    void addWider(Said wider) {
        admin = admin == null ? wider.admin : admin;
        user = user == null ? wider.user : user;
        learned = learned == null ? wider.learned : learned;
    }

    /**
     * Begins another address by which users know the sender. A denial of that one is not hidden by
     * a listing of this one.
     */
    void beginAddress() {
        if (!(user instanceof NotListed)) {
            ofOther = ofOther == null ? user : ofOther;
            ofOther = ofOther == null ? learned : ofOther;
            user = null;
            learned = null;
        }
    }

    /** Forgets everything. */
    void clear() {
        admin = null;
        user = null;
        learned = null;
        ofOther = null;
    }

    /** Returns the denial that wins over all listings, whatever their keys, or null for none. */
    @Nullable Verdict denial() {
        if (user instanceof NotListed) {
            return user;
        }
        return admin instanceof NotListed ? admin : null;
    }

    /** Returns the first that says anything, of the administrator, the user, and learning. */
    @Nullable Verdict first() {
        if (admin != null) {
            return admin;
        }
        Verdict listing = user == null ? learned : user;
        return listing == null ? ofOther : listing;
    }
}
