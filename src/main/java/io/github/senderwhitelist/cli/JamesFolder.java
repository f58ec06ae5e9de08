package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.mailet.settings.CheckParameters;
import io.github.senderwhitelist.mailet.settings.ListDefinition;
import io.github.senderwhitelist.mailet.settings.ListDefinition.DatabaseSource;
import io.github.senderwhitelist.mailet.settings.ListParameters;
import io.github.senderwhitelist.mailet.settings.Parameters;
import io.github.senderwhitelist.mailet.settings.SettingException;

import org.jspecify.annotations.Nullable;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;
import org.xml.sax.helpers.DefaultHandler;

import java.io.IOException;
import java.io.InputStream;
import java.io.UnsupportedEncodingException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

/**
 * James' folder of configurations, {@code conf}, as commands read it: lists by their names, and
 * what mailets were told. What the files say is understood by the server's code, and refused for
 * the same reasons.
 *
 * @param conf the folder, whether it is there or not
 */
record JamesFolder(Path conf) {
    static final Path DEFAULT = Path.of("conf");

    private static final String FILE_URL = "file://";
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{env:([^}]*)}");

    /** Returns the file of a URL, which James resolves from the folder above, or of a name. */
    Path file(String name) {
        if (!name.startsWith(FILE_URL)) {
            return Path.of(name);
        }
        Path home = conf.equals(DEFAULT) ? null : conf.toAbsolutePath().normalize().getParent();
        String path = name.substring(FILE_URL.length());
        return home == null ? Path.of(path) : home.resolve(path);
    }

    /** Returns the file with the lists. */
    Path definitions() {
        return conf.resolve("whitelists.xml");
    }

    /** Returns what defines each list, by its name; nothing if there is no such file. */
    Map<String, Parameters> lists() throws IOException {
        Map<String, Parameters> lists = new LinkedHashMap<>();
        try {
            for (Element each : elements(definitions(), "whitelist")) {
                String name = each.getAttribute("name").strip();
                String owner = definitions() + ", whitelist " + name;
                lists.put(name, new Parameters(owner, children(each), this::file));
            }
        } catch (NoSuchFileException e) {
            // One that may not be read is no missing one.
        }
        return lists;
    }

    static ListDefinition definition(String name, Parameters parameters) throws IOException {
        try {
            return ListParameters.definition(name, parameters);
        } catch (SettingException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * Returns a database that is given by its URL, with the user and the password that the lists of
     * this folder have for it: other users see a command line.
     */
    DatabaseSource given(String url) throws IOException {
        String owner = "--database (no list in " + definitions() + " has it)";
        Parameters given = new Parameters(owner, Map.of("source", url), this::file);
        for (Parameters list : lists().values()) {
            given = url.equals(list.values().get("source")) ? list : given;
        }
        if (url.startsWith("jdbc:")
                && definition("given", given) instanceof ListDefinition.Living living) {
            return living.source();
        }
        throw new IOException(
                "--database: no URL of a database; allowed: jdbc:sqlite:file://FILE, or"
                        + " jdbc:postgresql://HOST/NAME");
    }

    /**
     * What a mailet or matcher was told: its lists as written, and its policy, also in one line.
     */
    record Told(String lists, Policy policy, String shown) {}

    /** Returns what the mailet or matcher of a name was told. */
    Told told(String name) throws IOException {
        Path file = conf.resolve("mailetcontainer.xml");
        Map<String, Map<Map<String, String>, Parameters>> named = new TreeMap<>();
        try {
            for (Element element : elements(file, "*")) {
                for (String attribute : List.of("match", "notmatch", "class")) {
                    Parameters each = asking(element, attribute);
                    if (each != null) {
                        named.computeIfAbsent(CheckParameters.name(each), it -> new HashMap<>())
                                .put(each.values(), each);
                    }
                }
            }
            Map<Map<String, String>, Parameters> found = named.getOrDefault(name, Map.of());
            if (found.isEmpty()) {
                throw new IOException(
                        "--as: no '%s' in %s; allowed: %s"
                                .formatted(name, file, String.join(", ", named.keySet())));
            }
            if (found.size() > 1) {
                throw new IOException(
                        "--as: %s has %s named '%s' with different parameters; give each a <name>"
                                .formatted(file, found.size(), name));
            }
            Parameters one = found.values().iterator().next();
            InstantSource clock = InstantSource.system();
            Policy policy = CheckParameters.policy(one, clock, RecipientUsers.NONE, it -> false);
            return new Told(ListParameters.whitelist(one), policy, CheckParameters.shown(one));
        } catch (SettingException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Returns the parameters of the mailet or matcher in an attribute, a class with or without its
     * package, if it asks lists; else null.
     */
    private @Nullable Parameters asking(Element element, String attribute) throws IOException {
        String[] parts = element.getAttribute(attribute).split("=", 2);
        String name = parts[0].substring(parts[0].lastIndexOf('.') + 1);
        boolean isMailet = attribute.equals("class");
        if (!name.equals(isMailet ? "SenderWhitelist" : "SenderIsWhitelisted")) {
            return null;
        }
        String condition = parts.length > 1 ? parts[1] : null;
        var values = isMailet ? children(element) : Parameters.ofCondition(name, condition);
        return new Parameters(name, values, this::file);
    }

    /**
     * Returns the elements of a name in a file of XML, or all. It is in any encoding that it
     * declares, as for James. A document type is refused, which could name other files.
     */
    private static List<Element> elements(Path file, String name) throws IOException {
        try (InputStream in = Disk.LOCAL.open(OthersFolders.readable(file)).input()) {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            DocumentBuilder builder = factory.newDocumentBuilder();
            builder.setErrorHandler(new DefaultHandler()); // Another one prints.
            NodeList nodes = builder.parse(in).getElementsByTagName(name);
            return IntStream.range(0, nodes.getLength())
                    .mapToObj(i -> (Element) nodes.item(i))
                    .toList();
        } catch (SAXException | ParserConfigurationException | UnsupportedEncodingException e) {
            int line = e instanceof SAXParseException where ? where.getLineNumber() : 0;
            String place = file + ": line " + line;
            throw new IOException(place + ": not XML, or with a DOCTYPE; nothing was done", e);
        }
    }

    /**
     * Returns the texts of the elements in an element by their names, with variables filled in, as
     * James does. No link of another user must lead root to a file that they name.
     */
    private Map<String, String> children(Element element) throws IOException {
        Map<String, String> values = new HashMap<>();
        for (Node each = element.getFirstChild(); each != null; each = each.getNextSibling()) {
            if (each instanceof Element child) {
                String value = filledIn(child.getTextContent().strip());
                if (value.startsWith(FILE_URL)) {
                    OthersFolders.readable(file(value));
                    if (child.getTagName().equals("password")) {
                        // It is sent where the file says, so only root may have written that.
                        OthersFolders.refuseText(definitions());
                    }
                }
                values.put(child.getTagName(), value);
            }
        }
        return values;
    }

    /** Fills in variables; one that is not set stays, so that a message shows it. */
    private static String filledIn(String value) {
        return VARIABLE.matcher(value)
                .replaceAll(
                        it -> {
                            String set = System.getenv(it.group(1));
                            return Matcher.quoteReplacement(set == null ? it.group() : set);
                        });
    }
}
