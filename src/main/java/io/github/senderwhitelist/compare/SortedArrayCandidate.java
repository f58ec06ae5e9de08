package io.github.senderwhitelist.compare;

import java.util.Arrays;

/** A sorted array of strings searched by bisection, for contrast with filters. */
final class SortedArrayCandidate implements Candidate {
    static final String NAME = "sorted array";

    /** Only few are added, because each addition moves half of the array. */
    private static final int MOST_ADDED = 64;

    private final long bytes;
    private String[] sorted;
    private int size;

    SortedArrayCandidate(String[] sorted, long bytes) {
        this.sorted = sorted;
        this.size = sorted.length;
        this.bytes = bytes;
    }

    static String[] build(String[] texts, int n) {
        String[] sorted = Arrays.copyOf(texts, n);
        Arrays.sort(sorted);
        return sorted;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    private int find(String text) {
        return Arrays.binarySearch(sorted, 0, size, text);
    }

    @Override
    public int count(AddressBatch batch) {
        int count = 0;
        for (String text : batch.texts()) {
            if (find(text) >= 0) {
                count++;
            }
        }
        return count;
    }

    @Override
    public int batchSize(int wanted) {
        return Math.min(wanted, MOST_ADDED);
    }

    @Override
    public boolean removes() {
        return true;
    }

    @Override
    public void add(AddressBatch batch, int count) {
        for (int i = 0; i < count; i++) {
            String text = batch.texts()[i];
            int place = find(text);
            if (place >= 0) {
                continue;
            }
            if (size == sorted.length) {
                sorted = Arrays.copyOf(sorted, size + MOST_ADDED);
            }
            System.arraycopy(sorted, -place - 1, sorted, -place, size + place + 1);
            sorted[-place - 1] = text;
            size++;
        }
    }

    @Override
    public void remove(AddressBatch batch, int count) {
        for (int i = 0; i < count; i++) {
            int place = find(batch.texts()[i]);
            if (place >= 0) {
                System.arraycopy(sorted, place + 1, sorted, place, size - place - 1);
                size--;
            }
        }
    }
}
