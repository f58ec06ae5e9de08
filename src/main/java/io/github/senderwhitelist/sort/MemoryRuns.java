package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.sort.RunCode.Decoder;
import io.github.senderwhitelist.sort.RunCode.Encoder;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Sorted runs of entries in one array. For one thread. */
final class MemoryRuns {
    private final byte[] bytes;
    private final List<Integer> ends = new ArrayList<>();
    private int end;

    MemoryRuns(int size) {
        this.bytes = new byte[size];
    }

    /**
     * Whether a run of that many entries with keys and rules of that many bytes together has room.
     */
    boolean hasRoom(int entries, int size) {
        return bytes.length - end - RunCode.MAX_ENTRY >= (long) size + 8L * entries;
    }

    /** Appends a run, for which there is room. */
    void write(SortedEntries entries) throws IOException {
        Encoder encoder = new Encoder();
        while (entries.next()) {
            end = encoder.put(entries, bytes, end);
        }
        ends.add(end);
    }

    boolean isEmpty() {
        return ends.isEmpty();
    }

    void clear() {
        ends.clear();
        end = 0;
    }

    /** The runs. */
    List<SortedEntries> rows() {
        List<SortedEntries> rows = new ArrayList<>();
        int start = 0;
        for (int stop : ends) {
            rows.add(new Decoder(bytes, start, stop));
            start = stop;
        }
        return rows;
    }
}
