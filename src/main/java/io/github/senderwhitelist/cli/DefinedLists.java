package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.disk.TextFile;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** The living lists that {@code conf/whitelists.xml} defines for James. */
final class DefinedLists {
    /** James' own, when the command runs in the folder of James. */
    static final Path FILE = Path.of("conf", "whitelists.xml");

    private DefinedLists() {}

    /**
     * Returns the names of the lists whose source is a database; none if there is no such file.
     *
     * @throws IOException if the file cannot be read, or is no XML
     */
    static Set<String> names(Path file) throws IOException {
        Set<String> names = new HashSet<>();
        if (Disk.LOCAL.state(file).type() == FileState.Type.MISSING) {
            return names;
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
                } else if (xml.getLocalName().equals("source")
                        && xml.getElementText().strip().startsWith("jdbc:")) {
                    names.add(name);
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
        return names;
    }
}
