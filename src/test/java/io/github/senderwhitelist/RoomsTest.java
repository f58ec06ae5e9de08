package io.github.senderwhitelist;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import static java.util.Map.entry;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.RandomAccessFile;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Holds the packages to their order: imports run one way only. */
@AnalyzeClasses(packages = "io.github.senderwhitelist", importOptions = DoNotIncludeTests.class)
class RoomsTest {
    private static final String BASE = "io.github.senderwhitelist.";

    private static final String LISTS =
            "address disk list filter store snapshot decision refresh living database";

    private static final String SERVER = LISTS + " learning";

    private static final String ALL_OF_MAILS =
            SERVER + " mailet.mail mailet.settings mailet.server mailet.verdict";

    /** Rooms, and which rooms each may import from. The manual has the same picture. */
    private static final Map<String, String> ROOMS =
            Map.ofEntries(
                    entry("address", ""),
                    entry("disk", ""),
                    entry("filter", "disk"),
                    entry("list", "address"),
                    entry("importer", "address list"),
                    entry("store", "address disk"),
                    entry("snapshot", "address disk list filter store"),
                    entry("decision", "address filter snapshot store"),
                    entry("refresh", "address disk list filter snapshot decision"),
                    entry("living", "address disk list filter store snapshot decision"),
                    entry("learning", "address disk living"),
                    entry("database", "address disk list living"),
                    entry("mailet.settings", SERVER),
                    entry("cli", LISTS + " importer mailet.settings"),
                    entry("mailet.mail", SERVER),
                    entry("mailet.server", SERVER + " mailet.mail mailet.settings"),
                    entry("mailet.verdict", SERVER + " mailet.mail mailet.server"),
                    entry("mailet.web", SERVER + " mailet.server"),
                    entry("mailet.bymail", ALL_OF_MAILS),
                    entry("mailet.learned", ALL_OF_MAILS),
                    entry("mailet", ALL_OF_MAILS + " mailet.web mailet.bymail mailet.learned"));

    @ArchTest
    static void importsRunOneWay(JavaClasses classes) {
        ROOMS.forEach(
                (room, from) -> {
                    List<String> others = new ArrayList<>(ROOMS.keySet());
                    others.remove(room);
                    others.removeAll(List.of(from.split(" ")));
                    noClasses()
                            .that()
                            .resideInAPackage(BASE + room)
                            .should()
                            .dependOnClassesThat()
                            .resideInAnyPackage(
                                    others.stream().map(BASE::concat).toArray(String[]::new))
                            .check(classes);
                });
    }

    /** A new room needs a line above. */
    @ArchTest
    static void everyClassHasARoom(JavaClasses classes) {
        classes()
                .should()
                .resideInAnyPackage(
                        ROOMS.keySet().stream().map(BASE::concat).toArray(String[]::new))
                .check(classes);
    }

    @ArchTest
    static void noCycles(JavaClasses classes) {
        slices().matching(BASE + "(**)").should().beFreeOfCycles().check(classes);
    }

    /**
     * Files are accessed through the package disk only. There are a few exceptions. Output looks at
     * what its descriptors are, which are no files of ours, and OthersFolders at who may write
     * where, before a command touches anything. SQLite opens its files itself: a SqliteDatabase
     * makes them, and a SqliteDriver the folder of SQLite's library.
     */
    @ArchTest
    static final ArchRule onlyTheDiskTouchesFiles =
            noClasses()
                    .that()
                    .resideOutsideOfPackage(BASE + "disk")
                    .and()
                    .doNotHaveSimpleName("Output")
                    .and()
                    .haveNameNotMatching(".*\\.(SqliteDatabase|SqliteDriver|OthersFolders)(\\$.*)?")
                    .should()
                    .dependOnClassesThat()
                    .belongToAnyOf(
                            Files.class,
                            FileChannel.class,
                            AsynchronousFileChannel.class,
                            RandomAccessFile.class,
                            FileInputStream.class,
                            FileOutputStream.class,
                            FileReader.class,
                            FileWriter.class);

    @ArchTest
    static final ArchRule onlyMailetKnowsJames =
            noClasses()
                    .that()
                    .resideOutsideOfPackage(BASE + "mailet..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "org.apache.james..",
                            "org.apache.mailet..",
                            "jakarta..",
                            "org.slf4j..");

    @ArchTest
    static final ArchRule onlyCliKnowsTheTerminal =
            noClasses()
                    .that()
                    .resideOutsideOfPackage(BASE + "cli")
                    .and()
                    .doNotHaveSimpleName("NoCommand")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("picocli..")
                    .orShould()
                    .accessField(System.class, "out")
                    .orShould()
                    .accessField(System.class, "err");

    /** Without charts, the program runs on a Java that lacks java.desktop. */
    @ArchTest
    static final ArchRule onlyChartsDraws =
            noClasses()
                    .that()
                    .doNotHaveSimpleName("Charts")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "org.knowm..", "org.apache.batik..", "java.awt..", "javax.imageio..");

    /**
     * Only rooms that run within James use the libraries that it brings. The command has settings,
     * too, but not NamedLists, to which James hands out what its files of configuration hold; and
     * Parameters find the nearest name with one.
     */
    @ArchTest
    static final ArchRule jamesBringsItsOwnLibraries =
            noClasses()
                    .that()
                    .resideOutsideOfPackages(
                            BASE + "mailet",
                            BASE + "mailet.bymail",
                            BASE + "mailet.learned",
                            BASE + "mailet.mail",
                            BASE + "mailet.verdict")
                    .and()
                    .doNotHaveSimpleName("Parameters")
                    .and()
                    .doNotHaveSimpleName("NamedLists")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("com.google..", "org.apache.commons..");

    @ArchTest
    static final ArchRule onlyTheDatabaseSpeaksSql =
            noClasses()
                    .that()
                    .resideOutsideOfPackage(BASE + "database")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "java.sql..",
                            "javax.sql..",
                            "org.sqlite..",
                            "org.postgresql..",
                            "com.zaxxer..");

    @ArchTest
    static final ArchRule onlySqliteClassesKnowItsDriver =
            noClasses()
                    .that()
                    .haveNameNotMatching(".*\\.(Sqlite\\w+|PatientHandler)(\\$.*)?")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("org.sqlite..");

    /** James 3.8 and 3.9 have different versions of them, so what is used of them stays small. */
    @ArchTest
    static final ArchRule onlyTheRoutesKnowTheWebServer =
            noClasses()
                    .that()
                    .resideOutsideOfPackage(BASE + "mailet.web")
                    .and()
                    .haveNameNotMatching(".*\\.WhitelistRoutes(\\$.*)?")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("spark..", "org.apache.james.webadmin..");

    /** What servlets are in the signature of is not the same in James 3.8 and 3.9. */
    @ArchTest
    static final ArchRule nobodyKnowsServlets =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "javax.servlet..", "jakarta.servlet..", "org.eclipse.jetty..");

    @ArchTest
    static final ArchRule onlyTheRoutesKnowJackson =
            noClasses()
                    .that()
                    .resideOutsideOfPackage(BASE + "mailet.web")
                    .and()
                    .haveNameNotMatching(".*\\.WhitelistRoutes(\\$.*)?")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("com.fasterxml..");

    /** James' interface for health checks needs Reactor. */
    @ArchTest
    static final ArchRule onlyTheHealthCheckIsReactive =
            noClasses()
                    .that()
                    .doNotHaveSimpleName("WhitelistHealthCheck")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("reactor..");
}
