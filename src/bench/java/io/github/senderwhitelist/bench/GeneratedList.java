package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.TextSource;
import io.github.senderwhitelist.tools.NumberedAddresses;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/** The generated addresses 0 to n - 1 as a text list. */
final class GeneratedList extends InputStream {
    private final NumberedAddresses generator = BenchOptions.generator();
    private final long n;
    private long next;
    private int at;
    private int end;

    private GeneratedList(long n) {
        this.n = n;
    }

    /** Builds a snapshot of the list with a blocked filter of this many bits per address. */
    static void build(long n, double bits, Path target) throws IOException {
        build(n, new BuildOptions(FilterKind.BLOCKED, FilterSize.ofBitsPerKey(bits)), target);
    }

    /** Builds a snapshot of the list. */
    static void build(long n, BuildOptions options, Path target) throws IOException {
        TextSource source = new TextSource("generated", -1, () -> new GeneratedList(n));
        Whitelists.build(source, options, target);
    }

    @Override
    public int read() {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int from, int length) {
        int done = 0;
        while (done < length && fill()) {
            int count = Math.min(length - done, end - at);
            System.arraycopy(generator.bytes(), at, target, from + done, count);
            at += count;
            done += count;
        }
        return done == 0 && length > 0 ? -1 : done;
    }

    /** Makes the next line when the last one is used up. Returns false at the end. */
    private boolean fill() {
        if (at < end) {
            return true;
        }
        if (next == n) {
            return false;
        }
        generator.fill(next++);
        end = generator.length();
        generator.bytes()[end++] = '\n';
        at = 0;
        return true;
    }
}
