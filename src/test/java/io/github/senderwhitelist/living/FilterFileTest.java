package io.github.senderwhitelist.living;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.SmallLists;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.living.Follower.Kept;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

class FilterFileTest {
    private static final FilterSize SIZE = FilterSize.ofBitsPerKey(10);
    private static final FeedPosition POSITION = new FeedPosition("epoch 1", "4711");
    private static final Key DOMAIN = domain(SmallLists.address("any@partner.example"));

    private static final List<Key> SENDERS =
            IntStream.range(0, 1_000)
                    .mapToObj(i -> SmallLists.address("sender" + i + "@example.com").key())
                    .toList();

    @TempDir Path folder;
    private Path path = Path.of("set by the set-up");
    private final KeyFilters filters = new KeyFilters(SIZE, 42, 1_000, 10);

    @BeforeEach
    void name() {
        path = folder.resolve("var/own.filter");
    }

    private static Key domain(Address address) {
        return address.domainKey(address.firstDomain());
    }

    private FilterFile file() {
        return new FilterFile(Disk.LOCAL, path);
    }

    private void keepFilled() throws IOException {
        SENDERS.forEach(filters::add);
        filters.add(DOMAIN);
        file().write(new Kept(POSITION, filters));
    }

    private Kept read() throws IOException {
        return Objects.requireNonNull(file().read(SIZE));
    }

    @Test
    void shouldReadWhatWasKept() throws IOException {
        keepFilled();
        Kept kept = read();
        assertThat(kept.position()).isEqualTo(POSITION);
        assertThat(SENDERS).allMatch(kept.filters()::mightContainAddress);
        assertThat(kept.filters().mightContainDomain(DOMAIN.bytes(), DOMAIN.domainStart()))
                .isTrue();
        assertThat(kept.filters().addresses().added()).isEqualTo(filters.addresses().added());
        assertThat(kept.filters().addresses().capacity()).isEqualTo(1_000);
        assertThat(kept.filters().isFull()).isFalse();
        assertThat(
                        IntStream.range(0, 1_000)
                                .mapToObj(i -> SmallLists.address("s" + i + "@other.example").key())
                                .filter(kept.filters()::mightContainAddress))
                .hasSizeLessThan(100);
    }

    @Test
    void shouldReplaceWhatWasKeptForTheOwnerOnly() throws IOException {
        keepFilled();
        file().write(new Kept(new FeedPosition("epoch 2", "5"), filters));
        assertThat(read().position()).isEqualTo(new FeedPosition("epoch 2", "5"));
        assertThat(Files.getPosixFilePermissions(path)).hasSize(2);
        try (var files = Files.list(folder.resolve("var"))) {
            assertThat(files).containsExactly(path);
        }
    }

    @Test
    void shouldFindBitsThatWereSetAfterTheNumberOfKeysWasRead() {
        KeyFilter from = new KeyFilter(SIZE, 10);
        from.add(7);
        KeyFilter restored = new KeyFilter(from.filter().shape(), 10, 0);
        LongBuffer words = LongBuffer.allocate((int) from.bytes() / Long.BYTES);
        from.filter().write(0, words);
        restored.filter().read(0, words.flip());
        restored.add(7);
        assertThat(restored.mightContain(7)).isTrue();
    }

    @Test
    void shouldHaveNothingBeforeSomethingWasKept() throws IOException {
        assertThat(file().read(SIZE)).isNull();
    }

    @Test
    void shouldNotTakeFiltersOfAnotherSize() throws IOException {
        keepFilled();
        assertThat(file().read(FilterSize.ofBitsPerKey(12))).isNull();
    }

    @Test
    void shouldRefuseEveryDamage() throws IOException {
        keepFilled();
        byte[] whole = Files.readAllBytes(path);
        for (int i = 0; i < whole.length; i++) {
            byte[] damaged = whole.clone();
            damaged[i] ^= 1;
            assertRefused(damaged);
        }
    }

    @Test
    void shouldRefuseEveryOtherLength() throws IOException {
        keepFilled();
        byte[] whole = Files.readAllBytes(path);
        for (int length = 0; length < whole.length; length++) {
            assertRefused(Arrays.copyOf(whole, length));
        }
        assertRefused(Arrays.copyOf(whole, whole.length + 1));
    }

    private void assertRefused(byte[] content) throws IOException {
        Files.write(path, content);
        assertThatThrownBy(() -> file().read(SIZE))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(path + ": ");
    }
}
