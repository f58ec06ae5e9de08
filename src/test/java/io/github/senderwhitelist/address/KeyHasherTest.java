package io.github.senderwhitelist.address;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The hash is part of the snapshot format: these values must never change. */
class KeyHasherTest {

    @ParameterizedTest
    @CsvSource({
        "0, alice, example.com, 84f40d170894bd83",
        "1, alice, example.com, 86fe884f28a71e6",
        "-1, alice, example.com, 8964139e944d6416",
        "42, '', example.com, efa7fa4edca8ac64",
        "42, '', .example.com, b99837ec447bef78",
        "42, a.very.long.local.part.indeed+with+tags, sub.domain.example.org, 73322141968514b8",
        "42, \u00e9va, xn--mnchen-3ya.de, a9d6486e12ec9727",
    })
    void hashShouldKeepItsValues(long seed, String local, String domain, String hash) {
        Key key = Key.of(local.getBytes(UTF_8), domain.getBytes(UTF_8));
        KeyHasher hasher = new KeyHasher(seed);
        assertThat(Long.toHexString(hasher.hash(key))).isEqualTo(hash);
        byte[] sorted = SortKey.of(key);
        assertThat(hasher.hashSortKey(sorted, sorted.length, key.localLength()))
                .isEqualTo(hasher.hash(key));
    }

    @Test
    void hashShouldTakeTheDomainOfAnAddressLikeTheKeyOfThatDomain() {
        KeyHasher hasher = new KeyHasher(99);
        byte[] address = "alice@mail.example.com".getBytes(UTF_8);
        assertThat(hasher.hash(address, 6))
                .isEqualTo(hasher.hash(Key.of(new byte[0], "mail.example.com".getBytes(UTF_8))));
        assertThat(hasher.hash(address, 10))
                .isEqualTo(hasher.hash(Key.of(new byte[0], ".example.com".getBytes(UTF_8))))
                .isNotEqualTo(hasher.hash(address, 11));
    }
}
