package io.github.senderwhitelist.bench;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.filter.Filter;
import io.github.senderwhitelist.filter.FilterFiller;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.tools.Mix;

import org.apache.datasketches.filters.bloomfilter.BloomFilterBuilder;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Function;

/**
 * A filter with timed loops of its own. So the compiler sees one kind of filter in each loop, and
 * no filter is slower because of the others.
 */
interface TimedFilter {
    String name();

    long bytes();

    /**
     * Asks {@code steps} questions, each of which depends on the answer before it (see {@link
     * #next}). Returns a number that depends on all answers.
     */
    long chain(long n, int from, int steps);

    /** Hashes all addresses and asks for them; returns how many the filter may hold. */
    int count(Addresses addresses);

    /**
     * Returns the question that follows {@code hash}: a member of n or a stranger, equally likely.
     */
    static long next(long hash, long answer, int step, long n) {
        long state = (hash + answer + step * 0x9e3779b97f4a7c15L) * 0xd1342543de82ef95L;
        return Mix.of(Math.unsignedMultiplyHigh(state, 2 * n));
    }

    /** Reads one random word of memory, for contrast with filters. */
    final class BareRead implements TimedFilter {
        private final long[] words;

        BareRead(long n, long bits) {
            words = new long[(int) (n * bits / Long.SIZE)];
            java.util.Arrays.setAll(words, i -> Mix.of(i));
        }

        @Override
        public String name() {
            return "bare read";
        }

        @Override
        public long bytes() {
            return words.length * 8L;
        }

        private long word(long hash) {
            return words[(int) Math.unsignedMultiplyHigh(hash, words.length)];
        }

        @Override
        public long chain(long n, int from, int steps) {
            long hash = 0;
            for (int i = from; i < from + steps; i++) {
                hash = next(hash, word(hash) & 1, i, n);
            }
            return hash;
        }

        @Override
        public int count(Addresses addresses) {
            int count = 0;
            for (int i = 0; i < addresses.count(); i++) {
                count += (int) (word(addresses.hash(i)) & 1);
            }
            return count;
        }
    }

    /** A candidate of a copy of this class: compiled for it alone. */
    private static TimedFilter copyOf(Class<?> template, Object... arguments) {
        String file = template.getName().replace('.', '/') + ".class";
        try (InputStream in = TimedFilter.class.getClassLoader().getResourceAsStream(file)) {
            return (TimedFilter)
                    MethodHandles.lookup()
                            .defineHiddenClass(Objects.requireNonNull(in).readAllBytes(), true)
                            .lookupClass()
                            .getDeclaredConstructors()[0]
                            .newInstance(arguments);
        } catch (IOException | ReflectiveOperationException e) {
            throw new IllegalStateException(file, e);
        }
    }

    private static long[] hashes(long n) {
        long[] hashes = new long[(int) n];
        for (int i = 0; i < n; i++) {
            hashes[i] = Mix.of(i);
        }
        return hashes;
    }

    /** Ours, of any kind. */
    final class Ours implements TimedFilter {
        private final String name;
        private final Filter filter;
        private final long bytes;

        Ours(String name, Filter filter, long bytes) {
            this.name = name;
            this.filter = filter;
            this.bytes = bytes;
        }

        static TimedFilter of(String name, FilterKind kind, FilterSize size, long n) {
            FilterShape shape = size.shape(kind, n);
            Path folder = Path.of(System.getProperty("java.io.tmpdir"));
            try (FilterFiller filler =
                    new FilterFiller(shape, 1L << 28, new Scratch(Disk.LOCAL, folder))) {
                for (long i = 0; i < n; i++) {
                    filler.add(Mix.of(i));
                }
                Filter filter = filler.finish(done -> {});
                return copyOf(Ours.class, name, filter, filter.shape().bytes());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public long bytes() {
            return bytes;
        }

        @Override
        public long chain(long n, int from, int steps) {
            long hash = 0;
            for (int i = from; i < from + steps; i++) {
                hash = next(hash, filter.mightContain(hash) ? 1 : 0, i, n);
            }
            return hash;
        }

        @Override
        public int count(Addresses addresses) {
            int count = 0;
            for (int i = 0; i < addresses.count(); i++) {
                count += filter.mightContain(addresses.hash(i)) ? 1 : 0;
            }
            return count;
        }
    }

    /** FastFilter's, of any kind, fed with our hash. */
    final class Fast implements TimedFilter {
        private final String name;
        private final org.fastfilter.Filter filter;
        private final long bytes;

        Fast(String name, org.fastfilter.Filter filter, long bytes) {
            this.name = name;
            this.filter = filter;
            this.bytes = bytes;
        }

        static TimedFilter of(String name, Function<long[], org.fastfilter.Filter> maker, long n) {
            org.fastfilter.Filter filter = maker.apply(hashes(n));
            return copyOf(Fast.class, name, filter, filter.getBitCount() / 8);
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public long bytes() {
            return bytes;
        }

        @Override
        public long chain(long n, int from, int steps) {
            long hash = 0;
            for (int i = from; i < from + steps; i++) {
                hash = next(hash, filter.mayContain(hash) ? 1 : 0, i, n);
            }
            return hash;
        }

        @Override
        public int count(Addresses addresses) {
            int count = 0;
            for (int i = 0; i < addresses.count(); i++) {
                count += filter.mayContain(addresses.hash(i)) ? 1 : 0;
            }
            return count;
        }
    }

    /** Guava's, over the bytes of addresses. */
    final class Guava implements TimedFilter {
        private static final VarHandle LONGS =
                MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

        /** A part of an array, so that nobody pays for a copy. */
        private static final class View {
            byte[] bytes = {};
            int from;
            int length;
        }

        private static final class ViewFunnel implements Funnel<View> {
            private static final long serialVersionUID = 1L;

            @Override
            public void funnel(View view, com.google.common.hash.PrimitiveSink into) {
                into.putBytes(view.bytes, view.from, view.length);
            }
        }

        private final BloomFilter<View> filter;
        private final long bytes;

        Guava(long n, long bits) {
            double rate = Math.exp(-bits * Math.log(2) * Math.log(2));
            filter = BloomFilter.create(new ViewFunnel(), n, rate);
            bytes = n * bits / 8;
            View view = new View();
            view.bytes = new byte[Long.BYTES];
            view.length = Long.BYTES;
            for (long i = 0; i < n; i++) {
                LONGS.set(view.bytes, 0, Mix.of(i));
                filter.put(view);
            }
        }

        @Override
        public String name() {
            return "Guava";
        }

        @Override
        public long bytes() {
            return bytes;
        }

        @Override
        public long chain(long n, int from, int steps) {
            View view = new View();
            view.bytes = new byte[Long.BYTES];
            view.length = Long.BYTES;
            long hash = 0;
            for (int i = from; i < from + steps; i++) {
                LONGS.set(view.bytes, 0, hash);
                hash = next(hash, filter.mightContain(view) ? 1 : 0, i, n);
            }
            return hash;
        }

        @Override
        public int count(Addresses addresses) {
            View view = new View();
            view.bytes = addresses.bytes;
            int count = 0;
            for (int i = 0; i < addresses.count(); i++) {
                view.from = addresses.offsets[i];
                view.length = addresses.length(i);
                count += filter.mightContain(view) ? 1 : 0;
            }
            return count;
        }
    }

    /** Apache DataSketches', over the bytes of addresses. */
    final class DataSketches implements TimedFilter {
        private final org.apache.datasketches.filters.bloomfilter.BloomFilter filter;

        /** It hashes whole arrays: one of each length to copy an address into. */
        private final byte[][] copies = new byte[128][];

        DataSketches(long n, long bits) {
            int k = BloomFilterBuilder.suggestNumHashes(n, n * bits);
            filter = BloomFilterBuilder.createBySize(n * bits, k, 42);
            java.util.Arrays.setAll(copies, byte[]::new);
            for (long i = 0; i < n; i++) {
                filter.update(Mix.of(i));
            }
        }

        private byte[] copy(byte[] bytes, int from, int length) {
            byte[] copy = copies[length];
            System.arraycopy(bytes, from, copy, 0, length);
            return copy;
        }

        @Override
        public String name() {
            return "DataSketches";
        }

        @Override
        public long bytes() {
            return filter.getCapacity() / 8;
        }

        @Override
        public long chain(long n, int from, int steps) {
            long hash = 0;
            for (int i = from; i < from + steps; i++) {
                hash = next(hash, filter.query(hash) ? 1 : 0, i, n);
            }
            return hash;
        }

        @Override
        public int count(Addresses addresses) {
            int count = 0;
            for (int i = 0; i < addresses.count(); i++) {
                byte[] copy = copy(addresses.bytes, addresses.offsets[i], addresses.length(i));
                count += filter.query(copy) ? 1 : 0;
            }
            return count;
        }
    }
}
