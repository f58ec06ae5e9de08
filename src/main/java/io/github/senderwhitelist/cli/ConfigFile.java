package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.TextFile;
import io.github.senderwhitelist.mailet.settings.SettingException;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;

import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** The files of XML in James' folder {@code conf}. */
final class ConfigFile {
    private static final String URL = "file://";

    private ConfigFile() {}

    /** Takes the reader at the beginning of each element, and may read on. */
    @FunctionalInterface
    interface Elements {
        void take(XMLStreamReader xml) throws XMLStreamException, SettingException;
    }

    /**
     * Reads the elements of a file.
     *
     * @throws IOException if the file cannot be read, or is no XML
     */
    static void read(Path file, Elements elements) throws IOException, SettingException {
        OthersFolders.refuseLinks(file);
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        String text = String.join("\n", TextFile.lines(Disk.LOCAL, file));
        try {
            XMLStreamReader xml = factory.createXMLStreamReader(new StringReader(text));
            while (xml.hasNext()) {
                if (xml.next() == XMLStreamReader.START_ELEMENT) {
                    elements.take(xml);
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
    }

    /** Returns the file of a URL in such a file, which James resolves from the folder above. */
    static Path resolve(Path conf, String url) {
        String path = url.startsWith(URL) ? url.substring(URL.length()) : url;
        Path home = conf.toAbsolutePath().normalize().getParent();
        return home == null ? Path.of(path) : home.resolve(path);
    }

    /** Returns whether this is a URL of a file. */
    static boolean isUrl(String name) {
        return name.startsWith(URL);
    }
}
