package io.github.senderwhitelist.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.store.ReferenceReader.Encoded;
import io.github.senderwhitelist.tools.AddressGenerator;
import io.github.senderwhitelist.tools.HumanAddressGenerator;
import io.github.senderwhitelist.tools.NumberedAddresses;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/** Compares what a store holds for a reader written from the documentation with what went in. */
class ReferenceReaderTest {
    private static final int SEEDS = 3;

    /** Lists that use all parts of the format. */
    enum Shape {
        GENERATED {
            @Override
            void fill(SplittableRandom random, Entries entries) {
                entries.add(new AddressGenerator(300), random, 4000);
            }
        },
        HUMAN {
            @Override
            void fill(SplittableRandom random, Entries entries) {
                entries.add(new HumanAddressGenerator(random.nextLong()), random, 4000);
            }
        },
        /** Senders with recipients of all kinds, and some without. */
        PAIRS {
            @Override
            void fill(SplittableRandom random, Entries entries) {
                for (int i = 0; i < 150; i++) {
                    String sender = text(random, "abc", random.nextInt(4)) + "\0d" + i % 7;
                    entries.add(sender, rules(random, 3));
                    for (int left = random.nextInt(9) - 2; left > 0; left--) {
                        entries.pair(sender, recipients(random), rules(random, 3));
                    }
                }
            }
        },
        /** So many recipients of each sender that blocks begin with them. */
        MANY_RECIPIENTS {
            @Override
            void fill(SplittableRandom random, Entries entries) {
                for (String sender : List.of("\0.a.org", "info\0b.org", "o\u00e9f\0c.org")) {
                    for (int i = 0; i < 1200; i++) {
                        entries.pair(sender, recipients(random), rules(random, 9));
                    }
                }
            }
        },
        /** The longest senders, named at the beginning of blocks. */
        LONG_SENDER_OF_MANY_RECIPIENTS {
            @Override
            void fill(SplittableRandom random, Entries entries) {
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
        },
        /** More different rules than have ranks of a byte, from the shortest to the longest. */
        MANY_RULES {
            @Override
            void fill(SplittableRandom random, Entries entries) {
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
        },
        /** Few entries. */
        FEW {
            @Override
            void fill(SplittableRandom random, Entries entries) {
                for (int left = random.nextInt(4); left > 0; left--) {
                    entries.add(text(random, "ab", left) + "\0a", RulesCodec.PLAIN);
                }
                if (random.nextBoolean()) {
                    entries.pair("a\0a", "\3\0.b", RulesCodec.PLAIN);
                }
            }
        },
        /** All bytes everywhere, in no order that addresses have. */
        ANY_BYTES {
            @Override
            void fill(SplittableRandom random, Entries entries) {
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
        };

        abstract void fill(SplittableRandom random, Entries entries);
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
                kinds |= isThere ? RulesCodec.bits(kind) : 0;
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
    @EnumSource
    void shouldReadWhatWasWritten(Shape shape, @TempDir Path folder) throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            Entries entries = new Entries();
            shape.fill(new SplittableRandom(seed), entries);
            assertSame(entries, folder);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldReadTheShapesOfTheStore(BlockStoreTest.Shape shape, @TempDir Path folder)
            throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            Entries entries = new Entries();
            entries.rules.putAll(StoreFile.encoded(shape.entries(seed, seed == 0 ? 40 : 1000)));
            assertSame(entries, folder);
        }
    }

    private static void assertSame(Entries entries, Path folder) throws IOException {
        List<Encoded> expected = new ArrayList<>();
        entries.rules.forEach(
                (key, rules) -> expected.add(new Encoded(key, new String(rules, ISO_8859_1))));
        // No domains in the dictionary, some, all.
        for (int share : new int[] {0, 2, 1}) {
            List<byte[]> domains = entries.domains(share);
            Path path = folder.resolve("store");
            StoreFile file = StoreFile.writeEncoded(path, entries.rules, domains);
            assertThat(ReferenceReader.read(file.blocks(), file.ranks(), file.index()))
                    .isEqualTo(expected);
            List<String> keys = new ArrayList<>();
            try (StoreFile.Opened opened = file.open()) {
                opened.store()
                        .forEach(
                                entry -> {
                                    byte[] key = SortKey.of(entry.key(), entry.to());
                                    keys.add(new String(key, ISO_8859_1));
                                    assertThat(opened.store().find(entry.key(), entry.to()))
                                            .isEqualTo(entry);
                                });
            }
            assertThat(keys).containsExactlyElementsOf(entries.rules.keySet());
        }
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
