package io.github.senderwhitelist;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.AddressFuzz;
import io.github.senderwhitelist.list.ListFuzz;
import io.github.senderwhitelist.mailet.settings.ParametersFuzz;
import io.github.senderwhitelist.snapshot.SnapshotFuzz;
import io.github.senderwhitelist.tools.Extent;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * The fuzz targets without a fuzzer: on their seeds, among them all that a fuzzer ever found, and
 * on random changes of them, always the same.
 */
class FuzzTargetsTest {
    private static final int CHANGED = Extent.of(1_000, 10_000);

    interface Target {
        void fuzz(byte[] data) throws IOException;
    }

    static final List<Arguments> TARGETS =
            List.of(
                    Arguments.of("address.AddressFuzz", (Target) AddressFuzz::fuzzerTestOneInput),
                    Arguments.of("list.ListFuzz", (Target) ListFuzz::fuzzerTestOneInput),
                    Arguments.of(
                            "mailet.settings.ParametersFuzz",
                            (Target) ParametersFuzz::fuzzerTestOneInput),
                    Arguments.of(
                            "snapshot.SnapshotFuzz", (Target) SnapshotFuzz::fuzzerTestOneInput));

    @ParameterizedTest(name = "{0}")
    @FieldSource("TARGETS")
    void shouldFindNothingInTheSeedsAndWhatIsLikeThem(String name, Target target)
            throws IOException {
        List<byte[]> seeds = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of("src/fuzz/corpus", name))) {
            for (Path file : files.sorted().toList()) {
                seeds.add(Files.readAllBytes(file));
            }
        }
        assertThat(seeds).hasSizeGreaterThan(5);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < seeds.size() + CHANGED; i++) {
            // Each seed as it is, then changed ones.
            boolean changed = i >= seeds.size();
            byte[] data = seeds.get(changed ? random.nextInt(seeds.size()) : i);
            for (int changes = changed ? 1 + random.nextInt(4) : 0; changes > 0; changes--) {
                data = changed(data, seeds.get(random.nextInt(seeds.size())), random);
            }
            try {
                target.fuzz(data);
            } catch (RuntimeException | Error e) {
                throw new AssertionError(
                        "base64 -d <<< " + Base64.getEncoder().encodeToString(data), e);
            }
        }
    }

    /** Some bytes cut out, and others, of another seed or any, put in their place. */
    private static byte[] changed(byte[] data, byte[] other, SplittableRandom random) {
        int from = random.nextInt(data.length + 1);
        int to = Math.min(data.length, from + random.nextInt(5));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(data, 0, from);
        if (random.nextBoolean() && other.length > 0) {
            int start = random.nextInt(other.length);
            out.write(other, start, Math.min(other.length - start, random.nextInt(12)));
        } else {
            byte[] any = new byte[random.nextInt(5)];
            random.nextBytes(any);
            out.writeBytes(any);
        }
        out.write(data, to, data.length - to);
        return out.toByteArray();
    }
}
