package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
}
