package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Every class, method and field that the jars name is there where they run: in Java 21, in the jars
 * of their James, or in themselves. The tests run on a newer Java and with little of James, and
 * would not notice.
 */
class LinkIT {
    private static final int JAVA = 21;

    /** Classes that libraries can do without. They are for charts with formulas in TeX. */
    private static final Set<String> OPTIONAL =
            Set.of("org/scilab/forge/jlatexmath/TeXFormula", "org/scilab/forge/jlatexmath/TeXIcon");

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
            assertThat(links.missing().keySet())
                    .as(() -> links.missing().toString())
                    .isEqualTo(OPTIONAL);
        }
    }
}
