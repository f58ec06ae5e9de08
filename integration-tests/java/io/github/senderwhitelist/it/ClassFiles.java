package io.github.senderwhitelist.it;

import org.jspecify.annotations.Nullable;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Class files by the name that other class files use ({@code java/lang/String}), from jars, folders
 * and a release of Java. Of two files of one name the first added counts.
 */
final class ClassFiles implements AutoCloseable {
    private static final String CLASS = ".class";
    private static final String SIGNATURES = ".sig";

    private final Map<String, Source> sources = new HashMap<>();
    private final List<JarFile> jars = new ArrayList<>();

    @FunctionalInterface
    private interface Source {
        InputStream open() throws IOException;
    }

    /** Adds all classes of a jar; returns their names. */
    Set<String> addJar(Path path) throws IOException {
        return addZip(path, "", CLASS);
    }

    /** Adds all jars and folders of a class path. */
    void addClassPath(String classPath) throws IOException {
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            Path path = Path.of(entry);
            if (Files.isDirectory(path)) {
                addFolder(path);
            } else {
                addJar(path);
            }
        }
    }

    /**
     * Adds what a release of Java exports: for an older release than the one that runs, from the
     * file that {@code javac --release} takes it from.
     */
    void addJava(int release) throws IOException {
        if (release == Runtime.version().feature()) {
            try (Stream<Path> modules =
                    Files.list(FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules"))) {
                for (Path module : modules.toList()) {
                    addFolder(module);
                }
            }
        } else {
            // Its folders are named after the releases they belong to, with one letter or digit for
            // each.
            String letter = Integer.toString(release, Character.MAX_RADIX).toUpperCase(Locale.ROOT);
            Path symbols = Path.of(System.getProperty("java.home"), "lib", "ct.sym");
            addZip(symbols, "[0-9A-Z]*" + letter + "[0-9A-Z]*/[^/]*/", SIGNATURES);
        }
    }

    private Set<String> addZip(Path path, String prefix, String suffix) throws IOException {
        JarFile jar = new JarFile(path.toFile());
        jars.add(jar);
        Set<String> names = new TreeSet<>();
        for (JarEntry entry : jar.stream().toList()) {
            String file = entry.getName();
            String inside = file.replaceFirst("^" + prefix, "");
            boolean wanted = prefix.isEmpty() || !inside.equals(file);
            if (wanted && inside.endsWith(suffix) && !inside.startsWith("META-INF/")) {
                String name = inside.substring(0, inside.length() - suffix.length());
                sources.putIfAbsent(name, () -> jar.getInputStream(entry));
                names.add(name);
            }
        }
        return names;
    }

    private void addFolder(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(path -> path.toString().endsWith(CLASS)).toList()) {
                String inside = folder.relativize(file).toString().replace(File.separator, "/");
                sources.putIfAbsent(
                        inside.substring(0, inside.length() - CLASS.length()),
                        () -> Files.newInputStream(file));
            }
        }
    }

    /** Returns the class file of this name, or null when there is none. */
    byte @Nullable [] read(String name) throws IOException {
        Source source = sources.get(name);
        if (source == null) {
            return null;
        }
        try (InputStream in = source.open()) {
            return in.readAllBytes();
        }
    }

    @Override
    public void close() throws IOException {
        for (JarFile jar : jars) {
            jar.close();
        }
    }
}
