package io.github.senderwhitelist;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

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

/** Holds the packages to their order: imports run one way only. */
@AnalyzeClasses(packages = "io.github.senderwhitelist", importOptions = DoNotIncludeTests.class)
class RoomsTest {
    private static final String BASE = "io.github.senderwhitelist.";

    @ArchTest
    static final ArchRule importsRunOneWay =
            layeredArchitecture()
                    .consideringOnlyDependenciesInLayers()
                    .layer("disk")
                    .definedBy(BASE + "disk")
                    .layer("address")
                    .definedBy(BASE + "address")
                    .layer("list")
                    .definedBy(BASE + "list")
                    .layer("importer")
                    .definedBy(BASE + "importer")
                    .layer("filter")
                    .definedBy(BASE + "filter")
                    .layer("sort")
                    .definedBy(BASE + "sort")
                    .layer("coding")
                    .definedBy(BASE + "coding")
                    .layer("store")
                    .definedBy(BASE + "store")
                    .layer("snapshot")
                    .definedBy(BASE + "snapshot")
                    .layer("decision")
                    .definedBy(BASE + "decision")
                    .layer("live")
                    .definedBy(BASE + "live")
                    .layer("living")
                    .definedBy(BASE + "living")
                    .layer("learning")
                    .definedBy(BASE + "learning")
                    .layer("database")
                    .definedBy(BASE + "database")
                    .layer("compare")
                    .definedBy(BASE + "compare")
                    .layer("mailet")
                    .definedBy(BASE + "mailet")
                    .layer("cli")
                    .definedBy(BASE + "cli")
                    .whereLayer("address")
                    .mayNotAccessAnyLayer()
                    .whereLayer("disk")
                    .mayNotAccessAnyLayer()
                    .whereLayer("filter")
                    .mayOnlyAccessLayers("disk")
                    .whereLayer("list")
                    .mayOnlyAccessLayers("address")
                    .whereLayer("importer")
                    .mayOnlyAccessLayers("address", "list")
                    .whereLayer("importer")
                    .mayOnlyBeAccessedByLayers("cli")
                    .whereLayer("sort")
                    .mayOnlyAccessLayers("address", "disk")
                    .whereLayer("coding")
                    .mayNotAccessAnyLayer()
                    .whereLayer("coding")
                    .mayOnlyBeAccessedByLayers("store")
                    .whereLayer("store")
                    .mayOnlyAccessLayers("address", "disk", "coding")
                    .whereLayer("snapshot")
                    .mayOnlyAccessLayers("address", "disk", "list", "filter", "sort", "store")
                    .whereLayer("compare")
                    .mayOnlyAccessLayers("address", "disk", "filter", "store", "snapshot")
                    .whereLayer("compare")
                    .mayOnlyBeAccessedByLayers("cli")
                    .whereLayer("mailet")
                    .mayNotBeAccessedByAnyLayer()
                    .whereLayer("cli")
                    .mayNotBeAccessedByAnyLayer()
                    .whereLayer("decision")
                    .mayOnlyAccessLayers("address", "filter", "snapshot", "store")
                    .whereLayer("decision")
                    .mayOnlyBeAccessedByLayers("live", "living", "mailet", "cli")
                    .whereLayer("live")
                    .mayOnlyAccessLayers(
                            "address", "disk", "list", "filter", "decision", "snapshot")
                    .whereLayer("live")
                    .mayOnlyBeAccessedByLayers("mailet", "cli")
                    .whereLayer("living")
                    .mayOnlyAccessLayers(
                            "address", "disk", "list", "filter", "store", "snapshot", "decision")
                    .whereLayer("living")
                    .mayOnlyBeAccessedByLayers("database", "mailet", "cli", "learning")
                    .whereLayer("learning")
                    .mayOnlyAccessLayers("address", "living", "disk")
                    .whereLayer("learning")
                    .mayOnlyBeAccessedByLayers("mailet")
                    .whereLayer("database")
                    .mayOnlyAccessLayers("address", "list", "living", "disk")
                    .whereLayer("database")
                    .mayOnlyBeAccessedByLayers("mailet", "cli");

    @ArchTest
    static final ArchRule noCycles = slices().matching(BASE + "(*)..").should().beFreeOfCycles();

    /**
     * Files are accessed through the package disk only. There are a few exceptions. A FileWatch
     * only notices earlier that a file has changed, and lists are followed without it, too. Output
     * looks at what its descriptors are, which are no files of ours. SQLite opens its files itself:
     * a SqliteFile makes them, and a SqliteDriver the folder of SQLite's library.
     */
    @ArchTest
    static final ArchRule onlyTheDiskTouchesFiles =
            noClasses()
                    .that()
                    .resideOutsideOfPackage(BASE + "disk")
                    .and()
                    .doNotHaveSimpleName("FileWatch")
                    .and()
                    .doNotHaveSimpleName("Output")
                    .and()
                    .haveNameNotMatching(".*\\.(SqliteFile|SqliteDriver)(\\$.*)?")
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
                    .resideOutsideOfPackage(BASE + "mailet")
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
     * James hands out what its files of configuration hold in terms of one of them, and the folders
     * of a moved mail in terms of another.
     */
    @ArchTest
    static final ArchRule jamesBringsItsOwnLibraries =
            noClasses()
                    .that()
                    .doNotHaveSimpleName("NamedLists")
                    .and()
                    .doNotHaveSimpleName("MissingResults")
                    .and()
                    .doNotHaveSimpleName("LearnFromFolders")
                    .and()
                    .doNotHaveSimpleName("FolderDeed")
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
                    .doNotHaveSimpleName("WhitelistRoutes")
                    .and()
                    .doNotHaveSimpleName("WebBody")
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
    static final ArchRule onlyWebJsonKnowsJackson =
            noClasses()
                    .that()
                    .haveNameNotMatching(".*\\.WebJson(\\$.*)?")
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
