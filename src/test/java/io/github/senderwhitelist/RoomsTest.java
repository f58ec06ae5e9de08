package io.github.senderwhitelist;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import static java.util.Map.entry;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Holds the packages to their order: imports run one way only. */
@AnalyzeClasses(packages = "io.github.senderwhitelist", importOptions = DoNotIncludeTests.class)
class RoomsTest {
    private static final String BASE = "io.github.senderwhitelist.";

    private static final String LISTS =
            "address disk list filter store snapshot decision refresh living database";

    private static final String SERVER = LISTS + " learning usage";

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
                    entry("usage", "address decision database"),
                    entry("mailet.settings", SERVER),
                    entry("cli", LISTS + " importer usage mailet.settings"),
                    entry("mailet.mail", SERVER),
                    entry("mailet.server", SERVER + " mailet.mail mailet.settings"),
                    entry("mailet.verdict", SERVER + " mailet.mail mailet.settings mailet.server"),
                    entry("mailet.web", SERVER + " mailet.server"),
                    entry("mailet.bymail", ALL_OF_MAILS),
                    entry("mailet", ALL_OF_MAILS + " mailet.web mailet.bymail"));

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

    /** What only some classes may use, and which; both by their names. */
    private static final Map<String, String> RESERVED =
            Map.ofEntries(
                    // Output looks at what its descriptors are, which are no files of ours, and
                    // OthersFolders at who may write where, before a command touches anything.
                    // SQLite opens its files itself: a SqliteDatabase makes them, and a
                    // SqliteDriver the folder of SQLite's library.
                    entry(
                            "java.nio.file.Files|java.nio.channels.\\w*FileChannel"
                                    + "|java.io.(RandomAccessFile|File\\w+(Stream|er))",
                            "disk.*|cli.(Output|OthersFolders)|database.Sqlite(Database|Driver)"),
                    entry("(org.apache.(james|mailet)|jakarta|org.slf4j)\\..*", "mailet.*"),
                    entry("picocli\\..*", "cli.*"),
                    // The program runs on a Java that lacks java.desktop.
                    entry("(java.awt|javax.imageio)\\..*", ""),
                    // Only rooms that run within James use the libraries that it brings. The
                    // command has settings, too, but not NamedLists, to which James hands out what
                    // its files of configuration hold.
                    entry(
                            "(com.google|org.apache.commons)\\..*",
                            "mailet.(\\w+|(bymail|mail|server|verdict).*"
                                    + "|settings.NamedLists)"),
                    entry("(java.sql|javax.sql|org.postgresql|com.zaxxer)\\..*", "database.*"),
                    entry("org.sqlite\\..*", "database.Sqlite\\w+"),
                    // James 3.8 and 3.9 have different versions of them, so what is used of them
                    // stays small.
                    entry(
                            "(spark|org.apache.james.webadmin|com.fasterxml)\\..*",
                            "mailet.(web.*|WhitelistRoutes)"),
                    // What they are in the signature of is not the same in James 3.8 and 3.9.
                    entry("(javax.servlet|jakarta.servlet|org.eclipse.jetty)\\..*", ""),
                    // James' interface for health checks needs Reactor.
                    entry("reactor\\..*", "mailet.WhitelistHealthCheck"));

    @ArchTest
    static void onlySomeUse(JavaClasses classes) {
        RESERVED.forEach(
                (used, by) ->
                        noClasses()
                                .that()
                                .haveNameNotMatching(BASE + "(" + by + ")(\\$.*)?")
                                .should()
                                .dependOnClassesThat()
                                .haveNameMatching(used)
                                .check(classes));
    }

    @ArchTest
    static final ArchRule onlyCliKnowsTheTerminal =
            noClasses()
                    .that()
                    .haveNameNotMatching(BASE + "(cli.*|mailet.NoCommand)")
                    .should()
                    .accessField(System.class, "out")
                    .orShould()
                    .accessField(System.class, "err");
}
