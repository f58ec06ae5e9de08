package io.github.senderwhitelist.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

class HumanAddressGeneratorTest {
    private static final int MANY = Extent.of(300_000, 10_000_000);

    private final HumanAddressGenerator generator = new HumanAddressGenerator(0);

    @ParameterizedTest
    @ValueSource(longs = {0, 100_000_000, 1L << 40})
    void shouldGiveDifferentNumbersDifferentAddresses(long first) {
        Set<String> addresses = HashSet.newHashSet(MANY);

        for (long i = first; i < first + MANY; i++) {
            assertThat(addresses.add(generator.address(i)))
                    .as("address %d, %s, is new", i, generator.address(i))
                    .isTrue();
        }
    }

    @Test
    void shouldGiveTheSameAddressAgain() {
        HumanAddressGenerator same = new HumanAddressGenerator(0);
        HumanAddressGenerator other = new HumanAddressGenerator(1);

        int equal = 0;
        for (long i = 0; i < 1_000; i++) {
            assertThat(same.address(i)).isEqualTo(generator.address(i));
            equal += other.address(i).equals(generator.address(i)) ? 1 : 0;
        }
        assertThat(equal).isLessThan(10);
    }

    @Test
    void shouldMakeCanonicalAddressesThatFitTheirLine() {
        for (long i = 0; i < 1L << 40; i = i * 5 / 4 + 1) {
            String address = generator.address(i);

            assertThat(AddressSyntax.parse(address))
                    .isInstanceOfSatisfying(
                            WellFormed.class,
                            parsed ->
                                    assertThat(text(parsed.address().key().bytes()))
                                            .isEqualTo(address));
            assertThat(address.length()).isLessThan(NumberedAddresses.MAX_LENGTH);
        }
    }

    @Test
    void shouldMixTheFormsThatPeopleUse() {
        assertThat(share(".*@gmail\\.com")).isBetween(0.18, 0.24);
        assertThat(share("[a-z]{2,}\\.[a-z]{2,}@.*")).isBetween(0.15, 0.4);
        assertThat(share("[a-z._-]+\\d+@.*")).isBetween(0.1, 0.4);
        assertThat(share("(?:info|sales|support)@.*")).isBetween(0.005, 0.05);
        assertThat(share("no-?reply.*")).isBetween(0.002, 0.05);
        assertThat(share(".*\\+.*@.*")).isBetween(0.005, 0.05);
        assertThat(share(".*@.*\\..*\\..*")).isBetween(0.02, 0.2);
    }

    private double share(String form) {
        Predicate<String> matches = Pattern.compile(form).asMatchPredicate();
        int count = 0;
        for (int i = 0; i < 20_000; i++) {
            count += matches.test(generator.address(i)) ? 1 : 0;
        }
        return count / 20_000.0;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
