package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.tools.AddressGenerator;
import io.github.senderwhitelist.tools.Folders;
import io.github.senderwhitelist.tools.NumberedAddresses;
import io.github.senderwhitelist.tools.PairGenerator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The options of a run: the system property {@code bench.options}, as in {@code n=1000,only=a,b}.
 */
final class BenchOptions {
    private static final String HUMAN = "human";

    private BenchOptions() {}

    static long number(String name, long byDefault) {
        String text = text(name);
        return text.isEmpty() ? byDefault : Long.parseLong(text);
    }

    /** Returns an option, empty if it is not given. */
    static String text(String name) {
        Matcher option =
                Pattern.compile("(?:^|,)" + name + "=(.*?)(?=,[a-z]+=|$)")
                        .matcher(System.getProperty("bench.options", ""));
        return option.find() ? option.group(1) : "";
    }

    /** Returns the generator that option addresses names. */
    static NumberedAddresses generator() {
        return generator(Addresses.DOMAINS);
    }

    /**
     * Returns the generator that option addresses names.
     *
     * @param domains the number of domains, if the generator lets us choose
     */
    static NumberedAddresses generator(long domains) {
        return switch (text("addresses")) {
            case "", "generated" -> new AddressGenerator(domains);
            case HUMAN -> new HumanAddressGenerator(0);
            default ->
                    throw new IllegalArgumentException(
                            "addresses is generated or human, not " + text("addresses"));
        };
    }

    /** Returns the senders of pairs that option addresses names. */
    static IntFunction<String> senders() {
        NumberedAddresses generator = generator();
        return text("addresses").equals(HUMAN) ? generator::address : PairGenerator::sender;
    }

    /** Returns whether option only, a list with commas, is empty or has this name in it. */
    static boolean wanted(String name) {
        String only = text("only");
        return only.isEmpty() || ("," + only + ",").contains("," + name + ",");
    }

    /** Something that needs a folder. */
    @FunctionalInterface
    interface Work {
        void in(Path folder) throws Exception;
    }

    /** Does something in a new folder, which is deleted afterwards. */
    static void inFolder(Work work) throws Exception {
        Path folder = folder();
        try {
            work.in(folder);
        } finally {
            Folders.delete(folder);
        }
    }

    /** Creates a folder in that of option dir, by default in the folder for temporary files. */
    static Path folder() throws IOException {
        String dir = text("dir");
        return dir.isEmpty()
                ? Files.createTempDirectory("swl-bench-")
                : Files.createTempDirectory(Files.createDirectories(Path.of(dir)), "swl-bench-");
    }
}
