package io.github.senderwhitelist.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
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
        DomainDictionary read =
                DomainDictionary.read(ByteBuffer.wrap(written.serial()).order(Serial.ORDER));
        assertThat(read.size()).isEqualTo(size);
        for (int rank = 0; rank < size; rank++) {
            byte[] domain = domains.get(rank);
            assertThat(written.rank(domain, 0, domain.length)).isEqualTo(rank);
            assertThat(read.rank(domain, 0, domain.length)).isEqualTo(rank);
            assertThat(read.domain(rank)).isEqualTo(domain);
            assertThat(read.rank(domain, 1, domain.length)).isNegative();
        }
        byte[] next = ("d" + size + ".org").getBytes(UTF_8);
        assertThat(read.rank(next, 0, next.length)).isNegative();
    }

    @Test
    void shouldRefuseASerialFormThatEndsEarlyOrPromisesTooMuch() {
        byte[] serial = DomainDictionary.of(List.of("a.org".getBytes(UTF_8))).serial();
        for (int length = 0; length < serial.length; length++) {
            ByteBuffer cut = ByteBuffer.wrap(serial, 0, length).slice().order(Serial.ORDER);
            assertThatThrownBy(() -> DomainDictionary.read(cut)).isInstanceOf(IOException.class);
        }
        for (int count : new int[] {-1, 2, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            ByteBuffer forged = ByteBuffer.wrap(serial.clone()).order(Serial.ORDER);
            forged.putInt(0, count);
            assertThatThrownBy(() -> DomainDictionary.read(forged)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldRefuseADomainWithoutText() {
        ByteBuffer forged = ByteBuffer.wrap(new byte[] {2, 0, 0, 0, 1, 'a', 0, 0, 0});
        assertThatThrownBy(() -> DomainDictionary.read(forged.order(Serial.ORDER)))
                .isInstanceOf(IOException.class)
                .hasMessage("domain dictionary has no text for domain 1");
    }

    /** A forged dictionary must not make anyone compare each domain with all others. */
    @Test
    void shouldReadAMillionDomainsThatAreTheSame() {
        int size = 1_000_000;
        ByteBuffer serial = ByteBuffer.allocate(4 + 2 * size).order(Serial.ORDER).putInt(size);
        while (serial.hasRemaining()) {
            serial.put((byte) 1).put((byte) 'a');
        }
        assertTimeoutPreemptively(
                Duration.ofMinutes(1),
                () -> {
                    DomainDictionary read = DomainDictionary.read(serial.flip());
                    assertThat(read.rank(new byte[] {'a'}, 0, 1)).isZero();
                    assertThat(read.domain(size - 1)).isEqualTo(new byte[] {'a'});
                });
    }

    @Test
    void shouldRefuseAnIndexThatEndsEarlyOrOfMoreBlocksThanItHas() {
        byte[] serial = {0, 0, 2, 0, 'a', 'b'};
        for (int length = 0; length < serial.length; length++) {
            ByteBuffer cut = ByteBuffer.wrap(serial, 0, length).slice().order(Serial.ORDER);
            assertThatThrownBy(() -> BlockIndex.read(cut, 2)).isInstanceOf(IOException.class);
        }
        for (long blocks : new long[] {-1, 4, Integer.MAX_VALUE}) {
            ByteBuffer whole = ByteBuffer.wrap(serial).order(Serial.ORDER);
            assertThatThrownBy(() -> BlockIndex.read(whole, blocks))
                    .isInstanceOf(IOException.class);
        }
    }
}
