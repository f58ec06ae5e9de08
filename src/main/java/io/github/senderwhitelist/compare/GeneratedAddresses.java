package io.github.senderwhitelist.compare;

import io.github.senderwhitelist.address.Key;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * Generated addresses by number. A number always gives the same address, and numbers below {@link
 * #MOST} give different ones. Local parts have eight characters, domains follow Zipf's law; an
 * address has about 22 bytes. All are in canonical form.
 */
final class GeneratedAddresses {
    /** The number of addresses there are. */
    static final long MOST = 1L << 40;

    /** The number of the stranger that is the first newcomer. */
    static final long FIRST_NEWCOMER = MOST / 2;

    /** The domain of strangers, where nobody else is (RFC 6761, section 6.4). */
    static final String STRANGERS = "stranger.invalid";

    private static final byte[] LETTERS =
            "abcdefghijkmnpqrstuvwxyz23456789".getBytes(StandardCharsets.US_ASCII);
    private static final int LOCAL_LENGTH = 8;

    /** An odd number, so multiplying by it permutes the numbers below 2^40. */
    private static final long SCATTER = 0x9e_3779_b97fL;

    private static final double LOG_DOMAINS = Math.log(100_000);

    private GeneratedAddresses() {}

    /** Returns address number i. */
    static Key address(long i) {
        double uniform = new SplittableRandom(i).nextDouble();
        return at("d" + (long) Math.exp(uniform * LOG_DOMAINS) + ".example", i);
    }

    /** Returns stranger number i. */
    static Key stranger(long i) {
        return at(STRANGERS, i);
    }

    /** Returns newcomer number i: a stranger that is never looked up, but may be added. */
    static Key newcomer(long i) {
        return stranger(FIRST_NEWCOMER + i);
    }

    private static Key at(String domain, long i) {
        byte[] bytes = new byte[LOCAL_LENGTH + 1 + domain.length()];
        long local = i * SCATTER & (MOST - 1);
        for (int at = 0; at < LOCAL_LENGTH; at++) {
            bytes[at] = LETTERS[(int) (local >>> (5 * at)) & 31];
        }
        bytes[LOCAL_LENGTH] = '@';
        for (int at = 0; at < domain.length(); at++) {
            bytes[LOCAL_LENGTH + 1 + at] = (byte) domain.charAt(at);
        }
        return Key.ofAddress(bytes, LOCAL_LENGTH);
    }
}
