package io.github.senderwhitelist.tools;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.function.IntFunction;

/**
 * Generates lists of users who each know {@value #KNOWN} of {@value #SENDERS} senders. By Zipf's
 * law, the first senders are on nearly everybody's list, and most are on one.
 */
public final class PairGenerator {
    /** The number of lines of each user; some may be the same. */
    public static final int KNOWN = 200;

    /** The number of senders that can be on a list. */
    public static final int SENDERS = 5_000_000;

    private final int users;
    private final String first;

    /**
     * Makes a generator.
     *
     * @param users the number of users
     * @param first the address of user 0
     */
    public PairGenerator(int users, String first) {
        this.users = users;
        this.first = first;
    }

    /** Returns the address of a user. */
    public String user(int user) {
        return user == 0 ? first : "user" + user + "@tenant" + user % 100 + ".example";
    }

    /** Returns the address of a sender; those from {@link #SENDERS} on are on no list. */
    public static String sender(int sender) {
        return "s" + Long.toString(sender * 7919L, 36) + "@d" + sender % 100_003 + ".example";
    }

    /** Returns the senders that a user knows. */
    public static int[] known(int user) {
        SplittableRandom random = new SplittableRandom(user);
        // The inverse of the distribution function of 1/x, from 1 to the number of senders.
        return random.doubles(KNOWN)
                .mapToInt(uniform -> (int) Math.pow(SENDERS, uniform) - 1)
                .toArray();
    }

    /** Writes the lists of all users as one. */
    public void write(Path file) throws IOException {
        write(file, PairGenerator::sender);
    }

    /** Writes the lists of all users as one, with other addresses of senders. */
    public void write(Path file, IntFunction<String> senders) throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.US_ASCII)) {
            for (int user = 0; user < users; user++) {
                for (int sender : known(user)) {
                    out.write(senders.apply(sender) + " to=" + user(user) + "\n");
                }
            }
        }
    }
}
