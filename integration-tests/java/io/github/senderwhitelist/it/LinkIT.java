package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Every class, method and field that the jars name is there where they run: in Java, in the jars of
 * their James, or in themselves. The tests run with little of James, and would not notice; that
 * Java 21 has what they name is what {@code javac --release 21} checks.
 */
class LinkIT {
    /**
     * What libraries can do without: HikariCP metrics, Hibernate and Javassist; PostgreSQL's driver
     * OSGi and single sign-on of Windows.
     */
    private static final Pattern OPTIONAL =
            Pattern.compile(
                    "(com/codahale/metrics|io/dropwizard|io/micrometer"
                            + "|io/prometheus|org/hibernate|javassist|com/sun/jna|waffle"
                            + "|org/osgi)/.*");

    private static final String LIBRARIES = "io/github/senderwhitelist/shaded/";

    static Stream<Arguments> jars() throws IOException {
        return Stream.of(
                Arguments.of(James39.JAR, James39.classPath()),
                Arguments.of(James38.JAR, James38.classPath()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("jars")
    void shouldNameOnlyWhatIsThere(Path jar, String server) throws IOException {
        List<URL> files = new ArrayList<>(List.of(jar.toUri().toURL()));
        for (String entry : server.split(File.pathSeparator, -1)) {
            files.add(Path.of(entry).toUri().toURL());
        }
        try (JarFile own = new JarFile(jar.toFile());
                URLClassLoader all =
                        new URLClassLoader(
                                files.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Links links = new Links(all);
            for (String name : own.stream().map(JarEntry::getName).toList()) {
                if (name.endsWith(".class") && !name.startsWith("META-INF/")) {
                    links.resolve(name.substring(0, name.length() - ".class".length()));
                }
            }
            Map<String, String> missing = new TreeMap<>(links.missing());
            missing.entrySet().removeIf(LinkIT::isOptional);
            assertThat(missing).isEmpty();
        }
    }

    /** Returns whether a class is missing that only a library names, which can do without it. */
    private static boolean isOptional(Map.Entry<String, String> missing) {
        return OPTIONAL.matcher(missing.getKey()).matches()
                && missing.getValue().startsWith(LIBRARIES);
    }

    /**
     * Resolves what class files name, as the Java Virtual Machine does when it comes to it:
     * classes, and methods and fields with their descriptors, through superclasses and interfaces
     * (JVMS 5.4.3).
     */
    private static final class Links {
        private static final int CLASS = 7;
        private static final int FIELD = 9;
        private static final int METHOD = 10;
        private static final int INTERFACE_METHOD = 11;
        private static final int NAME_AND_TYPE = 12;
        private static final int METHOD_TYPE = 16;

        /** Methods of these classes have any descriptor (JVMS 2.9.3). */
        private static final Set<String> HANDLES =
                Set.of("java/lang/invoke/MethodHandle", "java/lang/invoke/VarHandle");

        private static final String OBJECT = "java/lang/Object";

        private final ClassLoader files;
        private final Map<String, @Nullable Shape> shapes = new HashMap<>();

        /** The missing names, each with a class that uses it. */
        private final Map<String, String> missing = new TreeMap<>();

        /** A class, and the members that it declares. */
        private static final class Shape extends ClassVisitor {
            final List<String> parents;
            final boolean isInterface;
            final Set<String> members = new HashSet<>();

            Shape(ClassReader file) {
                super(Opcodes.ASM9);
                parents = new ArrayList<>(List.of(file.getInterfaces()));
                if (file.getSuperName() != null) {
                    parents.add(file.getSuperName());
                }
                isInterface = (file.getAccess() & Opcodes.ACC_INTERFACE) != 0;
                file.accept(this, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG);
            }

            @Override
            public @Nullable MethodVisitor visitMethod(
                    int access,
                    String name,
                    String descriptor,
                    @Nullable String signature,
                    String @Nullable [] exceptions) {
                members.add(name + descriptor);
                return null;
            }

            @Override
            public @Nullable FieldVisitor visitField(
                    int access,
                    String name,
                    String descriptor,
                    @Nullable String signature,
                    @Nullable Object value) {
                members.add(name + " " + descriptor);
                return null;
            }
        }

        /** Finds class files by a class loader, which need not load any of them. */
        Links(ClassLoader files) {
            this.files = files;
        }

        /** Returns all that was named and is not there, each with a class that names it. */
        Map<String, String> missing() {
            return missing;
        }

        /** Resolves all that a class names. */
        void resolve(String name) throws IOException {
            ClassReader reader = Objects.requireNonNull(read(name), name);
            char[] buffer = new char[reader.getMaxStringLength()];
            for (int item = 1; item < reader.getItemCount(); item++) {
                int at = reader.getItem(item);
                // A long or a double takes two places, the second of which is empty.
                int tag = at == 0 ? 0 : reader.readByte(at - 1);
                switch (tag) {
                    case CLASS -> type(Type.getObjectType(reader.readUTF8(at, buffer)), name);
                    case METHOD_TYPE -> type(Type.getType(reader.readUTF8(at, buffer)), name);
                    case NAME_AND_TYPE -> type(Type.getType(reader.readUTF8(at + 2, buffer)), name);
                    case FIELD, METHOD, INTERFACE_METHOD -> {
                        int nameAndType = reader.getItem(reader.readUnsignedShort(at + 2));
                        member(
                                reader.readClass(at, buffer),
                                reader.readUTF8(nameAndType, buffer),
                                reader.readUTF8(nameAndType + 2, buffer),
                                tag,
                                name);
                    }
                    default -> {}
                }
            }
        }

        private void type(Type type, String from) throws IOException {
            switch (type.getSort()) {
                case Type.METHOD -> {
                    type(type.getReturnType(), from);
                    for (Type argument : type.getArgumentTypes()) {
                        type(argument, from);
                    }
                }
                case Type.ARRAY -> type(type.getElementType(), from);
                case Type.OBJECT -> {
                    if (shape(type.getInternalName()) == null) {
                        missing.putIfAbsent(type.getInternalName(), from);
                    }
                }
                default -> {}
            }
        }

        private void member(String owner, String name, String descriptor, int tag, String from)
                throws IOException {
            // Arrays have the methods of Object.
            String declared = owner.startsWith("[") ? OBJECT : owner;
            Shape shape = shape(declared);
            if (shape == null) {
                // The reference is to the class.
                return;
            }
            String member = name + (tag == FIELD ? " " : "") + descriptor;
            boolean rightKind = tag == FIELD || shape.isInterface == (tag == INTERFACE_METHOD);
            if (!rightKind) {
                missing.putIfAbsent(
                        owner
                                + (shape.isInterface ? " as a class: " : " as an interface: ")
                                + member,
                        from);
            } else if (!HANDLES.contains(owner) && !has(declared, member)) {
                missing.putIfAbsent(owner + "." + member, from);
            }
        }

        /**
         * Returns whether a class, one of its supertypes, or for an interface Object, declares a
         * member.
         */
        private boolean has(String owner, String member) throws IOException {
            Shape shape = shape(owner);
            if (shape == null) {
                // The members of a missing class are unknown, so only the class is reported.
                missing.putIfAbsent(owner, "a class below it");
                return true;
            }
            if (shape.members.contains(member)) {
                return true;
            }
            for (String parent : shape.parents) {
                if (has(parent, member)) {
                    return true;
                }
            }
            return false;
        }

        private @Nullable Shape shape(String name) throws IOException {
            if (!shapes.containsKey(name)) {
                ClassReader file = read(name);
                shapes.put(name, file == null ? null : new Shape(file));
            }
            return shapes.get(name);
        }

        private @Nullable ClassReader read(String name) throws IOException {
            try (InputStream file = files.getResourceAsStream(name + ".class")) {
                return file == null ? null : new ClassReader(file);
            }
        }
    }
}
