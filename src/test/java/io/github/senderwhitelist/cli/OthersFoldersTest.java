package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.Needs;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What root does in folders that other users control, by what is on the disk afterwards. */
class OthersFoldersTest extends CommandTest {
    /** A user without a name, and a group. */
    private static final int OTHER = 64_321;

    private static final String DATABASE = " --database jdbc:sqlite:file://";

    private Path place = Path.of("");

    /** Makes root's folder in a folder of root, with a list, a snapshot and a database. */
    @BeforeEach
    void make() throws IOException {
        place = Files.createDirectories(folder.resolve("above/place"));
        Files.writeString(folder.resolve("list.txt"), "alice@example.com\n");
        Files.writeString(place.resolve("list.txt"), "alice@example.com\n");
        run(0, "build LIST -o PLACE/a.swl");
        run(0, "add own --create alice@example.com" + DATABASE + "PLACE/lists.db");
        out.reset();
    }

    private void requireRoot() {
        Needs.require(
                System.getProperty("user.name").equals("root"),
                "the tests do not run as root, who alone can give folders to others");
    }

    private static void own(Path path, int uid) throws IOException {
        Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
    }

    private static void mode(Path path, int mode) throws IOException {
        Files.setAttribute(path, "unix:mode", mode);
    }

    private void run(int exit, String command) {
        String line = command.replace("LIST", path("list.txt")).replace("PLACE", place.toString());
        assertThat(Main.run(System.out, line.split(" ", -1))).as(err()).isEqualTo(exit);
    }

    /** Returns what is known of each file, but when it was read. */
    private Map<String, String> disk() throws IOException {
        Map<String, String> disk = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.toList()) {
                disk.put(
                        file.toString(),
                        Files.readAttributes(
                                        file,
                                        "unix:mode,uid,gid,ino,size,ctime,lastModifiedTime",
                                        LinkOption.NOFOLLOW_LINKS)
                                .toString());
            }
        }
        return disk;
    }

    private void shouldRefuse(String command, String message) throws IOException {
        Map<String, String> before = disk();
        err.reset();
        run(2, command);
        assertThat(err().replace(folder.toString(), "").lines())
                .singleElement()
                .asString()
                .startsWith(message);
        assertThat(out()).isEmpty();
        assertThat(disk()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "build LIST -o PLACE/a.swl",
                "build LIST -o PLACE/new.swl",
                "build LIST --temp PLACE -o FOLDER/new.swl",
                "add own bob@example.com" + DATABASE + "PLACE/lists.db",
                "add own --create bob@example.com" + DATABASE + "PLACE/deep/new.db",
                "remove own alice@example.com" + DATABASE + "PLACE/lists.db",
                "rename a@here.example b@here.example" + DATABASE + "PLACE/lists.db",
                "import own LIST" + DATABASE + "PLACE/lists.db",
                "export own" + DATABASE + "PLACE/lists.db",
                "check own alice@example.com" + DATABASE + "PLACE/lists.db",
                "history own alice@example.com" + DATABASE + "PLACE/lists.db",
                "status own" + DATABASE + "PLACE/lists.db",
            })
    void shouldTouchNothingInAFolderOfAnother(String command) throws IOException {
        requireRoot();
        own(place, OTHER);
        shouldRefuse(
                command.replace("FOLDER", folder.toString()),
                "/above/place: belongs to the user 64321, whose links could lead root to other"
                        + " files; nothing was done. Type: sudo -u '#64321' whitelist …");
    }

    /** What leads to root's own folder, and may be replaced. */
    @ParameterizedTest
    @CsvSource({
        "above of another,              /above: belongs to the user 64321",
        "above for all,                 /above: users other than root may write there",
        "place for a group,             /above/place: users other than root may write there",
        "link of another,               /link: belongs to the user 64321",
        "link of root,                  /above: belongs to the user 64321",
    })
    void shouldTrustOnlyWhatLeadsThereByRootAlone(String how, String message) throws IOException {
        requireRoot();
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("above/../above"));
        Path above = folder.resolve("above");
        switch (how) {
            case "above of another", "link of root" -> own(above, OTHER);
            case "above for all" -> mode(above, 0777);
            // Root's group has members; and so an ACL that lets another user write is shown.
            case "place for a group" -> mode(place, 0775);
            default -> own(link, OTHER);
        }
        place = how.startsWith("link") ? link.resolve("place") : place;
        shouldRefuse("build LIST -o PLACE/a.swl", message);
        shouldRefuse("status own" + DATABASE + "PLACE/lists.db", message);
    }

    /** As in the system's folder for temporary files, in which nobody replaces a file of root. */
    @Test
    void shouldTakeWhatIsItsOwnInASharedFolder() throws IOException {
        requireRoot();
        mode(place, 01777);
        run(0, "build LIST --temp PLACE -o PLACE/a.swl");
        run(0, "build LIST --temp PLACE -o PLACE/new.swl");
        own(place.resolve("a.swl"), OTHER);
        out.reset();
        shouldRefuse(
                "build LIST -o PLACE/a.swl", "/above/place/a.swl: belongs to the user 64321, who");
        String message = "/above/place: users other than root may write there";
        shouldRefuse("status own" + DATABASE + "PLACE/lists.db", message);
        shouldRefuse("add own --create a@example.com" + DATABASE + "PLACE/deep/new.db", message);
        Path link = Files.createSymbolicLink(folder.resolve("link"), place);
        Path file = Files.createSymbolicLink(folder.resolve("link.db"), place.resolve("lists.db"));
        shouldRefuse(
                "build LIST -o " + link + "/a.swl", "/link/a.swl: belongs to the user 64321, who");
        shouldRefuse("status own" + DATABASE + file, message);
    }

    @Test
    void shouldGoOnInItsOwnFolders() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), place);
        place = link;
        run(0, "build LIST -o PLACE/a.swl");
        run(0, "status own" + DATABASE + "PLACE/lists.db");
        requireRoot();
        own(link.resolve("a.swl"), OTHER);
        run(0, "build LIST -o PLACE/a.swl");
        assertThat(Files.getAttribute(link.resolve("a.swl"), "unix:uid")).isEqualTo(OTHER);
        Files.setAttribute(place.toRealPath(), "unix:mode", 0750);
        run(0, "status own" + DATABASE + "PLACE/lists.db");
    }

    /** To read harms nothing; but no link of another is followed. */
    @Test
    void shouldReadWhatIsInAFolderOfAnother() throws IOException {
        requireRoot();
        Path link = Files.createSymbolicLink(place.resolve("link.swl"), place.resolve("a.swl"));
        own(place, OTHER);
        for (String file : List.of("a.swl", "list.txt", "link.swl")) {
            run(0, "check PLACE/" + file + " alice@example.com");
        }
        run(0, "info PLACE/a.swl");
        run(0, "verify PLACE/a.swl --against PLACE/list.txt");
        run(0, "export PLACE/a.swl");
        own(link, OTHER);
        out.reset();
        shouldRefuse(
                "check PLACE/link.swl alice@example.com",
                "/above/place/link.swl: belongs to the user 64321");
        shouldRefuse("info PLACE/link.swl", "/above/place/link.swl: belongs to the user 64321");
        shouldRefuse(
                "check PLACE/a.swl --message PLACE/link.swl",
                "/above/place/link.swl: belongs to the user 64321");
    }

    /** It would be sent to a server of theirs. */
    @Test
    void shouldReadNoPasswordToWhichAnotherLeads() throws IOException {
        requireRoot();
        Path lists = Files.createDirectory(place.resolve("conf")).resolve("whitelists.xml");
        String xml =
                """
                <whitelists><whitelist name="own">
                  <source>jdbc:postgresql://localhost/x</source><user>u</user>
                  <password>%s</password>
                </whitelist></whitelists>
                """;
        Files.writeString(lists, xml.formatted("file://link"));
        Path link = Files.createSymbolicLink(place.resolve("link"), folder.resolve("list.txt"));
        own(link, OTHER);
        shouldRefuse("status own --conf PLACE/conf", "/above/place/link: belongs to the user");
        Files.writeString(lists, xml.formatted("file://" + folder.resolve("list.txt")));
        own(lists, OTHER);
        shouldRefuse(
                "status own --conf PLACE/conf",
                "/above/place/conf/whitelists.xml: belongs to the user 64321");
    }

    /** The folder in which SQLite's library is unpacked. */
    @Test
    void shouldLoadNothingThatAnotherCanWrite() throws Exception {
        requireRoot();
        Path natives = Files.createDirectory(folder.resolve("natives"));
        own(natives, OTHER);
        Program.Result result =
                new Program(folder, "", "C.UTF-8", "-Dorg.sqlite.tmpdir=" + natives)
                        .run("whitelist status own" + DATABASE + place + "/lists.db");
        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.err()).startsWith(natives + ": belongs to the user");
        assertThat(natives).isEmptyDirectory();
    }

    /** Processes that were killed leave the library behind. */
    @Test
    void shouldRemoveOnlyTheFolderOfItsOwnBesideADatabase() throws Exception {
        Path victim = Files.createDirectory(folder.resolve("victim"));
        Path precious = Files.createFile(victim.resolve("a"));
        Path link = Files.createSymbolicLink(place.resolve(".sqlite-999999999"), victim);
        Path left = Files.createDirectory(place.resolve(".sqlite-999999998"));
        Files.createFile(left.resolve("library.so"));
        Program.Result result =
                new Program(folder).run("whitelist status own" + DATABASE + place + "/lists.db");
        assertThat(result.err()).isEmpty();
        assertThat(precious).exists();
        assertThat(left.resolve("library.so")).exists();
        assertThat(place.toFile().list((in, name) -> name.startsWith(".sqlite-")))
                .containsExactlyInAnyOrder(
                        link.getFileName().toString(), left.getFileName().toString());
    }
}
