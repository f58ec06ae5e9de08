package io.github.senderwhitelist.address;

import static io.github.senderwhitelist.tools.SmallLists.address;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The keys an address is looked up by, the most specific first, and the order of keys. */
class AddressKeysTest {
    /** Addresses, and their keys with a bar between them. */
    @ParameterizedTest
    @CsvSource({
        "bob@example.com, bob@example.com|@example.com|@.com",
        "bob@com, bob@com|@com",
        "Bob+Tag@M.Ex.org, bob+tag@m.ex.org|bob@m.ex.org|@m.ex.org|@.ex.org|@.org",
        "bob+a+b@e.org, bob+a+b@e.org|bob@e.org|@e.org|@.org",
        "bob+@e.org, bob+@e.org|bob@e.org|@e.org|@.org",
        "+tag@e.org, +tag@e.org|@e.org|@.org",
        "+a+b@e.org, +a+b@e.org|@e.org|@.org",
        "'\"bob smith+tag\"@e.org', '\"bob smith+tag\"@e.org|@e.org|@.org'",
        "'\"bob+tag\"@e.org', bob+tag@e.org|bob@e.org|@e.org|@.org",
        "\u00c9va+x@m\u00fc.de, \u00e9va+x@xn--m-eha.de|\u00e9va@xn--m-eha.de|@xn--m-eha.de|@.de",
        "bob@[192.0.2.1], bob@[192.0.2.1]|@[192.0.2.1]",
        "bob@[IPv6:::1], bob@[ipv6:0:0:0:0:0:0:0:1]|@[ipv6:0:0:0:0:0:0:0:1]",
        // The name ends with that of another domain, and is none of its subdomains.
        "a@onmicrosoft.com, a@onmicrosoft.com|@onmicrosoft.com|@.com"
    })
    void keysShouldGoFromTheMostSpecificUp(String address, String keys) {
        assertThat(address(address).keys(Subaddressing.DEFAULT))
                .extracting(Key::toString)
                .containsExactly(keys.split("\\|"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"+", "-", "=", "_", "#", "~", "%", "!", "&", "*", "^", "|", "/"})
    void keyWithoutTagShouldTakeEachAllowedDelimiter(String delimiter) {
        Subaddressing subaddressing = Subaddressing.VALUES.parse(delimiter).orElseThrow();
        assertThat(address("bob" + delimiter + "x@my-host.org").keyWithoutTag(subaddressing))
                .isEqualTo(address("bob@my-host.org").key());
        assertThat(address("bobx@my-host.org").keyWithoutTag(subaddressing)).isNull();
        assertThat(address("bob+-x@e.org").keyWithoutTag(Subaddressing.NONE)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "++", "@", ".", "\"", "a", " ", "None", "\u00e9", "\\"})
    void subaddressingShouldRefuseOtherDelimiters(String delimiter) {
        assertThat(Subaddressing.VALUES.parse(delimiter)).isEmpty();
    }

    @Test
    void keyShouldDistinguishADomainFromItsSubdomains() {
        assertThat(key("", "example.com")).isNotEqualTo(key("", ".example.com"));
        assertThat(key("", "example.com").isDomain()).isTrue();
        assertThat(key("bo", "b.example.com")).isNotEqualTo(key("bob", ".example.com"));
        assertThat(RecipientKind.of(key("a", "b.org"))).isEqualTo(RecipientKind.ADDRESS);
        assertThat(RecipientKind.of(key("", "b.org"))).isEqualTo(RecipientKind.DOMAIN);
        assertThat(RecipientKind.of(key("", ".b.org"))).isEqualTo(RecipientKind.SUBDOMAINS);
    }

    @Test
    void keysShouldSortDomainsFirstAndAShorterLocalPartBeforeALonger() {
        assertThat(key("", "z.org")).isLessThan(key("!", "a.org"));
        assertThat(key("ab", "z.org")).isLessThan(key("ab!", "a.org"));
        assertThat(key("z", "a.org")).isLessThan(key("\u00e9", "a.org"));
        assertThat(key("a", "-.org")).isLessThan(key("a", ".org"));
    }

    private static Key key(String local, String domain) {
        return Key.of(local.getBytes(UTF_8), domain.getBytes(UTF_8));
    }
}
