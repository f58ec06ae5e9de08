package io.github.senderwhitelist.it;

import io.github.senderwhitelist.tools.Folders;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.function.Consumer;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The working directory of a James: a copy of the shipped {@code conf/}, and the plugin's jar in
 * {@code extensions-jars/}.
 */
record ServerDirectory(Path path) {
    static ServerDirectory create(Path path, Path jar) throws IOException {
        if (!Files.exists(jar)) {
            throw new IOException(jar + " is missing: it is made by mvn package");
        }
        Folders.delete(path);
        Path extensions = Files.createDirectories(path.resolve("extensions-jars"));
        Files.copy(jar, extensions.resolve(jar.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        Path conf = Files.createDirectories(path.resolve("conf"));
        try (Stream<Path> shipped = Files.list(Path.of("conf"))) {
            for (Path file : shipped.toList()) {
                Files.copy(file, conf.resolve(file.getFileName()));
            }
        }
        return new ServerDirectory(path);
    }

    /** Puts the package of a class of the tests in a jar of its own beside the plugin's. */
    ServerDirectory withExtension(Class<?> type) throws IOException {
        String folder = type.getPackageName().replace('.', '/') + "/";
        Path jar = path.resolve("extensions-jars").resolve(type.getSimpleName() + ".jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> classes = Files.list(Path.of("target/test-classes", folder))) {
            for (Path file : classes.toList()) {
                out.putNextEntry(new JarEntry(folder + file.getFileName()));
                Files.copy(file, out);
            }
        }
        return this;
    }

    /** Runs commands in this directory, as people paste them, and returns what they print. */
    String shell(String commands) throws IOException, InterruptedException {
        Process shell =
                new ProcessBuilder("sh", "-e", "-c", commands)
                        .directory(path.toFile())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String printed = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (shell.waitFor() != 0) {
            throw new IOException(commands + "\nended with " + shell.exitValue() + printed);
        }
        return printed;
    }

    Path conf(String file) {
        return path.resolve("conf").resolve(file);
    }

    Path whitelist() {
        return conf("whitelist.txt");
    }

    /**
     * Puts a new list in the place of the old one, as a careful editor does: written beside it,
     * then renamed.
     */
    void whitelist(List<String> lines) throws IOException {
        Path next = conf("whitelist.txt.new");
        Files.write(next, lines);
        Files.move(
                next,
                whitelist(),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    /** Changes the pipeline, and returns this directory. */
    ServerDirectory mailetContainer(Consumer<MailetContainer> change) throws IOException {
        MailetContainer.edit(conf("mailetcontainer.xml"), change);
        return this;
    }

    /** Replaces what must be there in a file of {@code conf/}, as a regular expression has it. */
    void set(String file, String shipped, String wanted) throws IOException {
        String content = Files.readString(conf(file));
        Matcher found = Pattern.compile(shipped).matcher(content);
        if (!found.find()) {
            throw new IOException("conf/" + file + " has no " + shipped);
        }
        Files.writeString(conf(file), found.replaceAll(wanted));
    }
}
