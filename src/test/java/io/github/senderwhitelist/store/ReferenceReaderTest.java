package io.github.senderwhitelist.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Map.entry;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.store.ReferenceReader.Encoded;
import io.github.senderwhitelist.tools.AddressGenerator;
import io.github.senderwhitelist.tools.Builds;
import io.github.senderwhitelist.tools.NumberedAddresses;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/** Compares what a store holds for a reader written from the documentation with what went in. */
class ReferenceReaderTest {
    private static final int SEEDS = 3;

    /** Fills a list with random entries. */
    private interface Shape {
        void fill(SplittableRandom random, Entries entries);
    }

    /** Lists that use all parts of the format. */
    private static final Map<String, Shape> SHAPES =
            Map.ofEntries(
                    entry("generated", (r, to) -> to.add(new AddressGenerator(300), r, 4000)),
                    entry("few", ReferenceReaderTest::few),
                    entry("dense", (r, to) -> to.add(r, 3000, "ab", 9, 5)),
                    entry("long", (r, to) -> to.add(r, 400, "xy", 240, 99)),
                    entry("around fifteen", ReferenceReaderTest::aroundFifteen),
                    entry("one local part", (r, to) -> to.add(r, 3000, "", 0, 5000)),
                    entry("of own domains", (r, to) -> to.add(r, 1000, "u", 3, 1_000_000)),
                    entry(
                            "beyond ASCII",
                            (r, to) -> to.add(r, 2000, "a~\u00e9\u00ff\u0001", 4, 20)),
                    entry("pairs", ReferenceReaderTest::pairs),
                    entry("many recipients", ReferenceReaderTest::manyRecipients),
                    entry("long senders", ReferenceReaderTest::longSenders),
                    entry("many rules", ReferenceReaderTest::manyRules),
                    entry("any bytes", ReferenceReaderTest::anyBytes));

    static Set<String> shapes() {
        return SHAPES.keySet();
    }

    private static void few(SplittableRandom random, Entries entries) {
        for (int left = random.nextInt(4); left > 0; left--) {
            entries.add(text(random, "ab", left) + "\0a", RulesCodec.PLAIN);
        }
        if (random.nextBoolean()) {
            entries.pair("a\0a", "\3\0.b", RulesCodec.PLAIN);
        }
    }

    /** Shared and following bytes around 15, the most that a half byte can hold. */
    private static void aroundFifteen(SplittableRandom random, Entries entries) {
        for (int i = 0; i < 2000; i++) {
            String local = "p".repeat(12 + random.nextInt(6)) + text(random, "qr", i % 20);
            entries.add(local + "\0d" + i % 3, rules(random, 2));
        }
    }

    /** Senders with recipients of all kinds, and some without. */
    private static void pairs(SplittableRandom random, Entries entries) {
        for (int i = 0; i < 150; i++) {
            String sender = text(random, "abc", random.nextInt(4)) + "\0d" + i % 7;
            entries.add(sender, rules(random, 3));
            for (int left = random.nextInt(9) - 2; left > 0; left--) {
                entries.pair(sender, recipients(random), rules(random, 3));
            }
        }
    }

    /** So many recipients of each sender that blocks begin with them. */
    private static void manyRecipients(SplittableRandom random, Entries entries) {
        for (String sender : List.of("\0.a.org", "info\0b.org", "o\u00e9f\0c.org")) {
            for (int i = 0; i < 1200; i++) {
                entries.pair(sender, recipients(random), rules(random, 9));
            }
        }
    }

    /** The longest senders, named at the beginning of blocks. */
    private static void longSenders(SplittableRandom random, Entries entries) {
        for (int length : new int[] {252, 253, 254, 255}) {
            String sender = text(random, "xyz", length) + "\0" + text(random, "d", 250);
            for (int i = 0; i < 200; i++) {
                entries.pair(sender, recipients(random), RulesCodec.PLAIN);
            }
        }
        for (int i = 0; i < 600; i++) {
            entries.pair("a\0b", "\1" + "z".repeat(255) + "\0d" + i, rules(random, 2));
        }
    }

    /** More different rules than have ranks of a byte, from the shortest to the longest. */
    private static void manyRules(SplittableRandom random, Entries entries) {
        for (int i = 0; i < 900; i++) {
            String sender = text(random, "rst", 6) + "\0d";
            entries.add(sender, rules(random, 1000));
            if (i % 3 == 0) {
                entries.pair(sender, recipients(random), rules(random, 1000));
            }
        }
        entries.add("longest\0d", longest());
        entries.pair("longest\0d", "\2\0here", longest());
    }

    /** All bytes everywhere, in no order that addresses have. */
    private static void anyBytes(SplittableRandom random, Entries entries) {
        for (int i = 0; i < 400; i++) {
            String sender =
                    anyBytes(random, random.nextInt(256))
                            + "\0"
                            + anyBytes(random, 1 + random.nextInt(254));
            entries.add(sender, rules(random, 5));
            if (i % 2 == 0) {
                String local = anyBytes(random, 1 + random.nextInt(255));
                String domain = anyBytes(random, 1 + random.nextInt(253));
                entries.pair(sender, "\1" + local + "\0" + domain, rules(random, 5));
            }
        }
    }

    /** Sort keys, and their rules, in their order. */
    static final class Entries {
        final SortedMap<String, byte[]> rules = new TreeMap<>();

        void add(NumberedAddresses addresses, SplittableRandom random, int count) {
            for (int i = 0; i < count; i++) {
                addresses.fill(random.nextLong(1 << 20));
                String address = new String(addresses.bytes(), 0, addresses.length(), ISO_8859_1);
                int at = address.lastIndexOf('@');
                add(address.substring(0, at) + "\0" + address.substring(at + 1), RulesCodec.PLAIN);
            }
        }

        /**
         * Adds so many entries of local parts of some letters, and of some domains and patterns.
         */
        void add(SplittableRandom random, int count, String letters, int longest, int domains) {
            for (int i = 0; i < count; i++) {
                String local =
                        longest == 0 ? "info" : text(random, letters, random.nextInt(longest));
                add(local + "\0d" + random.nextInt(domains) + ".org", rules(random, 2));
            }
        }

        void add(String key, byte[] encoded) {
            rules.merge(key, encoded, ReferenceReaderTest::merge);
        }

        /** Adds an entry for recipients, and its kind to the entry of its sender. */
        void pair(String sender, String recipients, byte[] encoded) {
            add(sender, RulesCodec.onlyKind(RecipientKind.ofCode((byte) recipients.charAt(0))));
            add(sender + "\0" + recipients, encoded);
        }

        /** Returns every share-th of the domains; none for share 0. */
        List<byte[]> domains(int share) {
            TreeSet<String> all = new TreeSet<>();
            for (String key : rules.keySet()) {
                String[] parts = key.split("\0", -1);
                all.add(parts[1]);
                all.add(parts[parts.length - 1]);
            }
            List<byte[]> domains = new ArrayList<>();
            int left = 0;
            for (String domain : all) {
                if (share > 0 && left++ % share == 0) {
                    domains.add(domain.getBytes(ISO_8859_1));
                }
            }
            return domains;
        }
    }

    private static String text(SplittableRandom random, String alphabet, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    private static String anyBytes(SplittableRandom random, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) (1 + random.nextInt(255)));
        }
        return text.toString();
    }

    private static String recipients(SplittableRandom random) {
        String domain = "d" + random.nextInt(20) + text(random, ".-", random.nextInt(3));
        return switch (random.nextInt(4)) {
            case 0 -> "\2\0" + domain;
            case 1 -> "\3\0." + domain;
            default -> "\1" + text(random, "aeu12", 1 + random.nextInt(9)) + "\0" + domain;
        };
    }

    /** Returns one of so many encodings of rules. */
    private static byte[] rules(SplittableRandom random, int count) {
        int i = random.nextInt(count);
        AuthRequirement auth = i % 5 == 4 ? AuthRequirement.ANY : null;
        Instant until = i % 7 == 6 ? Instant.ofEpochSecond(1L << i % 40) : null;
        Origin origin = i % 3 == 2 ? Origin.USER : Origin.ADMIN;
        return RulesCodec.encode(
                new Rule(i % 4 == 1, null, until, auth, origin, "n".repeat(i / 8 % 250)));
    }

    /** Returns the rules of both, with the kinds of both. */
    private static byte[] merge(byte[] some, byte[] more) {
        try {
            RulesCodec.Decoded a = RulesCodec.decode(some, 0, some.length);
            RulesCodec.Decoded b = RulesCodec.decode(more, 0, more.length);
            List<Rule> rules = new ArrayList<>(a.rules());
            rules.addAll(b.rules());
            int kinds = 0;
            for (RecipientKind kind : RecipientKind.values()) {
                boolean isThere = a.kinds().contains(kind) || b.kinds().contains(kind);
                kinds |= isThere ? kind.bit() : 0;
            }
            return RulesCodec.join(
                    kinds, RulesCodec.ordered(rules).stream().map(RulesCodec::encode).toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns rules of the most bytes that an entry can have. */
    private static byte[] longest() {
        List<byte[]> rules = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            String note = Character.toString('a' + i).repeat(i == 3 ? 171 : 255);
            rules.add(RulesCodec.encode(new Rule(false, null, null, null, Origin.ADMIN, note)));
        }
        byte[] joined = RulesCodec.join(0, rules);
        assertThat(joined).hasSize(RulesCodec.MAX_BYTES);
        return joined;
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldReadWhatWasWrittenAndNothingElse(String shape, @TempDir Path folder)
            throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            Entries entries = new Entries();
            Objects.requireNonNull(SHAPES.get(shape)).fill(new SplittableRandom(seed), entries);
            Entries others = new Entries();
            SHAPES.get(shape).fill(new SplittableRandom(seed + SEEDS), others);
            others.rules.keySet().removeAll(entries.rules.keySet());
            // No domains in the dictionary, some, all.
            for (int share : new int[] {0, 2, 1}) {
                StoreFile file =
                        StoreFile.writeEncoded(
                                folder.resolve("store"), entries.rules, entries.domains(share));
                requireSame(file, entries.rules, others.rules.keySet());
            }
        }
    }

    private static void requireSame(
            StoreFile file, SortedMap<String, byte[]> entries, Set<String> others)
            throws IOException {
        List<Encoded> expected = new ArrayList<>();
        entries.forEach(
                (key, rules) -> expected.add(new Encoded(key, new String(rules, ISO_8859_1))));
        assertThat(ReferenceReader.read(file.blocks(), file.ranks(), file.index()))
                .isEqualTo(expected);
        List<String> keys = new ArrayList<>();
        try (StoreFile.Opened opened = file.open()) {
            BlockStore store = opened.store();
            for (Entry entry : Builds.entries(store)) {
                byte[] key = SortKey.of(entry.key(), entry.to());
                keys.add(new String(key, ISO_8859_1));
                assertThat(store.find(entry.key(), entry.to())).isEqualTo(entry);
            }
            for (String other : others) {
                Entry asked = SortKey.entry(other.getBytes(ISO_8859_1));
                assertThat(store.find(asked.key(), asked.to())).isNull();
            }
        }
        assertThat(keys).containsExactlyElementsOf(entries.keySet());
    }

    /** So the reference would notice a store that does not keep to its documentation. */
    @Test
    void shouldRefuseEachChangedBit(@TempDir Path folder) throws IOException {
        Entries entries = new Entries();
        entries.add("alice\0example.com", RulesCodec.PLAIN);
        entries.pair("bob\0example.com", "\1carol\0here", RulesCodec.PLAIN);
        StoreFile file =
                StoreFile.writeEncoded(folder.resolve("store"), entries.rules, entries.domains(1));
        byte[] block = file.blocks();
        for (int bit = 0; bit < 8 * block.length; bit++) {
            byte[] changed = block.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatIOException()
                    .isThrownBy(() -> ReferenceReader.read(changed, file.ranks(), file.index()));
        }
    }
}
