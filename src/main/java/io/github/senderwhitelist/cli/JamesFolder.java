package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskInput;
import io.github.senderwhitelist.disk.FileState;

import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;
import org.xml.sax.helpers.DefaultHandler;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

/**
 * James' folder of configurations, {@code conf}, as commands read it: {@code whitelists.xml}
 * defines lists by name. For what a mailet does with them, see {@link ConfiguredMailets}.
 *
 * @param conf the folder, whether it is there or not
 */
record JamesFolder(Path conf) {
    /** That of James, when the command runs in James' folder. */
    static final Path DEFAULT = Path.of("conf");

    private static final String FILE_URL = "file://";
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{env:([^}]*)}");

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

    /** Returns the file with the lists. */
    Path definitions() {
        return conf.resolve("whitelists.xml");
    }

    /**
     * Returns the lists by their names, in the order of the file; none if there is no such file.
     */
    Map<String, Definition> lists() throws IOException {
        Map<String, Definition> lists = new LinkedHashMap<>();
        if (Disk.LOCAL.state(definitions()).type() == FileState.Type.MISSING) {
            return lists;
        }
        for (Element each : elements(definitions())) {
            if (each.getTagName().equals("whitelist")) {
                Map<String, String> values = children(each);
                lists.put(
                        each.getAttribute("name").strip(),
                        new Definition(
                                values.getOrDefault("source", ""),
                                values.getOrDefault("user", ""),
                                values.getOrDefault("password", "")));
            }
        }
        return lists;
    }

    /**
     * Returns all elements of a file of XML in their order.
     *
     * @throws IOException if the file cannot be read, or is no XML, or has a document type
     */
    static List<Element> elements(Path file) throws IOException {
        OthersFolders.refuseLinks(file);
        String text = String.join("\n", DiskInput.lines(Disk.LOCAL, file));
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            DocumentBuilder builder = factory.newDocumentBuilder();
            builder.setErrorHandler(new DefaultHandler()); // Another one prints.
            NodeList nodes =
                    builder.parse(new InputSource(new StringReader(text)))
                            .getElementsByTagName("*");
            List<Element> elements = new ArrayList<>();
            for (int i = 0; i < nodes.getLength(); i++) {
                elements.add((Element) nodes.item(i));
            }
            return elements;
        } catch (SAXException e) {
            int line = e instanceof SAXParseException where ? where.getLineNumber() : 0;
            throw new IOException(
                    "%s: line %s: not XML, or with a DOCTYPE; nothing was done"
                            .formatted(file, line),
                    e);
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Returns the texts of the elements in an element by their names, with variables of the
     * environment filled in, as James does.
     */
    static Map<String, String> children(Element element) {
        Map<String, String> values = new HashMap<>();
        for (Node each = element.getFirstChild(); each != null; each = each.getNextSibling()) {
            if (each instanceof Element child) {
                values.put(child.getTagName(), filledIn(child.getTextContent().strip()));
            }
        }
        return values;
    }

    private static String filledIn(String value) {
        return VARIABLE.matcher(value)
                .replaceAll(
                        found -> {
                            String set = System.getenv(found.group(1));
                            return Matcher.quoteReplacement(set == null ? found.group() : set);
                        });
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
