package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskInput;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.mailet.settings.SettingException;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * James' folder of configurations, {@code conf}, as commands read it: {@code whitelists.xml}
 * defines lists by name. For what a mailet does with them, see {@link ConfiguredMailets}.
 */
final class JamesFolder {
    /** That of James, when the command runs in James' folder. */
    private static final Path DEFAULT = Path.of("conf");

    private static final String FILE_URL = "file://";
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{env:([^}]*)}");

    private final Path conf;

    JamesFolder(Path conf) {
        this.conf = conf;
    }

    /** Returns the folder below the current one, whether it is there or not. */
    static JamesFolder here() {
        return new JamesFolder(DEFAULT);
    }

    /** Returns a file of the folder. */
    Path file(String name) {
        return conf.resolve(name);
    }

    /** Returns the file with the lists. */
    Path definitions() {
        return file("whitelists.xml");
    }

    /**
     * A list as it is defined.
     *
     * @param source a URL of a file, or of a database
     * @param user the user of the database, or an empty string
     * @param password the password, or a URL of a file that has it, or an empty string
     */
    record Definition(String source, String user, String password) {
        boolean isDatabase() {
            return source.startsWith("jdbc:");
        }
    }

    /**
     * Returns the lists by their names, in the order of the file; none if there is no such file.
     *
     * @throws IOException if the file cannot be read, or is no XML
     */
    Map<String, Definition> lists() throws IOException {
        Map<String, Definition> lists = new LinkedHashMap<>();
        if (Disk.LOCAL.state(definitions()).type() == FileState.Type.MISSING) {
            return lists;
        }
        try {
            read(definitions(), xml -> define(xml, lists));
        } catch (SettingException e) {
            throw new IllegalStateException(e); // these are only read
        }
        return lists;
    }

    private static void define(XMLStreamReader xml, Map<String, Definition> lists)
            throws XMLStreamException {
        if (xml.getLocalName().equals("whitelist")) {
            String name = String.valueOf(xml.getAttributeValue(null, "name")).strip();
            Map<String, String> values = children(xml);
            lists.put(
                    name,
                    new Definition(
                            filledIn(values.getOrDefault("source", "")),
                            filledIn(values.getOrDefault("user", "")),
                            filledIn(values.getOrDefault("password", ""))));
        }
    }

    /** Returns the texts of the elements in an element by their names. */
    static Map<String, String> children(XMLStreamReader xml) throws XMLStreamException {
        Map<String, String> values = new HashMap<>();
        while (xml.nextTag() == XMLStreamReader.START_ELEMENT) {
            values.put(xml.getLocalName(), xml.getElementText().strip());
        }
        return values;
    }

    /** Puts variables of the environment into a value, as James does. */
    private static String filledIn(String value) {
        return VARIABLE.matcher(value)
                .replaceAll(
                        found -> {
                            String set = System.getenv(found.group(1));
                            return Matcher.quoteReplacement(set == null ? found.group() : set);
                        });
    }

    /** Takes the reader at the beginning of each element, and may read on. */
    @FunctionalInterface
    interface Elements {
        void take(XMLStreamReader xml) throws XMLStreamException, SettingException;
    }

    /**
     * Reads the elements of a file of XML.
     *
     * @throws IOException if the file cannot be read, or is no XML
     */
    static void read(Path file, Elements elements) throws IOException, SettingException {
        OthersFolders.refuseLinks(file);
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        String text = String.join("\n", DiskInput.lines(Disk.LOCAL, file));
        try {
            XMLStreamReader xml = factory.createXMLStreamReader(new StringReader(text));
            while (xml.hasNext()) {
                if (xml.next() == XMLStreamReader.START_ELEMENT) {
                    elements.take(xml);
                }
            }
        } catch (XMLStreamException e) {
            throw new IOException(
                    "%s: line %s: not XML, or elements where text should be; nothing was done"
                            .formatted(file, e.getLocation().getLineNumber()),
                    e);
        }
    }

    /** Returns whether this is a URL of a file. */
    static boolean isUrl(String name) {
        return name.startsWith(FILE_URL);
    }

    /** Returns the file of a URL, which James resolves from the folder above. */
    Path resolve(String url) {
        String path = isUrl(url) ? url.substring(FILE_URL.length()) : url;
        Path home = conf.equals(DEFAULT) ? null : conf.toAbsolutePath().normalize().getParent();
        return home == null ? Path.of(path) : home.resolve(path);
    }

    /** Returns the password that a definition has, or whose file it names. */
    String password(Definition list) throws IOException {
        return isUrl(list.password) ? onlyLine(resolve(list.password)) : list.password;
    }

    /** Returns the only line of a file with a password. */
    static String onlyLine(Path file) throws IOException {
        OthersFolders.refuseLinks(file);
        List<String> lines = DiskInput.lines(Disk.LOCAL, file);
        if (lines.size() != 1) {
            throw new IOException("%s: %s lines; allowed: one".formatted(file, lines.size()));
        }
        return lines.getFirst().strip();
    }
}
