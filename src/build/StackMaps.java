import static java.util.stream.Collectors.toList;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.stream.Stream;

/**
 * Gives picocli's classes stack maps. They are made for Java 5, and Java archives no class without:
 * to load and verify them took half of the time of a short command.
 */
public final class StackMaps {
    private StackMaps() {}

    /** Changes a jar; the first argument is its name, the second the folder in it. */
    public static void main(String... arguments) throws IOException {
        Path jar = Path.of(arguments[0]);
        Path whole = Files.copy(jar, jar.resolveSibling(jar.getFileName() + ".whole"));
        try (URLClassLoader loader = new URLClassLoader(new URL[] {whole.toUri().toURL()}, null);
                FileSystem files = FileSystems.newFileSystem(jar);
                Stream<Path> paths = Files.walk(files.getPath(arguments[1]))) {
            for (Path each :
                    paths.filter(it -> it.toString().endsWith(".class")).collect(toList())) {
                FileTime time = Files.getLastModifiedTime(each);
                Files.write(each, withStackMaps(Files.readAllBytes(each), loader));
                Files.setLastModifiedTime(each, time);
            }
        } finally {
            Files.delete(whole);
        }
    }

    private static byte[] withStackMaps(byte[] bytes, ClassLoader loader) {
        ClassWriter writer =
                new ClassWriter(ClassWriter.COMPUTE_FRAMES) {
                    @Override
                    protected ClassLoader getClassLoader() {
                        return loader;
                    }
                };
        ClassVisitor newer =
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public void visit(
                            int version,
                            int access,
                            String name,
                            String type,
                            String parent,
                            String... faces) {
                        super.visit(
                                Math.max(version & 0xffff, Opcodes.V1_8),
                                access,
                                name,
                                type,
                                parent,
                                faces);
                    }
                };
        new ClassReader(bytes).accept(newer, ClassReader.SKIP_FRAMES);
        return writer.toByteArray();
    }
}
