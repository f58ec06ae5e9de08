package io.github.senderwhitelist.bench;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.tools.NumberedAddresses;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Generated addresses in one array of bytes. */
final class Addresses {
    /** The number of domains that generated addresses have. */
    static final long DOMAINS = 100_000;

    private static final int LONGEST = NumberedAddresses.MAX_LENGTH;
    private static final Hasher64 HASHER = Hashing.polymurHash2_0(0x53574c31L, 42);

    final byte[] bytes;

    /** Address i is {@code bytes[offsets[i], offsets[i + 1])}. */
    final int[] offsets;

    private Addresses(byte[] bytes, int[] offsets) {
        this.bytes = bytes;
        this.offsets = offsets;
    }

    /** Returns the addresses with these numbers, in this order. */
    static Addresses of(long[] numbers) {
        NumberedAddresses generator = BenchOptions.generator();
        byte[] bytes = new byte[numbers.length * 26 + LONGEST];
        int[] offsets = new int[numbers.length + 1];
        int end = 0;
        for (int i = 0; i < numbers.length; i++) {
            generator.fill(numbers[i]);
            if (end + LONGEST > bytes.length) {
                bytes = Arrays.copyOf(bytes, (int) Math.min(bytes.length * 5L / 4, 1L << 30));
            }
            System.arraycopy(generator.bytes(), 0, bytes, end, generator.length());
            end += generator.length();
            offsets[i + 1] = end;
        }
        return new Addresses(bytes, offsets);
    }

    /** Returns {@code count} addresses, numbered from {@code first}. */
    static Addresses range(long first, int count) {
        long[] numbers = new long[count];
        Arrays.setAll(numbers, i -> first + i);
        return of(numbers);
    }

    int count() {
        return offsets.length - 1;
    }

    /** Returns the hash of an address, by the function of snapshots. */
    long hash(int i) {
        return HASHER.hashBytesToLong(bytes, offsets[i], length(i));
    }

    /** Returns the hashes of all. */
    long[] hashes() {
        long[] hashes = new long[count()];
        Arrays.setAll(hashes, this::hash);
        return hashes;
    }

    int length(int i) {
        return offsets[i + 1] - offsets[i];
    }

    /** Returns an address as a new String. */
    String text(int i) {
        return new String(bytes, offsets[i], length(i), StandardCharsets.US_ASCII);
    }

    byte[] copy(int i) {
        return Arrays.copyOfRange(bytes, offsets[i], offsets[i + 1]);
    }

    /** Parses an address. */
    static Address parse(String text) {
        return (Address) AddressSyntax.parse(text);
    }
}
