package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.tools.AddressGenerator;
import io.github.senderwhitelist.tools.HumanAddressGenerator;
import io.github.senderwhitelist.tools.NumberedAddresses;
import io.github.senderwhitelist.tools.PairGenerator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntFunction;

/** The system properties {@code bench.*} of a run; an empty one stands for its default. */
final class BenchProperties {
    private static final String HUMAN = "human";

    private BenchProperties() {}

    static long number(String name, long byDefault) {
        String text = text(name);
        return text.isEmpty() ? byDefault : Long.parseLong(text);
    }

    static String text(String name) {
        return System.getProperty("bench." + name, "").trim();
    }

    /** Returns the generator that {@code bench.addresses} names. */
    static NumberedAddresses generator() {
        return generator(Addresses.DOMAINS);
    }

    /**
     * Returns the generator that {@code bench.addresses} names.
     *
     * @param domains the number of domains, if the generator lets us choose
     */
    static NumberedAddresses generator(long domains) {
        return switch (text("addresses")) {
            case "", "generated" -> new AddressGenerator(domains);
            case HUMAN -> new HumanAddressGenerator(0);
            default ->
                    throw new IllegalArgumentException(
                            "bench.addresses is generated or human, not " + text("addresses"));
        };
    }

    /** Returns the senders of pairs that {@code bench.addresses} names. */
    static IntFunction<String> senders() {
        NumberedAddresses generator = generator();
        return text("addresses").equals(HUMAN) ? generator::address : PairGenerator::sender;
    }

    /** Returns whether {@code bench.only}, a list with commas, is empty or has this name in it. */
    static boolean wanted(String name) {
        String only = text("only");
        return only.isEmpty() || ("," + only + ",").contains("," + name + ",");
    }

    /** Creates a folder in {@code bench.dir}, by default in the folder for temporary files. */
    static Path folder() throws IOException {
        String dir = text("dir");
        return dir.isEmpty()
                ? Files.createTempDirectory("swl-bench-")
                : Files.createTempDirectory(Files.createDirectories(Path.of(dir)), "swl-bench-");
    }
}
