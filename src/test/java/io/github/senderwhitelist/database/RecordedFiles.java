package io.github.senderwhitelist.database;

import org.h2.store.fs.FileBaseDefault;
import org.h2.store.fs.FilePath;
import org.h2.store.fs.async.FilePathAsync;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Stands in for the files of H2 and remembers of one of them what was written and what was forced,
 * so that it can tell what a power cut may leave.
 */
public final class RecordedFiles extends FilePathAsync {
    /** The number of bytes that a disk writes at once. */
    private static final int PAGE = 4096;

    private static volatile @Nullable Recording recording;

    /** Begins to record a file that is empty or missing. */
    static Recording record(Path database, Watcher watcher) {
        return record(database, new byte[0], watcher);
    }

    /** Begins to record a file that has these bytes. */
    static Recording record(Path database, byte[] bytes, Watcher watcher) {
        Recording made = new Recording(database + ".mv.db", bytes, watcher);
        recording = made;
        FilePath.register(new RecordedFiles());
        return made;
    }

    static void stop() {
        FilePath.register(new FilePathAsync());
        recording = null;
    }

    /** Is told after each page that was written, and after each change of the length. */
    @FunctionalInterface
    interface Watcher {
        void afterChange() throws IOException;
    }

    @Override
    public FileChannel open(String mode) throws IOException {
        FileChannel base = super.open(mode);
        Recording now = recording;
        return now != null && name.endsWith(now.file) ? new Recorded(base, now) : base;
    }

    @Override
    public void moveTo(FilePath to, boolean replaces) {
        super.moveTo(to, replaces);
        Recording now = recording;
        if (now != null && to.toString().endsWith(now.file)) {
            try {
                now.replace(Files.readAllBytes(Path.of(now.file)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Bytes that were written, or a new length if there are none. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Change(long position, byte @Nullable [] bytes) {}

    /** What was done to the file. */
    static final class Recording {
        private final String file;
        private final Watcher watcher;
        private byte[] forced;
        private final List<Change> since = new ArrayList<>();
        private int writes;
        private volatile boolean failing;

        private Recording(String file, byte[] bytes, Watcher watcher) {
            this.file = file;
            this.forced = bytes;
            this.watcher = watcher;
        }

        private void replace(byte[] bytes) {
            forced = bytes;
            since.clear();
            writes = 0;
        }

        /** Sets whether the disk fails to keep what is written from now on. */
        void setFailing(boolean fails) {
            failing = fails;
        }

        /** Returns how often was written since the disk was last told to keep it. */
        int unforcedWrites() {
            return writes;
        }

        private void add(Change change) throws IOException {
            writes++;
            if (change.bytes == null) {
                since.add(change);
                watcher.afterChange();
                return;
            }
            for (int from = 0; from < change.bytes.length; from += PAGE) {
                int to = Math.min(change.bytes.length, from + PAGE);
                since.add(
                        new Change(
                                change.position + from,
                                Arrays.copyOfRange(change.bytes, from, to)));
                watcher.afterChange();
            }
        }

        private void force() throws IOException {
            if (failing) {
                throw new IOException("Input/output error");
            }
            writes = 0;
            for (Change change : since) {
                forced = with(forced, change);
            }
            since.clear();
        }

        private static byte[] with(byte[] file, Change change) {
            if (change.bytes == null) {
                return Arrays.copyOf(file, Math.toIntExact(change.position));
            }
            int position = Math.toIntExact(change.position);
            int end = position + change.bytes.length;
            byte[] after = end > file.length ? Arrays.copyOf(file, end) : file;
            System.arraycopy(change.bytes, 0, after, position, change.bytes.length);
            return after;
        }

        /** Returns what is left when the process is killed: all that was written. */
        byte[] afterKill() {
            byte[] left = forced.clone();
            for (Change change : since) {
                left = with(left, change);
            }
            return left;
        }

        /** Returns what may be left: what was forced, and any of what was written since. */
        byte[] afterPowerCut(SplittableRandom random) {
            double kept = random.nextInt(4) / 4.0;
            boolean allButOne = random.nextBoolean();
            int lost = since.isEmpty() ? -1 : random.nextInt(since.size());
            byte[] left = forced.clone();
            for (int i = 0; i < since.size(); i++) {
                if (allButOne ? i != lost : random.nextDouble() < kept) {
                    left = with(left, since.get(i));
                }
            }
            return left;
        }
    }

    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the file below is for many threads
    private static final class Recorded extends FileBaseDefault {
        private final FileChannel base;
        private final Recording recording;

        Recorded(FileChannel base, Recording recording) {
            this.base = base;
            this.recording = recording;
        }

        @Override
        public long size() throws IOException {
            return base.size();
        }

        @Override
        public int read(ByteBuffer to, long position) throws IOException {
            return base.read(to, position);
        }

        @Override
        public int write(ByteBuffer from, long position) throws IOException {
            ByteBuffer copy = from.duplicate();
            int written = base.write(from, position);
            byte[] bytes = new byte[written];
            copy.get(bytes);
            recording.add(new Change(position, bytes));
            return written;
        }

        @Override
        protected void implTruncate(long size) throws IOException {
            if (size < base.size()) {
                recording.add(new Change(size, null));
                base.truncate(size);
            }
        }

        @Override
        public void force(boolean metaData) throws IOException {
            recording.force();
            base.force(metaData);
        }

        @Override
        public FileLock tryLock(long position, long size, boolean shared) throws IOException {
            return base.tryLock(position, size, shared);
        }

        @Override
        protected void implCloseChannel() throws IOException {
            base.close();
        }
    }
}
