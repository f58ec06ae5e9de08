package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.mailet.settings.Parameters;

import org.apache.james.filesystem.api.FileSystem;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A James folder for one test: {@code file://x} is below it, {@code file:///x} is x. */
public record TestFiles(Path base) implements FileSystem, Parameters.Files {
    @Override
    public Path file(String url) {
        return getFile(url).toPath();
    }

    @Override
    public InputStream getResource(String url) throws IOException {
        return Files.newInputStream(getFile(url).toPath());
    }

    @Override
    public File getFile(String url) {
        return url.startsWith(FILE_PROTOCOL_ABSOLUTE)
                ? new File(url.substring(FILE_PROTOCOL.length()))
                : base.resolve(url.substring(FILE_PROTOCOL.length())).toFile();
    }

    @Override
    public File getBasedir() {
        return base.toFile();
    }
}
