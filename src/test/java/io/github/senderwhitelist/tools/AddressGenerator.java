package io.github.senderwhitelist.tools;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Generates addresses that look real: address number i is always the same, and no two numbers below
 * 2^36 give the same address. Local parts have 12 letters of about 3 bits each, some with a dot or
 * digits; domains follow Zipf's law. About 23 bytes each.
 *
 * <p>Run with {@code COUNT [FIRST [DOMAINS]]} it writes one address a line, in no order.
 */
public final class AddressGenerator extends NumberedAddresses {
    private static final byte[] CONSONANTS = "bcdfghjklmnprstv".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] VOWELS = "aeio".getBytes(StandardCharsets.US_ASCII);
    private static final String[] SUFFIXES = {
        ".com", ".org", ".net", ".de", ".fr", ".co.uk", ".io"
    };

    /** Odd, so that multiplication by it permutes the numbers below 2^36. */
    private static final long SCATTER = 0x9_e377_9b97L | 1;

    private static final long LOCAL_SPACE = 1L << 36;

    private final double logDomains;

    /** A generator with that many domains. */
    public AddressGenerator(long domains) {
        this.logDomains = Math.log(domains + 1.0);
    }

    @Override
    public void fill(long i) {
        length = 0;
        long local = (i * SCATTER) & (LOCAL_SPACE - 1);
        long random = Mix.of(local);
        putLocal(local, random);
        line[length++] = '@';
        double uniform = (Mix.of(random) >>> 11) * 0x1p-53;
        putDomain((long) Math.exp(uniform * logDomains) - 1);
    }

    private void putLocal(long local, long random) {
        for (int syllable = 0; syllable < 6; syllable++) {
            if (syllable == 3 && (random & 3) == 0) {
                line[length++] = '.';
            }
            putSyllable((int) (local >>> (6 * syllable)) & 63);
        }
        if ((random & 12) == 0) {
            put(Long.toString((random >>> 8) % 100));
        }
    }

    private void putSyllable(int sixBits) {
        line[length++] = CONSONANTS[sixBits & 15];
        line[length++] = VOWELS[sixBits >>> 4];
    }

    private void put(String ascii) {
        for (int i = 0; i < ascii.length(); i++) {
            line[length++] = (byte) ascii.charAt(i);
        }
    }

    /** The name of the domain of that rank: the commonest have the shortest names. */
    private void putDomain(long rank) {
        long rest = rank;
        do {
            putSyllable((int) (rest & 63));
            rest >>>= 6;
        } while (rest > 0);
        put("x");
        put(SUFFIXES[Math.floorMod(Mix.of(rank), SUFFIXES.length)]);
    }

    /** Writes addresses to standard output. */
    public static void main(String... arguments) throws IOException {
        long count = Long.parseLong(arguments[0]);
        long first = arguments.length > 1 ? Long.parseLong(arguments[1]) : 0;
        long domains = arguments.length > 2 ? Long.parseLong(arguments[2]) : 100_000;
        new AddressGenerator(domains).print(first, count);
    }
}
