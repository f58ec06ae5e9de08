package io.github.senderwhitelist.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Tests that domains are found by rank, and ranks by domain. */
class DomainDictionaryTest {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 20_000})
    void shouldKnowTheRankOfEachOfItsDomainsAndOfNoOther(int size) throws IOException {
        List<byte[]> domains =
                IntStream.range(0, size).mapToObj(i -> ("d" + i + ".org").getBytes(UTF_8)).toList();
        DomainDictionary written = DomainDictionary.of(domains);
        DomainRanks ranks = new DomainRanks(written);
        EntryCodes codes = codes(written);
        DomainDictionary read =
                DomainDictionary.read(buffer(written.serial(codes)), codes.of(Field.DOMAIN_NEXT));
        assertThat(read.size()).isEqualTo(size);
        for (int rank = 0; rank < size; rank++) {
            byte[] domain = domains.get(rank);
            assertThat(ranks.of(domain, 0, domain.length)).isEqualTo(rank);
            assertThat(read.isDomain(rank, domain, 0, domain.length)).isTrue();
            assertThat(read.domain(rank)).isEqualTo(domain);
            assertThat(ranks.of(domain, 1, domain.length)).isNegative();
        }
        byte[] next = ("d" + size + ".org").getBytes(UTF_8);
        assertThat(ranks.of(next, 0, next.length)).isNegative();
    }

    /** Domains with bytes that are no symbols, the longest ones, and many that are much alike. */
    @Test
    void shouldKeepEveryKindOfDomain() throws IOException {
        List<byte[]> domains = new ArrayList<>();
        domains.add("\u00e9\u4e00.org".getBytes(UTF_8));
        domains.add("A.ORG".getBytes(UTF_8));
        domains.add("d".repeat(255).getBytes(UTF_8));
        for (int i = 0; i < 20_000; i++) {
            domains.add(("a".repeat(240) + i).getBytes(UTF_8));
        }
        DomainDictionary written = DomainDictionary.of(domains);
        EntryCodes codes = codes(written);
        DomainDictionary read =
                DomainDictionary.read(buffer(written.serial(codes)), codes.of(Field.DOMAIN_NEXT));
        for (int rank = 0; rank < domains.size(); rank++) {
            assertThat(read.domain(rank)).isEqualTo(domains.get(rank));
        }
    }

    private static EntryCodes codes(DomainDictionary dictionary) {
        FieldCounts counts = new FieldCounts(dictionary.size());
        dictionary.count(counts);
        return counts.codes();
    }

    private static ByteBuffer buffer(byte[] bytes) {
        return ByteBuffer.wrap(bytes).slice().order(Serial.ORDER);
    }

    @Test
    void shouldRefuseASerialFormThatEndsEarlyOrPromisesTooMuch() {
        DomainDictionary dictionary =
                DomainDictionary.of(
                        List.of("a.org".getBytes(UTF_8), "\u00e9.example".getBytes(UTF_8)));
        EntryCodes codes = codes(dictionary);
        byte[] serial = dictionary.serial(codes);
        for (int length = 0; length < serial.length; length++) {
            ByteBuffer cut = buffer(Arrays.copyOf(serial, length));
            assertThatThrownBy(() -> DomainDictionary.read(cut, codes.of(Field.DOMAIN_NEXT)))
                    .isInstanceOf(IOException.class);
        }
        for (int count : new int[] {-1, 200, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            ByteBuffer forged = buffer(serial.clone());
            forged.putInt(0, count);
            assertThatThrownBy(() -> DomainDictionary.read(forged, codes.of(Field.DOMAIN_NEXT)))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldRefuseADomainWithoutText() {
        DomainDictionary dictionary =
                DomainDictionary.of(List.of("a".getBytes(UTF_8), new byte[0]));
        EntryCodes codes = codes(dictionary);
        ByteBuffer serial = buffer(dictionary.serial(codes));
        assertThatThrownBy(() -> DomainDictionary.read(serial, codes.of(Field.DOMAIN_NEXT)))
                .isInstanceOf(IOException.class);
    }
}
