package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.tools.AddressGenerator;
import io.github.senderwhitelist.tools.PairGenerator;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Lines of lists of many kinds, usual ones and those made to be hard to store. */
enum RandomLines {
    GENERATED((random, i) -> Generators.LISTS.address(random.nextLong(1L << 36))),
    /** Users who each know some senders, as many know one. */
    KNOWN(
            (random, i) ->
                    "%s to=%s"
                            .formatted(
                                    PairGenerator.sender((int) Math.pow(1000, random.nextDouble())),
                                    Generators.USERS.user(random.nextInt(50)))),
    /** So many recipients of each sender that blocks begin with them. */
    FEW_SENDERS(
            (random, i) ->
                    one(random, "@.a.example", "info@b.example", "o\u00e9f@c.example")
                            + " to="
                            + at(letters(random, "aeu12", 0, 9), domain(random, 20))),
    /** More different rules than have ranks of a byte. */
    MANY_RULES(
            (random, i) ->
                    ("u" + i + "@a.example note=n" + random.nextInt(1000))
                            + (i % 2 == 0 ? " to=u" + random.nextInt(900) + "@b.example" : "")),
    /** Letters of several bytes, those at both ends of what UTF-8 can tell among them. */
    BEYOND_ASCII(
            (random, i) ->
                    at(
                            letters(random, "a~\u00e9\u0101\u07ff\u3042\u4e00\uac00\ufffd", 1, 9),
                            letters(random, "ab\u00e9\u4e00", 1, 4) + ".example")),
    QUOTED(
            (random, i) ->
                    at('"' + letters(random, "a ,:;@<>()[]", 1, 12) + '"', domain(random, 4))),
    /** Every character that a local part can have without quotes. */
    SIGNS(
            (random, i) ->
                    at(
                            "x" + letters(random, "!#$%&'*+-/=?^_`{|}~.0129abyz", 0, 20),
                            domain(random, 9))),
    LONG_LOCAL_PARTS(
            (random, i) -> {
                String first = letters(random, "ab", 1, 1);
                int[] lengths = {61, 62, 63, 64, 126, 127, 253, 254};
                return at(first + "b".repeat(lengths[random.nextInt(8)]), domain(random, 9));
            }),
    LONG_DOMAINS(
            (random, i) -> {
                String first = letters(random, "abc", 1, 60);
                String more = ("." + letters(random, "abc", 60, 63)).repeat(4);
                String end = "x." + letters(random, "d", 1, 62);
                return at("u" + i % 7, (first + more).substring(0, 190) + end);
            }),
    /** Local parts of one letter repeated, each of which begins all longer ones. */
    ONE_LETTER((random, i) -> at("a".repeat(1 + random.nextInt(255)), domain(random, 20))),
    /** Local parts that go on where another one ends. */
    BEGINNINGS(
            (random, i) -> {
                String longest = "verylongbeginningofeverything.1234567890";
                return at(longest.substring(0, 1 + random.nextInt(40)), domain(random, 200));
            }),
    OWN_DOMAINS(
            (random, i) -> {
                String local = letters(random, "abcdefg", 1, 9);
                return at(local, "d" + i + "." + letters(random, "xyz", 2, 9));
            }),
    DOMAIN_ENTRIES((random, i) -> (random.nextBoolean() ? "@" : "@.") + domain(random, 3000)),
    /** All kinds of entries of few domains, denied, with tags, dates, notes and recipients. */
    MIXED((random, i) -> mixed(random) + conditions(random)),
    /** Entries that take so much room that few of them fit into a block. */
    NOTES(
            (random, i) ->
                    at(letters(random, "ab", 1, 9) + i, domain(random, 9))
                            + one(random, " from=2027-01-01", "", "")
                            + one(random, " until=2028-01-01T00:00:01Z", "", "")
                            + " note="
                            + letters(random, "a\u00e9 \u4e00=#", 0, 60)
                            + "x");

    /** Makes the line of a number. */
    private interface Line {
        String of(SplittableRandom random, int i);
    }

    @SuppressWarnings("ImmutableEnumChecker") // lambdas that keep nothing
    private final Line line;

    RandomLines(Line line) {
        this.line = line;
    }

    /** Apart from the constants, which are made before other fields of their class. */
    private static final class Generators {
        static final AddressGenerator LISTS = new AddressGenerator(100_000);
        static final PairGenerator USERS = new PairGenerator(50, "user0@tenant0.example");
    }

    private static String mixed(SplittableRandom random) {
        String domain = domain(random, 30);
        return (random.nextInt(6) == 0 ? "!" : "")
                + switch (random.nextInt(6)) {
                    case 0 -> "@" + domain;
                    case 1 -> "@." + domain;
                    case 2 -> "user" + random.nextInt(90) + "+tag@" + domain;
                    default -> "user" + random.nextInt(90) + "@" + domain;
                };
    }

    private static String conditions(SplittableRandom random) {
        return switch (random.nextInt(8)) {
            case 0 -> " until=20" + (30 + random.nextInt(60)) + "-01-01";
            case 1 -> " auth=dkim";
            case 2 -> " to=@" + domain(random, 30);
            case 3 -> " to=@." + domain(random, 30);
            case 4 -> " to=user" + random.nextInt(90) + "@" + domain(random, 30);
            case 5 -> " origin=user to=user" + random.nextInt(9) + "@a.example";
            default -> "";
        };
    }

    /** Returns that many good lines, some of which may be equal. */
    List<String> lines(SplittableRandom random, int count) {
        List<String> lines = new ArrayList<>(count);
        while (lines.size() < count) {
            String made = line.of(random, lines.size());
            if (ListLine.parse(made) instanceof ListLine.Good) {
                lines.add(made);
            }
        }
        return lines;
    }

    private static String at(String local, String domain) {
        return local + "@" + domain;
    }

    private static String one(SplittableRandom random, String... of) {
        return of[random.nextInt(of.length)];
    }

    private static String letters(SplittableRandom random, String alphabet, int least, int most) {
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(least, most + 1); length > 0; length--) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    private static String domain(SplittableRandom random, int count) {
        return "d" + random.nextInt(count) + ".example";
    }
}
