package io.github.senderwhitelist.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.KeyHasher;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.Admission;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.BuildProgress;
import io.github.senderwhitelist.snapshot.BuildResources;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.TextSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

class ListedAddressesTest {
    private static final int N = 50_000;

    @TempDir Path folder;

    @Test
    void shouldGenerateAddressesThatDifferAndAreCanonical() {
        Set<String> seen = new HashSet<>();
        for (long i = 0; i < N; i++) {
            for (Key key :
                    List.of(
                            GeneratedAddresses.address(i),
                            GeneratedAddresses.stranger(i),
                            GeneratedAddresses.newcomer(i))) {
                assertThat(seen.add(key.toString())).as("%s is new", key).isTrue();
                assertThat(((WellFormed) AddressSyntax.parse(key.toString())).address().key())
                        .isEqualTo(key);
            }
        }
    }

    @Test
    void shouldHoldEachAddressOnceInAnotherOrder() {
        ListedAddresses addresses = ListedAddresses.generated(N, 7, true);
        KeyHasher hasher = new KeyHasher(7);
        Set<String> expected = new HashSet<>();
        for (long i = 0; i < N; i++) {
            expected.add(GeneratedAddresses.address(i).toString());
        }

        assertThat(addresses.count()).isEqualTo(N);
        String[] texts = Objects.requireNonNull(addresses.texts());
        assertThat(texts).hasSize(N);
        assertThat(new HashSet<>(Arrays.asList(texts)).equals(expected)).isTrue();
        assertThat(texts[0]).isNotEqualTo(GeneratedAddresses.address(0).toString());
        for (int i = 0; i < N; i++) {
            assertThat(addresses.keys()[i]).hasToString(texts[i]);
            assertThat(addresses.hashes()[i]).isEqualTo(hasher.hash(addresses.keys()[i]));
        }
        assertThat(ListedAddresses.generated(N, 7, false).hashes()).isEqualTo(addresses.hashes());
    }

    /** With more addresses than keys are kept, the keys are a sample of all. */
    @Test
    void shouldKeepTheKeysOfTheFirst() {
        int n = ListedAddresses.MOST_KEYS + 1000;
        ListedAddresses addresses = ListedAddresses.generated(n, 7, false);
        KeyHasher hasher = new KeyHasher(7);

        assertThat(addresses.keys()).hasSize(ListedAddresses.MOST_KEYS).doesNotContainNull();
        assertThat(Arrays.stream(addresses.keys()).mapToLong(hasher::hash).toArray())
                .isEqualTo(Arrays.copyOf(addresses.hashes(), ListedAddresses.MOST_KEYS));
        assertThat(Arrays.stream(addresses.hashes()).distinct().count()).isEqualTo(n);
        long late = hasher.hash(GeneratedAddresses.address(n - 1L));
        assertThat(Arrays.stream(addresses.hashes()).anyMatch(hash -> hash == late)).isTrue();
    }

    @Test
    void shouldTakeTheAddressesOfASnapshot() throws IOException {
        Snapshot snapshot =
                snapshot(
                        """
                        a@example.com
                        !b@example.com
                        @example.org
                        a@example.com
                        a@example.com to=x@example.org
                        c@example.com to=x@example.org
                        c@example.com to=@example.org
                        @example.net to=x@example.org
                        """);

        ListedAddresses addresses = ListedAddresses.of(snapshot, 1, true);

        assertThat(addresses.texts())
                .containsExactlyInAnyOrder("a@example.com", "b@example.com", "c@example.com");
    }

    @Test
    void shouldNotTakeStrangers() throws IOException {
        Snapshot snapshot = snapshot("a@example.com\nb@stranger.invalid\n");

        assertThatThrownBy(() -> ListedAddresses.of(snapshot, 1, true))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("b@stranger.invalid");
    }

    private Snapshot snapshot(String list) throws IOException {
        Path text = Files.writeString(folder.resolve("list.txt"), list);
        Path snapshot = folder.resolve("list.swl");
        new SnapshotBuilder(
                        new BuildOptions(FilterKind.BLOCKED, FilterSize.ofRate(0.01)),
                        new BuildResources(
                                BuildResources.LEAST_MEMORY, 1, new Scratch(Disk.LOCAL, folder)),
                        1,
                        0,
                        BuildProgress.NONE)
                .build(List.of(TextSource.of(Disk.LOCAL, text)), snapshot, Admission.ALL);
        return Snapshot.openStore(Disk.LOCAL, snapshot);
    }
}
