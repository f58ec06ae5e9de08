package io.github.senderwhitelist.bench;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * A set that is compared. What it cannot do, it throws {@link UnsupportedOperationException} at.
 */
interface Candidate {
    /**
     * Addresses to look up, to add or to remove. Each batch has Strings whose hash is not stored.
     */
    record Batch(Addresses addresses, List<String> texts) {
        static Batch of(Addresses addresses) {
            return new Batch(
                    addresses,
                    IntStream.range(0, addresses.count()).mapToObj(addresses::text).toList());
        }

        int count() {
            return texts.size();
        }
    }

    /** Returns the memory of the set in bits. */
    long bits();

    /** Returns the false-positive rate that the formula gives for what the set holds. */
    double predictedRate();

    /** Looks all addresses up; returns how many are answered with "listed" or "maybe". */
    int count(Batch batch);

    /** Adds addresses. */
    void add(Batch batch);

    /** Removes addresses, all of which were added. */
    void remove(Batch batch);

    /** A filter; each address is hashed when it is looked up, as in a check of a mail. */
    record Hashed(org.fastfilter.Filter filter, DoubleSupplier rate) implements Candidate {
        @Override
        public long bits() {
            return filter.getBitCount();
        }

        @Override
        public double predictedRate() {
            return rate.getAsDouble();
        }

        @Override
        public int count(Batch batch) {
            Addresses addresses = batch.addresses();
            int count = 0;
            for (int i = 0; i < batch.count(); i++) {
                count += filter.mayContain(addresses.hash(i)) ? 1 : 0;
            }
            return count;
        }

        @Override
        public void add(Batch batch) {
            if (!filter.supportsAdd()) {
                throw new UnsupportedOperationException("it is built of all addresses at once");
            }
            for (int i = 0; i < batch.count(); i++) {
                filter.add(batch.addresses().hash(i));
            }
        }

        @Override
        public void remove(Batch batch) {
            if (!filter.supportsRemove()) {
                throw new UnsupportedOperationException("it forgets nothing");
            }
            for (int i = 0; i < batch.count(); i++) {
                filter.remove(batch.addresses().hash(i));
            }
        }
    }

    /** A {@code HashSet<String>}, for contrast with filters. */
    record HashTable(Set<String> set, long bits) implements Candidate {
        static HashTable of(Addresses addresses) {
            Supplier<Set<String>> maker = () -> new HashSet<>(Batch.of(addresses).texts());
            return new HashTable(maker.get(), Heap.bits(addresses.count(), maker));
        }

        @Override
        public double predictedRate() {
            return 0;
        }

        @Override
        public int count(Batch batch) {
            int count = 0;
            for (String text : batch.texts()) {
                count += set.contains(text) ? 1 : 0;
            }
            return count;
        }

        @Override
        public void add(Batch batch) {
            set.addAll(batch.texts());
        }

        @Override
        public void remove(Batch batch) {
            batch.texts().forEach(set::remove);
        }
    }

    /** A sorted array of Strings, searched by bisection, for contrast with filters. */
    final class SortedArray implements Candidate {
        private final String[] sorted;
        private final long bits;

        SortedArray(Addresses addresses) {
            sorted = Batch.of(addresses).texts().toArray(String[]::new);
            Arrays.sort(sorted);
            bits =
                    Heap.bits(
                            sorted.length,
                            () -> Batch.of(addresses).texts().toArray(String[]::new));
        }

        @Override
        public long bits() {
            return bits;
        }

        @Override
        public double predictedRate() {
            return 0;
        }

        @Override
        public int count(Batch batch) {
            int count = 0;
            for (String text : batch.texts()) {
                count += Arrays.binarySearch(sorted, text) >= 0 ? 1 : 0;
            }
            return count;
        }

        @Override
        public void add(Batch batch) {
            throw new UnsupportedOperationException("each addition would move half of the array");
        }

        @Override
        public void remove(Batch batch) {
            throw new UnsupportedOperationException("each removal would move half of the array");
        }
    }
}
