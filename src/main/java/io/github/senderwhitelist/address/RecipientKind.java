package io.github.senderwhitelist.address;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The kinds of recipients that an entry can be for. Sort keys hold the place in this order. */
public enum RecipientKind {
    /** The address of one recipient. */
    ADDRESS,
    /** The domain of the recipients. */
    DOMAIN,
    /** A domain whose subdomains the recipients have. */
    SUBDOMAINS;

    /** Returns the number that stands for this kind in sort keys. */
    @SuppressWarnings("EnumOrdinal")
    public byte code() {
        return (byte) (ordinal() + 1);
    }

    /** Returns the kind that this number stands for. */
    public static RecipientKind ofCode(byte code) {
        return values()[code - 1];
    }

    /** Returns the kind of a key that stands for recipients. */
    public static RecipientKind of(Key recipients) {
        if (!recipients.isDomain()) {
            return ADDRESS;
        }
        return recipients.bytes()[recipients.domainStart()] == '.' ? SUBDOMAINS : DOMAIN;
    }

    /** Returns the number with this kind's bit set. */
    public int bit() {
        return 1 << (code() - 1);
    }

    /** Returns the kinds whose bits are set, which is none for most entries. */
    public static Set<RecipientKind> ofBits(int bits) {
        return bits == 0
                ? Set.of()
                : Stream.of(values())
                        .filter(kind -> (bits & kind.bit()) != 0)
                        .collect(Collectors.toUnmodifiableSet());
    }
}
