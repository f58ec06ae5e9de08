package io.github.senderwhitelist.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.tools.TextResource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.text.Normalizer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Canonical form: what is the same sender, what is another, what is no address at all. */
class AddressSyntaxTest {
    private static final String LABEL_63 = "a".repeat(63);
    private static final String DOMAIN_253 = (LABEL_63 + ".").repeat(3) + "a".repeat(61);

    static Stream<Arguments> canonicalForms() {
        Stream<Arguments> written =
                lines("canonical-forms.txt")
                        .map(line -> line.split(" -> ", -1))
                        .map(sides -> Arguments.of(unescaped(sides[0]), unescaped(sides[1])));
        return Stream.concat(
                written,
                Stream.of(
                        Arguments.of("a@" + LABEL_63 + ".com", "a@" + LABEL_63 + ".com"),
                        Arguments.of("a@" + DOMAIN_253, "a@" + DOMAIN_253),
                        Arguments.of("a@" + DOMAIN_253 + ".", "a@" + DOMAIN_253),
                        Arguments.of("l".repeat(64) + "@e.com", "l".repeat(64) + "@e.com"),
                        Arguments.of("L".repeat(255) + "@e.com", "l".repeat(255) + "@e.com"),
                        Arguments.of(
                                "a" + "\u00c9".repeat(127) + "@e.com",
                                "a" + "\u00e9".repeat(127) + "@e.com"),
                        Arguments.of(
                                "x".repeat(66) + "@" + DOMAIN_253,
                                "x".repeat(66) + "@" + DOMAIN_253)));
    }

    private static Stream<String> lines(String resource) {
        return TextResource.text(AddressSyntaxTest.class, resource)
                .lines()
                .filter(line -> line.startsWith("\""));
    }

    /** Returns what a literal of Java stands for. */
    private static String unescaped(String literal) {
        return Pattern.compile("\\\\u([0-9a-f]{4})")
                .matcher(literal.substring(1, literal.length() - 1))
                .replaceAll(
                        found ->
                                Matcher.quoteReplacement(
                                        Character.toString(Integer.parseInt(found.group(1), 16))))
                .translateEscapes();
    }

    @ParameterizedTest
    @MethodSource("canonicalForms")
    void shouldBringIntoCanonicalForm(String written, String canonical) {
        assertThat(canonical(written)).isEqualTo(canonical);
        assertThat(canonical(canonical)).as("of its own canonical form").isEqualTo(canonical);
    }

    static final List<String> NO_ADDRESSES =
            Stream.concat(
                            lines("no-addresses.txt").map(AddressSyntaxTest::unescaped),
                            Stream.of(
                                    // The first three are too long for the Punycode of the
                                    // library, the second only after mapping.
                                    "a@" + "\u00fc".repeat(1001),
                                    "a@" + "\ufdfa".repeat(100),
                                    "a@xn--" + "a".repeat(2030),
                                    "a@" + "a".repeat(64) + ".com",
                                    "a@" + DOMAIN_253 + "a",
                                    "a@" + "\u00fc".repeat(60) + ".com",
                                    "l".repeat(256) + "@example.com",
                                    "\u00e9".repeat(128) + "@example.com",
                                    "a".repeat(253) + "\u0149" + "@example.com",
                                    "\"" + " ".repeat(254) + "\"@example.com",
                                    "a".repeat(1_000_000) + "@example.com",
                                    "\"" + "\u0007".repeat(100) + "@",
                                    "a@" + "b.".repeat(1_000_000) + "com"))
                    .toList();

    @ParameterizedTest
    @FieldSource("NO_ADDRESSES")
    void shouldRefuseInOneShortLineWithoutControlCharacters(String text) {
        String reason = reason(text);
        assertThat(reason).isNotBlank().hasSizeLessThan(600);
        assertThat(reason.chars())
                .noneMatch(Character::isISOControl)
                .noneMatch(c -> c == 0x2028 || c == 0x2029);
    }

    /**
     * Parts to be combined at random, so that several rules meet: quotes, folding, composition,
     * mapping, hyphens, dots.
     */
    private static final List<List<String>> LOCALS =
            Stream.of(
                            "aB.@\"\\ +-1",
                            "a\"\\\u00df\u0130i\u0307\u0301 ",
                            "\u03a3\u03c2\u0345\u0391\u0313\u0308\u1fbc\u1f80\u0149\ufb03"
                                    + "\u01f0\u212b\u1e9e",
                            "\u1100\u1161\u11a8\uac00\u0f71\u0f72\u0344\u0340\u037e\u2126"
                                    + "\ud834\udd5e<\u0338=",
                            "\u0915\u094d\u093c\u0301\u1fb3\u200d")
                    .map(AddressSyntaxTest::letters)
                    .toList();

    private static final List<List<String>> DOMAINS =
            List.of(
                    letters("xn--3ya.\u00fcu\u0308\u3002\uff0e\u00ad\u200d_\uff10"),
                    List.of("0", "1", "2", ".", ":", "[", "]", "f", "ipv6:", "::", "255", "%"),
                    letters(
                            "\u05d0\u06611a.-\u0300\u1e0d\u0323\u0307\u1e61\u17b4\ufdfa\u2f68"
                                    + "\u1806"));

    private static List<String> letters(String text) {
        return text.codePoints().mapToObj(Character::toString).toList();
    }

    /** A canonical form is its own, and that of the same text composed and decomposed. */
    @Test
    void shouldGiveTextThatMeansTheSameOneCanonicalForm() {
        SplittableRandom random = new SplittableRandom(20261121);
        int wellFormed = 0;
        for (int i = 0; i < 400_000; i++) {
            String text = randomAddress(random);
            ParsedAddress parsed = AddressSyntax.parse(text);
            if (parsed instanceof Address address) {
                wellFormed++;
                String canonical = address.toString();
                boolean fits =
                        Stream.of(
                                        canonical,
                                        Normalizer.normalize(text, Normalizer.Form.NFD),
                                        Normalizer.normalize(text, Normalizer.Form.NFC))
                                .allMatch(same -> parsed.equals(AddressSyntax.parse(same)));
                if (!fits
                        || address.local().getBytes(UTF_8).length > AddressSyntax.MAX_LOCAL
                        || address.domain().length() > AddressSyntax.MAX_DOMAIN
                        || canonical.chars().anyMatch(Character::isISOControl)
                        || !Normalizer.isNormalized(address.local(), Normalizer.Form.NFC)) {
                    fail(Text.escaped(text) + " has the canonical form " + Text.escaped(canonical));
                }
            }
        }
        assertThat(wellFormed).isGreaterThan(100_000);
    }

    /** Quotes around a plain local part keep the text from the short way for plain addresses. */
    @Test
    void shouldAgreeOnPlainAddressesWithAndWithoutQuotes() {
        SplittableRandom random = new SplittableRandom(11);
        int compared = 0;
        for (int i = 0; i < 100_000; i++) {
            String local = random(random, letters("abzABZ059.-_!~+"));
            String domain = random(random, letters("abZ09.-_"));
            ParsedAddress plain = AddressSyntax.parse(local + "@" + domain);
            ParsedAddress quoted = AddressSyntax.parse("\"" + local + "\"@" + domain);
            compared += plain instanceof Address ? 1 : 0;
            if (plain instanceof Address) {
                assertThat(quoted).isEqualTo(plain);
            } else {
                assertThat(quoted).as(local + "@" + domain).isInstanceOf(Malformed.class);
            }
        }
        assertThat(compared).isGreaterThan(20_000);
    }

    /** What the short way takes, and what it leaves to the careful one, unchanged. */
    @Test
    void shouldTakePlainAddressesTheShortWay() {
        String local = "L".repeat(255);
        String longest = "a".repeat(59) + ".Com";
        for (String address :
                ("A@b a@-b-.com a@b-c-d.com a@1.2.c_ " + local + "@" + longest).split(" ", -1)) {
            assertThat(plain(address + ">"))
                    .as(address)
                    .isEqualTo(address.indexOf('@') + canonical(address) + ">");
        }
        for (String address :
                ("@b a A@ A@b. A@.b A@b..c A,b@c A@xn--b A@1.2.3.4 A@\u00fc "
                                + (local + "L@b A@a" + longest))
                        .split(" ", -1)) {
            assertThat(plain(address + ">")).as(address).isEqualTo("-1" + address + ">");
        }
    }

    private static String plain(String ended) {
        byte[] bytes = ended.getBytes(UTF_8);
        int at = AddressSyntax.canonicalizePlain(bytes, bytes.length - 1);
        return at + new String(bytes, UTF_8);
    }

    @ParameterizedTest
    @MethodSource("domains")
    void shouldParseDomainsLikeThoseOfAddresses(String written, String canonical) {
        assertThat(AddressSyntax.parseDomain(written)).isEqualTo(canonical);
    }

    static Stream<Arguments> domains() {
        return canonicalForms()
                .filter(form -> !((String) form.get()[0]).startsWith("\""))
                .map(
                        form ->
                                Arguments.of(
                                        afterAt((String) form.get()[0]),
                                        afterAt((String) form.get()[1])));
    }

    private static String afterAt(String address) {
        return address.substring(address.indexOf('@') + 1);
    }

    @Test
    void shouldNotParseDomainsOutOfVeryLongText() {
        assertThat(AddressSyntax.parseDomain("a.".repeat(1025) + "a")).isNull();
        assertThat(AddressSyntax.domainComplaint("a.".repeat(1025) + "a")).hasSizeLessThan(400);
    }

    private static String randomAddress(SplittableRandom random) {
        String local = random(random, pick(random, LOCALS));
        String domain =
                random.nextInt(3) == 0 ? "example.com" : random(random, pick(random, DOMAINS));
        return (random.nextInt(3) == 0 ? '"' + local + '"' : local) + "@" + domain;
    }

    private static <T> T pick(SplittableRandom random, List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private static String random(SplittableRandom random, List<String> alphabet) {
        StringBuilder text = new StringBuilder();
        for (int left = 1 + random.nextInt(8); left > 0; left--) {
            text.append(pick(random, alphabet));
        }
        return text.toString();
    }

    private static String canonical(String text) {
        return switch (AddressSyntax.parse(text)) {
            case Address address -> address.toString();
            case Malformed(var reason) -> "refused: " + reason;
        };
    }

    private static String reason(String text) {
        return switch (AddressSyntax.parse(text)) {
            case Address address -> throw new AssertionError(address + " is well formed");
            case Malformed(var reason) -> reason;
        };
    }
}
