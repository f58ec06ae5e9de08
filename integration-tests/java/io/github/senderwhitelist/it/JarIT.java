package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.tools.ChildJava;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;

/**
 * The jars hold our packages, SQLite's driver, and nothing that a server has, so that neither gets
 * in the other's way.
 */
class JarIT {
    private static final Pattern ONLY_COMMANDS =
            Pattern.compile("/senderwhitelist/(cli|importer)/|/(picocli|fastcsv|vinnie)/");
    private static final String OURS = "io/github/senderwhitelist/";

    /** A file of a library, which a library can have within its own. */
    private static final Pattern LIBRARY =
            Pattern.compile(
                    "(?:%1$s.*\\bshaded/(?:com/)?+|%1$sui/(?=lit-)|org/(?=sqlite/))(\\w+)[/-].+"
                            .formatted(OURS));

    /** Name, licence, text. */
    private static final Pattern NAMED = Pattern.compile("  (\\w+) +(\\S+) +(META-INF/\\S+)  ");

    /** What is in the text of a licence, and in no other. */
    private static final Map<String, String> PHRASES =
            Map.of(
                    "Apache-2.0", "Version 2.0, January 2004",
                    "BSD-2-Clause", "Redistribution and use in source and binary forms",
                    "BSD-3-Clause", "BSD 3-Clause License",
                    "MIT", "Permission is hereby granted, free of charge",
                    "MPL-2.0", "Mozilla Public License Version 2.0",
                    "Unicode-3.0", "UNICODE LICENSE V3");

    private static final Path RENAMES = Path.of("src/build/javax-renames.properties");

    @ParameterizedTest
    @ValueSource(strings = {"james-sender-whitelist.jar", "james-sender-whitelist-javax.jar"})
    void shouldHoldItsOwnPackagesAndSqliteForTheSystemsOfServers(String name) throws IOException {
        try (JarFile jar = new JarFile("target/" + name)) {
            Map<Boolean, List<String>> files =
                    jar.stream()
                            .filter(entry -> !entry.isDirectory())
                            .map(ZipEntry::getName)
                            .collect(Collectors.partitioningBy(n -> n.endsWith(".class")));

            assertThat(files.get(true))
                    .contains("io/github/senderwhitelist/mailet/SenderWhitelist.class")
                    .contains("org/sqlite/core/NativeDB.class")
                    .allMatch(entry -> entry.startsWith(OURS) || entry.startsWith("org/sqlite/"))
                    .as("only commands need it")
                    .noneMatch(entry -> ONLY_COMMANDS.matcher(entry).find());
            assertThat(jar.getManifest().getMainAttributes().getValue("Main-Class"))
                    .isEqualTo("io.github.senderwhitelist.mailet.NoCommand");
            assertThat(
                            files.getOrDefault(false, List.of()).stream()
                                    .filter(n -> n.contains("sqlite")))
                    .containsExactlyInAnyOrder(
                            "META-INF/licenses/sqlite-jdbc/LICENSE",
                            "META-INF/licenses/sqlite-jdbc/LICENSE.zentus",
                            "org/sqlite/native/Linux/aarch64/libsqlitejdbc.so",
                            "org/sqlite/native/Linux/x86_64/libsqlitejdbc.so",
                            "org/sqlite/native/Linux-Musl/aarch64/libsqlitejdbc.so",
                            "org/sqlite/native/Linux-Musl/x86_64/libsqlitejdbc.so",
                            "org/sqlite/native/Mac/aarch64/libsqlitejdbc.dylib",
                            "org/sqlite/native/Mac/x86_64/libsqlitejdbc.dylib",
                            "org/sqlite/native/Windows/x86_64/sqlitejdbc.dll",
                            "sqlite-jdbc.properties");
            assertThat(jar.getEntry("META-INF/services/java.sql.Driver")).isNull();
        }
    }

    /** Each library that a file holds has a line in its NOTICE, and its licence's text. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "james-sender-whitelist.jar",
                "james-sender-whitelist-javax.jar",
                "whitelist"
            })
    void shouldHoldTheLicencesOfAllThatItHolds(String name) throws IOException {
        try (JarFile jar = new JarFile("target/" + name)) {
            Set<String> libraries = new TreeSet<>();
            for (String file : jar.stream().map(ZipEntry::getName).toList()) {
                Matcher library = LIBRARY.matcher(file);
                if (library.matches()) {
                    libraries.add(library.group(1));
                } else if (file.endsWith(".class") && !file.startsWith(OURS)) {
                    libraries.add(file);
                }
            }
            Map<String, String> named = new TreeMap<>();
            for (String line : text(jar, "META-INF/NOTICE").lines().toList()) {
                Matcher row = NAMED.matcher(line);
                if (row.lookingAt()) {
                    named.put(row.group(1), row.group(2));
                    assertThat(text(jar, row.group(3)))
                            .as(line)
                            .contains(PHRASES.getOrDefault(row.group(2), line));
                }
            }

            assertThat(libraries).contains("icu", "ongres", "publicsuffix", "sqlite");
            assertThat(named.keySet()).containsAll(libraries);
            if (name.equals("whitelist")) {
                assertThat(libraries)
                        .as("no line for what is not there")
                        .containsAll(named.keySet());
            }
            assertThat(text(jar, "META-INF/LICENSE"))
                    .isEqualTo(Files.readString(Path.of("LICENSE")));
        }
    }

    private static String text(JarFile jar, String name) throws IOException {
        ZipEntry entry = jar.getEntry(name);
        assertThat(entry).as(name).isNotNull();
        return new String(jar.getInputStream(entry).readAllBytes(), UTF_8);
    }

    /**
     * All names in a class file are constants in it, those of descriptors, signatures and records
     * among them. Java resolves some of them only when asked to, so {@link LinkIT} would not
     * notice.
     */
    @Test
    void shouldNameNothingThatJames38HasUnderAnotherName() throws IOException {
        Properties renames = new Properties();
        try (Reader properties = Files.newBufferedReader(RENAMES)) {
            renames.load(properties);
        }
        Set<String> wrong = new TreeSet<>();
        try (JarFile jar = new JarFile(James38.JAR.toFile())) {
            for (String name : jar.stream().map(ZipEntry::getName).toList()) {
                String file =
                        new String(
                                jar.getInputStream(jar.getEntry(name)).readAllBytes(), ISO_8859_1);
                renames.stringPropertyNames().stream()
                        .filter(old -> name.endsWith(".class"))
                        .filter(old -> file.contains(old) || file.contains(old.replace('.', '/')))
                        .forEach(old -> wrong.add(name + ": " + old));
            }
        }
        assertThat(renames).isNotEmpty();
        assertThat(wrong).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"james-sender-whitelist.jar", "james-sender-whitelist-javax.jar"})
    void shouldReportWhereTheCommandsAre(String name, @TempDir Path folder) throws Exception {
        Path out = folder.resolve("out.txt");
        Process process =
                new ProcessBuilder(ChildJava.command("-jar", "target/" + name, "check"))
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile())
                        .start();

        assertThat(process.waitFor()).isEqualTo(2);
        assertThat(Files.readAllLines(out))
                .singleElement(InstanceOfAssertFactories.STRING)
                .contains("plugin for Apache James", "file whitelist");
    }
}
