package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.mailet.settings.SettingException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

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
        String[] name = {""};
        try {
            ConfigFile.read(
                    file,
                    xml -> {
                        if (xml.getLocalName().equals("whitelist")) {
                            name[0] = String.valueOf(xml.getAttributeValue(null, "name")).strip();
                        } else if (xml.getLocalName().equals("source")) {
                            sources.put(name[0], xml.getElementText().strip());
                        }
                    });
        } catch (SettingException e) {
            throw new IllegalStateException(e); // names and sources are only read
        }
        return sources;
    }
}
