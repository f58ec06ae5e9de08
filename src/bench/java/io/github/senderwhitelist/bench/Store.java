package io.github.senderwhitelist.bench;

import com.spotify.sparkey.CompressionType;
import com.spotify.sparkey.Sparkey;
import com.spotify.sparkey.SparkeyReader;
import com.spotify.sparkey.SparkeyWriter;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.store.BlockStore;

import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.PutFlags;
import org.lmdbjava.Txn;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Locale;
import java.util.Objects;
import java.util.SplittableRandom;

/** An exact set on disk, opened for questions, with the timed loop of its own. */
interface Store {
    /** The most bytes that a store may cache, so that all stores fit into memory together. */
    long MOST_CACHE = 2L << 30;

    /** Asks for all addresses, and returns how many the store contains, or has read. */
    int count(Queries queries) throws Exception;

    /** Returns the memory that the store says it takes, in bytes; -1 when it does not say. */
    long memory() throws Exception;

    /**
     * Returns the bytes that the store takes on disk in addition to the files in its folder. The
     * number may be negative.
     */
    default long extraBytes() throws Exception {
        return 0;
    }

    /** Returns the remark on the store's size beside its bytes on disk. */
    default String parts() throws Exception {
        return "";
    }

    /** Closes the files. */
    void close() throws Exception;

    /** The questions, in advance in all forms that stores take. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Queries(Key[] keys, byte[][] bytes, ByteBuffer[] direct) {}

    /** Makes a store of sorted addresses in an empty folder and opens it. */
    @FunctionalInterface
    interface Maker {
        Store make(SortedAddresses sorted, Path folder) throws Exception;
    }

    /**
     * Our store, built from the generated list with the smallest possible filter. The filter is not
     * counted.
     */
    final class Ours implements Store {
        /** Where the header of a snapshot has the length of its blocks. */
        private static final int BLOCKS_LENGTH_AT = 168;

        private final Path file;
        private final Snapshot snapshot;
        private final BlockStore store;
        private final boolean filtered;

        /**
         * Builds and opens the store.
         *
         * @param filtered whether the snapshot's own filter is asked first, as a check does; the
         *     filter then counts as memory and disk
         * @param exactMemory the store is held in memory if it takes no more bytes
         */
        Ours(SortedAddresses sorted, Path folder, boolean filtered, long exactMemory)
                throws Exception {
            this.filtered = filtered;
            file = folder.resolve("ours.swl");
            GeneratedList.build(sorted.count(), filtered ? 8 : 1, file);
            snapshot = Snapshot.open(Disk.LOCAL.open(file), file, exactMemory);
            store = Objects.requireNonNull(snapshot.store());
        }

        @Override
        public int count(Queries queries) throws Exception {
            int count = 0;
            if (!filtered) {
                for (Key key : queries.keys) {
                    count += store.find(key, null) != null ? 1 : 0;
                }
                return count;
            }
            for (Key key : queries.keys) {
                boolean maybe = snapshot.addressFilter().mightContain(snapshot.hasher().hash(key));
                count += maybe && store.find(key, null) != null ? 1 : 0;
            }
            return count;
        }

        @Override
        public long memory() throws IOException {
            return snapshot.header().storeBytes()
                    - blocks()
                    + (filtered ? snapshot.addressFilter().shape().bytes() : 0);
        }

        private long blocks() throws IOException {
            try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
                in.seek(BLOCKS_LENGTH_AT);
                return Long.reverseBytes(in.readLong());
            }
        }

        @Override
        public long extraBytes() {
            return filtered
                    ? 0
                    : -section(snapshot.addressFilter().shape())
                            - section(snapshot.domainFilter().shape());
        }

        @Override
        public String parts() throws Exception {
            long blocks = blocks();
            double n = snapshot.header().addresses();
            return String.format(
                    Locale.ROOT,
                    "%.3f bytes per address in blocks, %.3f in index, dictionary and tables",
                    blocks / n,
                    (snapshot.header().storeBytes() - blocks) / n);
        }

        /**
         * Returns the bytes of a filter in a snapshot: its bits, and a checksum for each MiB of
         * them.
         */
        private static long section(FilterShape shape) {
            return shape.bytes() + 4 * Math.ceilDiv(shape.bytes(), 1L << 20);
        }

        @Override
        public void close() throws Exception {
            snapshot.close();
        }
    }

    /**
     * No store, but for each question one read of a block of our store at random, of which nothing
     * is made: what a store that reads its file by position cannot do without.
     */
    final class BareRead implements Store {
        private static final int BLOCK = BlockStore.BLOCK;

        private final FileChannel file;
        private final long blocks;
        private final ByteBuffer block = ByteBuffer.wrap(new byte[BLOCK]);

        BareRead(Path snapshot) throws Exception {
            file = FileChannel.open(snapshot);
            blocks = file.size() / BLOCK;
        }

        @Override
        public int count(Queries queries) throws Exception {
            SplittableRandom random = new SplittableRandom(queries.keys.length);
            int count = 0;
            for (int i = 0; i < queries.keys.length; i++) {
                block.clear();
                count += file.read(block, random.nextLong(blocks) * BLOCK) == BLOCK ? 1 : 0;
            }
            return count;
        }

        @Override
        public long memory() {
            return 0;
        }

        @Override
        public void close() throws Exception {
            file.close();
        }
    }

    /** Sparkey by Spotify: mapped, one reader for each thread, not compressed. */
    final class OfSparkey implements Store {
        private final SparkeyReader reader;

        OfSparkey(SortedAddresses sorted, Path folder) throws Exception {
            java.io.File file = folder.resolve("list.spi").toFile();
            try (SparkeyWriter writer = Sparkey.createNew(file, CompressionType.NONE, 0)) {
                for (byte[] address : sorted) {
                    writer.put(address, new byte[0]);
                }
                writer.flush();
                writer.writeHash();
            }
            reader = Sparkey.openThreadLocalReader(file);
        }

        @Override
        public int count(Queries queries) throws Exception {
            int count = 0;
            for (byte[] address : queries.bytes) {
                count += reader.getAsEntry(address) != null ? 1 : 0;
            }
            return count;
        }

        @Override
        public long memory() {
            return -1;
        }

        @Override
        public void close() {
            reader.close();
        }
    }

    /** RocksDB: zstd with a dictionary, blocks of 16 KB, a cache that most blocks fit in. */
    final class OfRocksDb implements Store {
        private final RocksDB db;

        OfRocksDb(SortedAddresses sorted, Path folder, boolean bloom) throws Exception {
            RocksDB.loadLibrary();
            BlockBasedTableConfig table = new BlockBasedTableConfig();
            table.setBlockSize(16 << 10);
            table.setBlockCache(
                    new LRUCache(Math.clamp(sorted.count() * 64L, 64L << 20, MOST_CACHE)));
            if (bloom) {
                table.setFilterPolicy(new BloomFilter(10));
            }
            CompressionOptions dictionary = new CompressionOptions();
            dictionary.setMaxDictBytes(16 << 10);
            dictionary.setZStdMaxTrainBytes(1600 << 10);
            Options options = new Options().setCreateIfMissing(true);
            options.setCompressionType(org.rocksdb.CompressionType.ZSTD_COMPRESSION);
            options.setCompressionOptions(dictionary);
            options.setBottommostCompressionType(org.rocksdb.CompressionType.ZSTD_COMPRESSION);
            options.setBottommostCompressionOptions(dictionary.setEnabled(true));
            options.setTableFormatConfig(table);
            db = RocksDB.open(options, folder.toString());
            byte[] nothing = {};
            for (byte[] address : sorted) {
                db.put(address, nothing);
            }
            db.compactRange();
        }

        @Override
        public int count(Queries queries) throws Exception {
            byte[] value = new byte[8];
            int count = 0;
            for (byte[] address : queries.bytes) {
                count += db.get(address, value) != RocksDB.NOT_FOUND ? 1 : 0;
            }
            return count;
        }

        @Override
        public long memory() throws Exception {
            return db.getLongProperty("rocksdb.block-cache-usage")
                    + db.getLongProperty("rocksdb.estimate-table-readers-mem");
        }

        @Override
        public void close() {
            db.close();
        }
    }

    /** LMDB, with one read transaction that stays open. */
    final class OfLmdb implements Store {
        private final Env<ByteBuffer> env;
        private final Dbi<ByteBuffer> db;
        private final Txn<ByteBuffer> reading;

        OfLmdb(SortedAddresses sorted, Path folder) throws Exception {
            env =
                    Env.create()
                            .setMapSize(Math.max(1L << 28, sorted.count() * 128L))
                            .setMaxDbs(1)
                            .open(folder.toFile());
            db = env.openDbi("list", DbiFlags.MDB_CREATE);
            ByteBuffer key = ByteBuffer.allocateDirect(256);
            ByteBuffer nothing = ByteBuffer.allocateDirect(0);
            try (Txn<ByteBuffer> txn = env.txnWrite()) {
                for (byte[] address : sorted) {
                    key.clear();
                    key.put(address).flip();
                    db.put(txn, key, nothing, PutFlags.MDB_APPEND);
                }
                txn.commit();
            }
            reading = env.txnRead();
        }

        @Override
        public int count(Queries queries) {
            int count = 0;
            for (ByteBuffer address : queries.direct) {
                count += db.get(reading, address) != null ? 1 : 0;
            }
            return count;
        }

        @Override
        public long memory() {
            return -1;
        }

        @Override
        public void close() {
            reading.close();
            env.close();
        }
    }

    /** H2's MVStore, filled in order, with a cache that most pages fit in. */
    final class OfMvStore implements Store {
        private final MVStore store;
        private final MVMap<byte[], byte[]> map;

        OfMvStore(SortedAddresses sorted, Path folder) {
            String file = folder.resolve("list.mv").toString();
            int megabytes = (int) (Math.clamp(sorted.count() * 130L, 64L << 20, MOST_CACHE) >> 20);
            MVStore writing = new MVStore.Builder().fileName(file).open();
            MVMap<byte[], byte[]> filling = writing.openMap("list", types());
            for (byte[] address : sorted) {
                filling.append(address, new byte[0]);
            }
            writing.commit();
            writing.close();
            store = new MVStore.Builder().fileName(file).readOnly().cacheSize(megabytes).open();
            map = store.openMap("list", types());
        }

        private static MVMap.Builder<byte[], byte[]> types() {
            return new MVMap.Builder<byte[], byte[]>()
                    .keyType(ByteArrayDataType.INSTANCE)
                    .valueType(ByteArrayDataType.INSTANCE);
        }

        @Override
        public int count(Queries queries) {
            int count = 0;
            for (byte[] address : queries.bytes) {
                count += map.containsKey(address) ? 1 : 0;
            }
            return count;
        }

        @Override
        public long memory() {
            return (long) store.getCacheSizeUsed() << 20;
        }

        @Override
        public void close() {
            store.close();
        }
    }

    /** SQLite: a table without row ids, mapped, one prepared statement. */
    final class OfSqlite implements Store {
        private final Connection connection;
        private final PreparedStatement select;

        OfSqlite(SortedAddresses sorted, Path folder) throws Exception {
            connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("list.db"));
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA journal_mode = OFF");
                statement.execute("PRAGMA synchronous = OFF");
                statement.execute("PRAGMA mmap_size = 4000000000");
                statement.execute("CREATE TABLE list (k BLOB PRIMARY KEY) WITHOUT ROWID");
            }
            connection.setAutoCommit(false);
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO list VALUES (?)")) {
                for (byte[] address : sorted) {
                    insert.setBytes(1, address);
                    insert.executeUpdate();
                }
            }
            connection.commit();
            select = connection.prepareStatement("SELECT 1 FROM list WHERE k = ?");
        }

        @Override
        public int count(Queries queries) throws Exception {
            int count = 0;
            for (byte[] address : queries.bytes) {
                select.setBytes(1, address);
                try (ResultSet rows = select.executeQuery()) {
                    count += rows.next() ? 1 : 0;
                }
            }
            return count;
        }

        @Override
        public long memory() {
            return -1;
        }

        @Override
        public void close() throws Exception {
            select.close();
            connection.close();
        }
    }

    /** A sorted text of lines, mapped. */
    final class SortedText implements Store {
        private static final int PIECE_BITS = 30;

        private final MappedByteBuffer[] pieces;
        private final long length;

        SortedText(SortedAddresses sorted, Path folder) throws Exception {
            Path file = Files.createLink(folder.resolve("list.txt"), sorted.file());
            try (FileChannel in = FileChannel.open(file)) {
                length = in.size();
                pieces = new MappedByteBuffer[(int) Math.ceilDiv(length, 1L << PIECE_BITS)];
                for (int i = 0; i < pieces.length; i++) {
                    long start = (long) i << PIECE_BITS;
                    long size = Math.min(length - start, 1L << PIECE_BITS);
                    pieces[i] = in.map(FileChannel.MapMode.READ_ONLY, start, size);
                }
            }
        }

        @Override
        public int count(Queries queries) {
            int count = 0;
            for (byte[] address : queries.bytes) {
                count += contains(address) ? 1 : 0;
            }
            return count;
        }

        private byte get(long at) {
            return pieces[(int) (at >>> PIECE_BITS)].get((int) at & ((1 << PIECE_BITS) - 1));
        }

        private boolean contains(byte[] address) {
            long low = 0;
            long high = length;
            while (low < high) {
                long line = (low + high) >>> 1;
                while (line > low && get(line - 1) != '\n') {
                    line--;
                }
                int order = compare(line, address);
                if (order == 0) {
                    return true;
                }
                if (order > 0) {
                    high = line;
                } else {
                    low = line;
                    while (get(low++) != '\n') {
                        // Moves on to the end of the line.
                    }
                }
            }
            return false;
        }

        /** Compares the line that begins at {@code line} with an address. */
        private int compare(long line, byte[] address) {
            for (int i = 0; i < address.length; i++) {
                int order = get(line + i) - address[i];
                if (order != 0) {
                    return order;
                }
            }
            return get(line + address.length) - '\n';
        }

        @Override
        public long memory() {
            return 0;
        }

        @Override
        public void close() {}
    }
}
