package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Follows symbolic links. */
public final class Links {
    private Links() {}

    /**
     * Returns the file that a name leads to, if the name itself is a link, or else the name. A link
     * that leads to nothing is returned as it is.
     */
    public static Path follow(Path name) {
        try {
            return Files.isSymbolicLink(name) ? name.toRealPath() : name;
        } catch (IOException e) {
            return name;
        }
    }
}
