package io.github.senderwhitelist.address;

import java.util.EnumSet;
import java.util.Set;

/** The kinds of recipients that an entry can be for. */
public enum RecipientKind {
    /** The address of one recipient. */
    ADDRESS(1),
    /** The domain of the recipients. */
    DOMAIN(2),
    /** A domain whose subdomains the recipients have. */
    SUBDOMAINS(3);

    private final byte code;

    RecipientKind(int code) {
        this.code = (byte) code;
    }

    /** Returns the number that stands for this kind in sort keys. */
    public byte code() {
        return code;
    }

    /** Returns the kind that this number stands for. */
    public static RecipientKind ofCode(byte code) {
        for (RecipientKind kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        throw new IllegalArgumentException("kind of recipients " + code);
    }

    /** Returns the kind of a key that stands for recipients. */
    public static RecipientKind of(Key recipients) {
        if (!recipients.isDomain()) {
            return ADDRESS;
        }
        return recipients.bytes()[recipients.domainStart()] == '.' ? SUBDOMAINS : DOMAIN;
    }

    /** Returns the number with this kind's bit set. */
    int bit() {
        return 1 << (code - 1);
    }

    /** Returns the kinds whose bits are set. */
    static Set<RecipientKind> ofBits(int bits) {
        if (bits == 0) {
            return Set.of();
        }
        Set<RecipientKind> kinds = EnumSet.noneOf(RecipientKind.class);
        for (RecipientKind kind : values()) {
            if ((bits & kind.bit()) != 0) {
                kinds.add(kind);
            }
        }
        return kinds;
    }
}
