package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Every class, method and field that the jars name is there where they run: in Java 21, in the jars
 * of their James, or in themselves. The tests run on a newer Java and with little of James, and
 * would not notice.
 */
class LinkIT {
    private static final int JAVA = 21;

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
        try (ClassFiles files = new ClassFiles()) {
            files.addJava(JAVA);
            Set<String> classes = files.addJar(jar);
            files.addClassPath(server);
            Links links = new Links(files);
            for (String name : classes) {
                links.resolve(name);
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
