package io.github.senderwhitelist.database;

import org.sqlite.JDBC;
import org.sqlite.NativeLibraryNotFoundException;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.CodeSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The loader of SQLite's driver, which unpacks a library of the system's kind into a folder, once a
 * process: beside the database, since programs may often not be run from the system's folder for
 * temporary files.
 */
final class SqliteDriver {
    /** Before, two processes could damage a file when they reset its log at the same time. */
    private static final int[] LEAST = {3, 51, 3};

    static final String FOLDER = "org.sqlite.tmpdir";
    private static final String PREFIX = ".sqlite-";
    private static final Pattern OF_PROCESS =
            Pattern.compile(Pattern.quote(PREFIX) + "(\\d{1,18})(?:-.*)?");

    /** Where the driver logs to in a process that has no SLF4J. */
    private static final Logger LOG = Logger.getLogger(SQLiteJDBCLoader.class.getName());

    private static final ReentrantLock LOADING = new ReentrantLock();
    private static boolean loaded;

    private SqliteDriver() {}

    /**
     * Loads the library, if this process has not.
     *
     * @param beside the folder in which a folder for it is made
     * @throws IOException if there is none for this system, it cannot be loaded, or it is too old
     */
    static void load(Path beside) throws IOException {
        LOADING.lock();
        try {
            if (!loaded) {
                loadInto(beside);
                requireNew(version(), place());
                loaded = true;
            }
        } finally {
            LOADING.unlock();
        }
    }

    /** Returns the version of the library, which only the library itself knows for certain. */
    private static String version() throws IOException {
        try (Connection memory = JDBC.createConnection("jdbc:sqlite::memory:", new Properties())) {
            return Sql.query(memory, "select sqlite_version()", row -> row.getString(1)).getFirst();
        } catch (SQLException e) {
            throw new IOException("SQLite does not run: " + Failures.reason(e), e);
        }
    }

    /** Returns the file that the driver is in: another extension may bring it, too. */
    private static String place() {
        CodeSource source = SQLiteJDBCLoader.class.getProtectionDomain().getCodeSource();
        return source == null ? "an unknown place" : String.valueOf(source.getLocation());
    }

    /** Rejects versions that are too old. */
    static void requireNew(String version, String place) throws IOException {
        Matcher numbers = Pattern.compile("(\\d+)\\.(\\d+)\\.(\\d+).*").matcher(version);
        boolean tooOld = !numbers.matches();
        for (int i = 0; !tooOld && i < LEAST.length; i++) {
            int number = Integer.parseInt(numbers.group(i + 1));
            if (number > LEAST[i]) {
                return;
            }
            tooOld = number < LEAST[i];
        }
        if (tooOld) {
            throw new IOException(
                    "the driver sqlite-jdbc in "
                            + place
                            + " has SQLite "
                            + version
                            + ", and is found before the one of this plugin; needed: 3.51.3 or"
                            + " newer. Remove or replace that file");
        }
    }

    /**
     * Removes folders of processes that have ended without doing so: not what a link in their place
     * leads to, or another user has put there.
     *
     * @param own the folder of this process
     */
    private static void sweep(Path own) {
        try (DirectoryStream<Path> folders =
                Files.newDirectoryStream(own.resolveSibling(""), PREFIX + "*")) {
            for (Path folder : folders) {
                Matcher process = OF_PROCESS.matcher(String.valueOf(folder.getFileName()));
                if (process.matches()
                        && !isAlive(Long.parseLong(process.group(1)))
                        && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                        && Files.getOwner(folder).equals(Files.getOwner(own))
                        && !folder.getFileName().equals(own.getFileName())) {
                    remove(folder);
                }
            }
        } catch (IOException e) {
            // Some of them stay.
        }
    }

    private static boolean isAlive(long process) {
        Optional<ProcessHandle> handle = ProcessHandle.of(process);
        return handle.isPresent() && process != ProcessHandle.current().pid();
    }

    private static void remove(Path folder) {
        try {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
                for (Path file : files) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        } catch (IOException e) {
            // They take a megabyte each. The next start tries again.
        }
    }

    private static void loadInto(Path beside) throws IOException {
        String before = System.getProperty(FOLDER);
        Path folder = before == null ? beside : Path.of(before);
        Level level = LOG.getLevel();
        try {
            // It logs each place in which it looks, with stack traces on the terminal of a command.
            LOG.setLevel(Level.OFF);
            if (before == null) {
                // New, and for this user alone: nobody else puts anything there.
                folder =
                        Files.createTempDirectory(
                                beside, PREFIX + ProcessHandle.current().pid() + "-");
                folder.toFile().deleteOnExit();
                sweep(folder);
                System.setProperty(FOLDER, folder.toString());
            }
            SQLiteJDBCLoader.initialize();
        } catch (Exception | LinkageError e) {
            throw new IOException(failure(folder, e), e);
        } finally {
            LOG.setLevel(level);
            if (before == null) {
                System.clearProperty(FOLDER);
            }
        }
    }

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
        return "SQLite's library "
                + name
                + " for "
                + system
                + " could not be loaded from "
                + folder
                + ": "
                + (failure instanceof NativeLibraryNotFoundException
                        ? whyNotLoaded(folder, name)
                        : Failures.said(Failures.root(failure)))
                + ". Needed: a folder in which files may be made, and run (no mount option noexec),"
                + " such as by -D"
                + FOLDER
                + "=FOLDER, and --enable-native-access=ALL-UNNAMED where Java denies the access";
    }

    /** Returns why the library cannot be loaded: the driver only logs that. */
    private static String whyNotLoaded(Path folder, String name) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + name)) {
            for (Path file : files) {
                String path = file.toAbsolutePath().toString();
                try {
                    System.load(path);
                } catch (LinkageError e) {
                    return Failures.said(e).replace(path + ": ", "");
                }
            }
        } catch (IOException e) {
            return Failures.said(e);
        }
        return "it could not be written";
    }
}
