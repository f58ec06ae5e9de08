package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A living list, where a command can reach it. */
interface LivingPlace extends Closeable {
    /**
     * What a put has done.
     *
     * @param changed whether anything has changed
     * @param before the lines that were replaced, or none
     * @param lost what was taken away of their conditions, in sentences
     */
    record Put(boolean changed, List<String> before, List<String> lost) {}

    /**
     * Puts an entry in place of what its origin had for the same sender and recipients.
     *
     * @throws IOException if it fails; the entry may have been put or not
     */
    Put put(Entry entry) throws IOException;

    /**
     * Adds an entry to what its origin has for the same sender and recipients. What others do at
     * the same time is kept.
     *
     * @throws IOException if it fails; the entry may have been added or not
     */
    void add(Entry entry) throws IOException;

    /**
     * Puts entries, each in place of what its origin had for the same sender and recipients, unless
     * that is to be kept.
     *
     * @return how many are new or have changed
     * @throws IOException if it fails; some of the entries may have been put
     */
    long putAll(List<Entry> entries, Replacements replacements) throws IOException;

    /** Announces that only these entries will be put from now on. */
    default void expect(LinesInOrder entries, Replacements replacements) throws IOException {}

    /** Returns how many entries {@link #putAll} best takes at once. */
    default int part() {
        return 5_000;
    }

    /**
     * Removes what an origin has for a sender and some recipients, or all if {@code to} is null.
     *
     * @return whether there was anything
     */
    boolean remove(Origin origin, Key sender, @Nullable Key to) throws IOException;

    /**
     * Removes an entry as {@link #remove} does, but keeps what others have put meanwhile. Some of
     * the entry may then still be there.
     *
     * @param known what is expected to be there, of one origin
     */
    void removeKnown(Entry known) throws IOException;

    /** Returns the lines of all entries for one user. */
    List<String> linesFor(Key user) throws IOException;

    /** Visits the lines of all entries, in the order of the senders. */
    void forEachLine(Consumer<String> visitor) throws IOException;

    /** Returns what is known of the list, by name, in the order in which it is printed. */
    Map<String, @Nullable Object> status() throws IOException;
}
