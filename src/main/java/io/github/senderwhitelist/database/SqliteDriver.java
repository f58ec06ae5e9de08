package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;
import org.sqlite.JDBC;
import org.sqlite.NativeLibraryNotFoundException;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;

import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The loader of SQLite's driver, which unpacks a library of the system's kind into a folder, once a
 * process: beside the database, since programs may often not be run from the system's folder for
 * temporary files.
 */
final class SqliteDriver {
    /** The driver's own system property for the folder that it unpacks its library into. */
    static final String FOLDER = "org.sqlite.tmpdir";

    /** Before, two processes could damage a file when they reset its log at the same time. */
    private static final Version MIN = Version.parse("3.51.3");

    /** The bits of a folder's mode by which its group and others may change it. */
    private static final int WRITABLE_BY_OTHERS = 022;

    /** The bit by which they may change only what is theirs. */
    private static final int STICKY = 01000;

    /** Where the driver logs to in a process that has no SLF4J. */
    private static final Logger LOG = Logger.getLogger(SQLiteJDBCLoader.class.getName());

    private static boolean loaded;

    private SqliteDriver() {}

    /**
     * Loads the library, if this process has not.
     *
     * @param beside the folder in which a folder for it is made
     * @throws IOException if there is none for this system, it cannot be loaded, or it is too old
     */
    static synchronized void load(Path beside) throws IOException {
        if (loaded) {
            return;
        }
        loadInto(beside);
        try (Connection none = JDBC.createConnection("jdbc:sqlite::memory:", new Properties())) {
            String sql = "select sqlite_version()"; // Only the library knows for certain.
            String version = new Session(none).query(sql, row -> row.getString(1)).getFirst();
            if (Version.parse(version).compareTo(MIN) < 0) {
                throw new IOException(
                        "the driver sqlite-jdbc in "
                                + place()
                                + " has SQLite "
                                + version
                                + " and is found before the one of this plugin; needed: "
                                + MIN
                                + " or newer. Remove or replace that file");
            }
        } catch (SQLException e) {
            throw new IOException("SQLite does not run: " + Database.reason(e), e);
        }
        loaded = true;
    }

    /** Returns the file that the driver is in: another extension may bring it, too. */
    private static String place() {
        return SQLiteJDBCLoader.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString();
    }

    /** Loads the library from a folder of this process, or from that which somebody has set. */
    private static void loadInto(Path beside) throws IOException {
        String given = System.getProperty(FOLDER);
        Path folder = given == null ? null : Path.of(given);
        Level level = LOG.getLevel();
        try {
            // It logs each place in which it looks, with stack traces on the terminal of a command.
            LOG.setLevel(Level.OFF);
            if (folder == null) {
                folder = makeFolder(beside);
                folder.toFile().deleteOnExit();
                System.setProperty(FOLDER, folder.toString());
            }
            SQLiteJDBCLoader.initialize();
        } catch (Exception | LinkageError e) {
            throw new IOException(failure(folder == null ? beside : folder, e), e);
        } finally {
            LOG.setLevel(level);
            if (given == null) {
                System.clearProperty(FOLDER);
                remove(folder);
            }
        }
    }

    /**
     * Makes a folder for this user alone. Root makes it elsewhere if another user could put another
     * one in its place, whose code would then run as root.
     */
    static Path makeFolder(Path beside) throws IOException {
        Path folder = Files.createTempDirectory(beside, ".sqlite-");
        if (canBeReplaced(folder)) {
            Files.delete(folder);
            folder = Files.createTempDirectory(".sqlite-");
        }
        return folder;
    }

    /** Returns whether it is root's, and another user can rename it or a folder that it is in. */
    private static boolean canBeReplaced(Path folder) throws IOException {
        if (!folder.getFileSystem().supportedFileAttributeViews().contains("unix")
                || !isRoots(folder)) {
            return false;
        }
        for (Path in = folder.toRealPath().getParent(); in != null; in = in.getParent()) {
            int mode = (int) Files.getAttribute(in, "unix:mode");
            if (!isRoots(in) || ((mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isRoots(Path folder) throws IOException {
        return Files.getAttribute(folder, "unix:uid").equals(0);
    }

    /** Removes what was unpacked; Windows keeps it until the process ends. */
    private static void remove(@Nullable Path folder) {
        if (folder != null) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
                for (Path file : files) {
                    Files.delete(file);
                }
                Files.delete(folder);
            } catch (IOException e) {
                // The driver, and deleteOnExit, try again when the process ends.
                return;
            }
        }
    }

    /** Explains why the library is not there, or cannot be loaded, and what is needed. */
    private static String failure(Path folder, Throwable failure) {
        String system = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
        String name = LibraryLoaderUtil.getNativeLibName();
        if (!LibraryLoaderUtil.hasNativeLib(LibraryLoaderUtil.getNativeLibResourcePath(), name)) {
            return "the driver sqlite-jdbc in "
                    + place()
                    + " has no library for "
                    + system
                    + ". This plugin brings libraries for Linux and macOS on x86-64 and arm64, and"
                    + " for Windows on x86-64";
        }
        String why =
                failure instanceof NativeLibraryNotFoundException
                        ? whyNotLoaded(folder, name)
                        : Database.rootOf(failure);
        return "SQLite's library %s for %s could not be loaded from %s: %s. "
                        .formatted(name, system, folder, why)
                + "Needed: a folder in which files may be made, and run (no mount option noexec),"
                + " such as by -D"
                + FOLDER
                + "=FOLDER, and --enable-native-access=ALL-UNNAMED where Java denies the access";
    }

    /** Returns why the library cannot be loaded: the driver only logs that. */
    private static String whyNotLoaded(Path folder, String name) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + name)) {
            for (Path file : files) {
                System.load(file.toAbsolutePath().toString());
            }
        } catch (IOException | LinkageError e) {
            return Database.rootOf(e);
        }
        return "it could not be written";
    }
}
