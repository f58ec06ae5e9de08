package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.snapshot.BuildProgress.Phase;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Counts the bytes of all lists as they are read, and reports them. */
public final class ReadMeter {
    private static final long REPORT_EVERY = 1 << 22;

    private final BuildProgress progress;
    private final long total;
    private long done;
    private long reported;

    /**
     * Creates a meter.
     *
     * @param total the bytes of all lists, or -1 if they are not known
     */
    public ReadMeter(BuildProgress progress, long total) {
        this.progress = progress;
        this.total = total;
    }

    /** Returns a stream whose bytes are counted as they are read from {@code in}. */
    public InputStream measuring(InputStream in) {
        return new FilterInputStream(in) {
            @Override
            public int read(byte[] bytes, int from, int length) throws IOException {
                int count = super.read(bytes, from, length);
                count(Math.max(0, count));
                return count;
            }
        };
    }

    private void count(int bytes) {
        done += bytes;
        if (done - reported >= REPORT_EVERY) {
            reported = done;
            progress.report(Phase.READING, done, total);
        }
    }

    /** Reports the bytes of all lists. */
    void finish() {
        progress.report(Phase.READING, done, total);
    }
}
