package io.github.senderwhitelist.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The keys an address is looked up by, the most specific first. */
class AddressKeysTest {
    private static final Subaddressing PLUS = Subaddressing.VALUES.parse("+").orElseThrow();

    static Stream<Arguments> keysInOrder() {
        return Stream.of(
                Arguments.of(
                        "bob@example.com", List.of("bob@example.com", "@example.com", "@.com")),
                Arguments.of("bob@com", List.of("bob@com", "@com")),
                Arguments.of(
                        "Bob+Tag@Mail.Example.com",
                        List.of(
                                "bob+tag@mail.example.com",
                                "bob@mail.example.com",
                                "@mail.example.com",
                                "@.example.com",
                                "@.com")),
                Arguments.of(
                        "bob+a+b@e.org", List.of("bob+a+b@e.org", "bob@e.org", "@e.org", "@.org")),
                Arguments.of("bob+@e.org", List.of("bob+@e.org", "bob@e.org", "@e.org", "@.org")),
                Arguments.of("+tag@e.org", List.of("+tag@e.org", "@e.org", "@.org")),
                Arguments.of("+a+b@e.org", List.of("+a+b@e.org", "@e.org", "@.org")),
                Arguments.of("+@e.org", List.of("+@e.org", "@e.org", "@.org")),
                Arguments.of(
                        "\"bob smith+tag\"@e.org",
                        List.of("\"bob smith+tag\"@e.org", "@e.org", "@.org")),
                Arguments.of(
                        "\"bob+tag\"@e.org",
                        List.of("bob+tag@e.org", "bob@e.org", "@e.org", "@.org")),
                Arguments.of(
                        "\u00c9va+x@m\u00fcnchen.de",
                        List.of(
                                "\u00e9va+x@xn--mnchen-3ya.de",
                                "\u00e9va@xn--mnchen-3ya.de",
                                "@xn--mnchen-3ya.de",
                                "@.de")),
                Arguments.of("bob@[192.0.2.1]", List.of("bob@[192.0.2.1]", "@[192.0.2.1]")),
                Arguments.of(
                        "bob@[IPv6:::1]",
                        List.of("bob@[ipv6:0:0:0:0:0:0:0:1]", "@[ipv6:0:0:0:0:0:0:0:1]")));
    }

    @ParameterizedTest
    @MethodSource("keysInOrder")
    void shouldTryKeysFromTheMostSpecificUp(String address, List<String> keys) {
        assertThat(keys(address(address), PLUS)).extracting(Key::toString).isEqualTo(keys);
    }

    @Test
    void shouldNeverTryADomainThatIsOnlyASuffixOfTheName() {
        assertThat(keys(address("a@onmicrosoft.com"), PLUS))
                .extracting(Key::toString)
                .containsExactly("a@onmicrosoft.com", "@onmicrosoft.com", "@.com")
                .doesNotContain("@microsoft.com", "@.microsoft.com");
    }

    @Test
    void shouldDistinguishADomainFromItsSubdomains() {
        assertThat(key("", "example.com"))
                .isNotEqualTo(key("", ".example.com"))
                .extracting(Key::isDomain)
                .isEqualTo(true);
        assertThat(keys(address("a@example.com"), PLUS)).doesNotContain(key("", ".example.com"));
    }

    @Test
    void shouldHaveNoTagWithoutADelimiter() {
        Address address = address("bob+tag-x@e.org");
        assertThat(address.keyWithoutTag(Subaddressing.NONE)).isNull();
        assertThat(address.keyWithoutTag(Subaddressing.VALUES.parse("-").orElseThrow()))
                .hasToString("bob+tag@e.org");
        assertThat(address.keyWithoutTag(Subaddressing.VALUES.parse("=").orElseThrow())).isNull();
    }

    @Test
    void shouldNotTakeADelimiterInTheDomainForATag() {
        Subaddressing minus = Subaddressing.VALUES.parse("-").orElseThrow();
        assertThat(address("bob@my-host.org").keyWithoutTag(minus)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"+", "-", "=", "_", "#", "~", "%", "!", "&", "*", "^", "|", "/"})
    void shouldTakeEachAllowedDelimiter(String delimiter) {
        assertThat(Subaddressing.VALUES.allowed()).contains(delimiter);
        Subaddressing subaddressing = Subaddressing.VALUES.parse(delimiter).orElseThrow();
        assertThat(address("bob" + delimiter + "x@e.org").keyWithoutTag(subaddressing))
                .isEqualTo(address("bob@e.org").key());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "++", "@", ".", "\"", "a", " ", "None", "\u00e9", "\\"})
    void shouldRefuseOtherDelimiters(String delimiter) {
        assertThat(Subaddressing.VALUES.parse(delimiter)).isEmpty();
    }

    @Test
    void shouldTakeAKeyForEqualWhateverArrayItIsAViewOf() {
        Key view = address("bob@mail.example.com").domainKey(4);
        Key whole = key("", "mail.example.com");
        assertThat(view).isEqualTo(whole).hasSameHashCodeAs(whole).isEqualByComparingTo(whole);
        assertThat(view).hasToString("@mail.example.com");
        assertThat(key("bo", "b.example.com")).isNotEqualTo(key("bob", ".example.com"));
    }

    private static List<Key> keys(Address address, Subaddressing subaddressing) {
        List<Key> keys = new ArrayList<>();
        keys.add(address.key());
        Key untagged = address.keyWithoutTag(subaddressing);
        if (untagged != null) {
            keys.add(untagged);
        }
        for (int i = address.firstDomain(); i >= 0; i = address.nextDomain(i)) {
            keys.add(address.domainKey(i));
        }
        return keys;
    }

    private static Key key(String local, String domain) {
        return Key.of(
                local.getBytes(StandardCharsets.UTF_8), domain.getBytes(StandardCharsets.UTF_8));
    }

    private static Address address(String text) {
        return switch (AddressSyntax.parse(text)) {
            case WellFormed(var address) -> address;
            case Malformed(var reason) -> throw new AssertionError(reason);
        };
    }
}
