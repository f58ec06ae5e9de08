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
        "0, alice, example.com, 52f40cfe893c7709",
        "1, alice, example.com, c9154bab9662935d",
        "-1, alice, example.com, 2d94c446e05af3c9",
        "42, '', example.com, efa7fa4edca8ac64",
        "42, '', .example.com, b99837ec447bef78",
        "42, a.very.long.local.part.indeed+with+tags, sub.domain.example.org, 7c45e276e71a18a1",
        "42, \u00e9va, xn--mnchen-3ya.de, 917df138725b78e4",
    })
    void hashShouldKeepItsValues(long seed, String local, String domain, String hash) {
        Key key = Key.of(local.getBytes(UTF_8), domain.getBytes(UTF_8));
        KeyHasher hasher = new KeyHasher(seed);
        assertThat(Long.toHexString(hasher.hash(key))).isEqualTo(hash);
    }

    @Test
    void hashShouldTakeTheDomainOfAnAddressLikeTheKeyOfThatDomain() {
        KeyHasher hasher = new KeyHasher(99);
        byte[] address = "alice\0mail.example.com".getBytes(UTF_8);
        assertThat(hasher.hash(address, 6))
                .isEqualTo(hasher.hash(Key.of(new byte[0], "mail.example.com".getBytes(UTF_8))));
        assertThat(hasher.hash(address, 10))
                .isEqualTo(hasher.hash(Key.of(new byte[0], ".example.com".getBytes(UTF_8))))
                .isNotEqualTo(hasher.hash(address, 11));
    }
}
