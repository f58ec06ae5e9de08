package io.github.senderwhitelist.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds the pages that people read: the front page, the manual, and those for contributors. */
public final class Docs {
    /** The front page. */
    public static final Path FRONT = Path.of("README.md");

    /** The folder of the manual. */
    public static final Path MANUAL = Path.of("src/docs");

    private static final Path GITHUB = Path.of(".github");

    private Docs() {}

    /** Returns all pages, the front page first. */
    public static List<Path> pages() throws IOException {
        return Stream.of(FRONT, MANUAL, GITHUB).flatMap(Docs::pagesIn).toList();
    }

    private static Stream<Path> pagesIn(Path root) {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".md")).sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the text of a page of the manual. */
    public static String page(String name) throws IOException {
        return Files.readString(MANUAL.resolve(name));
    }

    /** Returns the text of all pages. */
    public static String text() throws IOException {
        return pages().stream().map(Docs::read).collect(Collectors.joining("\n"));
    }

    /** Returns the text of a file. */
    public static String read(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
