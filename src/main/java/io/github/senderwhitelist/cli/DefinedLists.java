package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.disk.TextFile;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** The lists that {@code conf/whitelists.xml} defines for James. */
final class DefinedLists {
    /** James' own, when the command runs in the folder of James. */
    static final Path FILE = Path.of("conf", "whitelists.xml");

    private DefinedLists() {}

    /** Returns whether a source is a database. */
    static boolean isDatabase(String source) {
        return source.startsWith("jdbc:");
    }

    /**
     * Returns the sources of the lists by their names, in the order of the file; none if there is
     * no such file.
     *
     * @throws IOException if the file cannot be read, or is no XML
     */
    static Map<String, String> sources(Path file) throws IOException {
        Map<String, String> sources = new LinkedHashMap<>();
        if (Disk.LOCAL.state(file).type() == FileState.Type.MISSING) {
            return sources;
        }
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        String text = String.join("\n", TextFile.lines(Disk.LOCAL, file));
        try {
            XMLStreamReader xml = factory.createXMLStreamReader(new StringReader(text));
            String name = "";
            while (xml.hasNext()) {
                if (xml.next() != XMLStreamReader.START_ELEMENT) {
                    continue;
                }
                if (xml.getLocalName().equals("whitelist")) {
                    name = String.valueOf(xml.getAttributeValue(null, "name")).strip();
                } else if (xml.getLocalName().equals("source")) {
                    sources.put(name, xml.getElementText().strip());
                }
            }
        } catch (XMLStreamException e) {
            throw new IOException(
                    file
                            + ": line "
                            + e.getLocation().getLineNumber()
                            + ": not XML; nothing was done",
                    e);
        }
        return sources;
    }
}
