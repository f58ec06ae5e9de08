package io.github.senderwhitelist.snapshot;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.store.BlockStore;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** The lines of a list in sorted maps: what an exact store of the list must answer. */
final class PlainList {
    private final SortedMap<Entry, Set<Rule>> rules = new TreeMap<>(Entry.ORDER);
    private final SortedMap<Key, Set<RecipientKind>> kinds = new TreeMap<>();

    private PlainList() {}

    /** Reads lines, all of which are good. */
    static PlainList of(Collection<String> lines) {
        PlainList list = new PlainList();
        lines.forEach(list::add);
        return list;
    }

    private void add(String line) {
        if (!(ListLine.parse(line) instanceof ListLine.Good(Entry entry))) {
            throw new AssertionError("a bad line: " + line);
        }
        rules.computeIfAbsent(bare(entry.key(), entry.to()), key -> new HashSet<>())
                .addAll(entry.rules());
        Key to = entry.to();
        if (to != null) {
            kinds.computeIfAbsent(entry.key(), key -> EnumSet.noneOf(RecipientKind.class))
                    .add(RecipientKind.of(to));
        }
    }

    private static Entry bare(Key key, @Nullable Key to) {
        return new Entry(key, to, List.of());
    }

    /** Returns the number of entries, without those of senders that have none of their own. */
    int count() {
        return rules.size();
    }

    /** Returns the number of entries for some recipients. */
    long pairs() {
        return rules.keySet().stream().filter(entry -> entry.to() != null).count();
    }

    /** Returns the number of different senders. */
    long senders() {
        return rules.keySet().stream().map(Entry::key).distinct().count();
    }

    /** Returns all entries in their order. */
    List<Entry> entries() {
        SortedMap<Entry, Set<Rule>> all = new TreeMap<>(rules);
        kinds.keySet().forEach(key -> all.putIfAbsent(bare(key, null), Set.of()));
        return all.keySet().stream().map(entry -> find(entry.key(), entry.to())).toList();
    }

    /** Returns what a store must answer. */
    @Nullable Entry find(Key key, @Nullable Key to) {
        Set<Rule> found = rules.get(bare(key, to));
        Set<RecipientKind> others = to == null ? kinds.getOrDefault(key, Set.of()) : Set.of();
        return found == null && others.isEmpty()
                ? null
                : new Entry(key, to, found == null ? List.of() : List.copyOf(found), others);
    }

    /** Requires that a store finds each entry. */
    void requireFound(BlockStore store) throws IOException {
        for (Entry entry : entries()) {
            ask(store, entry.key(), entry.to());
        }
    }

    /** Requires all entries in order. */
    void requireSame(List<Entry> found) {
        List<Entry> expected = entries();
        for (int i = 0; i < Math.max(found.size(), expected.size()); i++) {
            Entry there = i < found.size() ? found.get(i) : null;
            Entry wanted = i < expected.size() ? expected.get(i) : null;
            require(there, wanted, "entry " + i + " of all");
        }
    }

    /**
     * Asks a store for what differs a little from an entry of the list: in one byte, in length, in
     * the domain, or in the recipients.
     */
    void askBeside(BlockStore store, Entry entry, SplittableRandom random) throws IOException {
        Key key = entry.key();
        Key to = entry.to();
        for (Key other : beside(key, random)) {
            ask(store, other, to);
            ask(store, other, null);
            ask(store, key, other);
        }
        ask(store, key, null);
        if (to != null) {
            ask(store, to, key);
            for (Key other : beside(to, random)) {
                ask(store, key, other);
            }
        }
    }

    /** Asks a store, and requires the list's answer. */
    void ask(BlockStore store, Key key, @Nullable Key to) throws IOException {
        require(
                store.find(key, to),
                find(key, to),
                to == null ? key.toString() : key + " to=" + to);
    }

    private static void require(@Nullable Entry found, @Nullable Entry wanted, String asked) {
        if (!isSame(found, wanted)) {
            throw new AssertionError(asked + ": found " + found + ", the list has " + wanted);
        }
    }

    private static boolean isSame(@Nullable Entry found, @Nullable Entry wanted) {
        if (found == null || wanted == null) {
            return found == null && wanted == null;
        }
        return Entry.ORDER.compare(found, wanted) == 0
                && found.kinds().equals(wanted.kinds())
                && found.rules().size() == wanted.rules().size()
                && Set.copyOf(found.rules()).equals(Set.copyOf(wanted.rules()));
    }

    private static List<Key> beside(Key key, SplittableRandom random) {
        byte[] local = Arrays.copyOf(key.bytes(), key.localLength());
        byte[] domain = Arrays.copyOfRange(key.bytes(), key.domainStart(), key.bytes().length);
        List<Key> others = new ArrayList<>();
        for (byte[] other : beside(local, random)) {
            others.add(Key.of(other, domain));
        }
        for (byte[] other : beside(domain, random)) {
            if (other.length > 0) {
                others.add(Key.of(local, other));
            }
        }
        others.add(Key.of(new byte[0], domain));
        others.add(Key.of(local, joined(".".getBytes(UTF_8), domain)));
        others.add(Key.of(new byte[0], joined(".".getBytes(UTF_8), domain)));
        others.add(Key.of(local, joined("sub.".getBytes(UTF_8), domain)));
        others.add(Key.of(joined(local, "+tag".getBytes(UTF_8)), domain));
        others.add(Key.of(domain, local.length == 0 ? domain : local));
        return others;
    }

    /** Returns a text with one byte more, less, or another one, at the ends and somewhere. */
    private static List<byte[]> beside(byte[] text, SplittableRandom random) {
        List<byte[]> others = new ArrayList<>(List.of(joined(text, text)));
        for (int last : new int[] {1, '.', 'a', 'z', 255}) {
            others.add(joined(text, new byte[] {(byte) last}));
            others.add(joined(new byte[] {(byte) last}, text));
        }
        if (text.length > 0) {
            others.add(Arrays.copyOf(text, text.length - 1));
            others.add(Arrays.copyOf(text, random.nextInt(text.length)));
            others.add(Arrays.copyOfRange(text, 1, text.length));
            for (int at : new int[] {0, random.nextInt(text.length), text.length - 1}) {
                for (int value : new int[] {text[at] - 1, text[at] + 1, 'a', text[at] ^ 0x80}) {
                    byte[] other = text.clone();
                    other[at] = (byte) value;
                    others.add(other);
                }
            }
        }
        // No key has a zero byte.
        others.removeIf(other -> new String(other, ISO_8859_1).indexOf(0) >= 0);
        return others;
    }

    private static byte[] joined(byte[] some, byte[] more) {
        byte[] both = Arrays.copyOf(some, some.length + more.length);
        System.arraycopy(more, 0, both, some.length, more.length);
        return both;
    }
}
