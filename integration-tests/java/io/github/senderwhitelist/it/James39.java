package io.github.senderwhitelist.it;

import static java.util.Map.entry;

import io.github.senderwhitelist.it.scanner.GtubeScanner;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The mailet container of James 3.9.0 with the plugin's jar.
 *
 * <p>Maven Central lacks {@code james-server-mailets} 3.9.0. The mailets that the shipped pipeline
 * takes from there are replaced: delivery to a folder by one that writes files, delivery to other
 * servers by one that sends to a GreenMail; what no test looks at does nothing.
 */
final class James39 extends JamesServer {
    static final Path JAR = Path.of("target/james-sender-whitelist.jar");
    private static final String READY = "James 3.9 mailet container started, SMTP port ";
    private static final String TEST_MAILETS = "io.github.senderwhitelist.it.james39.";
    private static final String DO_NOTHING = "org.apache.james.transport.mailets.debug.Identity";
    private static final Map<String, String> MAILETS =
            Map.ofEntries(
                    entry("SPF", DO_NOTHING),
                    entry("org.apache.james.jdkim.mailets.DKIMVerify", DO_NOTHING),
                    entry("VacationMailet", DO_NOTHING),
                    entry("Sieve", DO_NOTHING),
                    entry("org.apache.james.jmap.mailet.filter.JMAPFiltering", DO_NOTHING),
                    entry("LocalDelivery", TEST_MAILETS + "LocalDelivery"),
                    entry("RemoteDelivery", TEST_MAILETS + "RemoteDelivery"),
                    entry("WithStorageDirective", TEST_MAILETS + "WithStorageDirective"),
                    entry("Bounce", TEST_MAILETS + "Bounce"),
                    entry("RecipientRewriteTable", TEST_MAILETS + "RecipientRewriteTable"),
                    entry("DSNBounce", "Null"),
                    entry("ToRepository", "Null"));
    private static final Map<String, String> MATCHERS =
            Map.of(
                    "IsSenderInRRTLoop",
                    "All",
                    "IsMarkedAsSpam=" + GtubeScanner.STATUS,
                    TEST_MAILETS + "IsMarkedAsSpam=" + GtubeScanner.STATUS,
                    "org.apache.james.jmap.mailet.SentByJmap",
                    "HasMailAttribute=org.apache.james.jmap.send.MailMetaData.username");

    /** The mails that have been read from each mailbox, by file name. */
    private final Map<String, Map<String, Letter>> mailboxes = new HashMap<>();

    /** Starts the server. Returns at once. */
    James39(ServerDirectory directory, Outside outside) throws IOException {
        super(
                directory.mailetContainer(
                        conf -> conf.replace("class", MAILETS).replace("match", MATCHERS)),
                outside,
                READY,
                classPath(),
                TEST_MAILETS + "ContainerMain",
                List.of("-Doutside.port=" + outside.port()));
    }

    /**
     * This process's class path without the plugin and without the libraries that only its jar may
     * bring.
     */
    static String classPath() {
        String tests =
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path"));
        Path target = Path.of("target").toAbsolutePath();
        return Arrays.stream(tests.split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath())
                .filter(
                        entry ->
                                !entry.startsWith(target)
                                        || entry.equals(target.resolve("test-classes")))
                .filter(
                        entry ->
                                !entry.getFileName()
                                        .toString()
                                        .matches("(hash4j|icu4j|picocli|sqlite-jdbc)-.*"))
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    @Override
    int smtpPort() {
        return port(READY);
    }

    /** Returns the port of the page that stands in for WebAdmin. */
    @Override
    int webAdminPort() {
        return port("Health and metrics at port ");
    }

    private int port(String line) {
        Matcher port = Pattern.compile(Pattern.quote(line) + "(\\d+)").matcher(log());
        if (!port.find()) {
            throw new IllegalStateException("not started yet");
        }
        return Integer.parseInt(port.group(1));
    }

    @Override
    List<Letter> mails(String user, String folder) throws IOException {
        String mailbox = user + "/" + folder;
        Map<String, Letter> seen = mailboxes.computeIfAbsent(mailbox, any -> new TreeMap<>());
        Path path = directory().path().resolve("mailboxes").resolve(mailbox);
        if (Files.isDirectory(path)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(path, "*.eml")) {
                for (Path file : files) {
                    String name = file.getFileName().toString();
                    if (!seen.containsKey(name)) {
                        seen.put(name, Letter.read(Files.readAllBytes(file)));
                    }
                }
            }
        }
        return List.copyOf(seen.values());
    }
}
