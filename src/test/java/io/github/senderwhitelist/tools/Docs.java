package io.github.senderwhitelist.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
        List<Path> pages = new ArrayList<>(List.of(FRONT));
        for (Path root : List.of(MANUAL, GITHUB)) {
            try (Stream<Path> files = Files.walk(root)) {
                files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
            }
        }
        return pages;
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
