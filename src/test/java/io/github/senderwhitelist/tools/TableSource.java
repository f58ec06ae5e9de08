package io.github.senderwhitelist.tools;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs a test for each row of its table. The tables of a class stand in a resource with the name of
 * the class and {@code .txt}, each below a line {@code == nameOfTheTest}.
 *
 * <p>A row is a line, with a bar between its cells, or a text of several lines between lines of
 * three quotes. Blanks around a cell do not count; the rest is written as {@link
 * TextResource#decoded} reads it. Lines that begin with {@code ##} are comments.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ArgumentsSource(TableSource.Rows.class)
public @interface TableSource {
    /** Reads the rows. */
    final class Rows implements ArgumentsProvider {
        private static final String TEXT = "\"\"\"";

        @Override
        public Stream<? extends Arguments> provideArguments(
                ParameterDeclarations parameters, ExtensionContext context) {
            Class<?> test = context.getRequiredTestClass();
            String name = context.getRequiredTestMethod().getName();
            List<String> lines = TextResource.section(test, test.getSimpleName() + ".txt", name);
            List<Arguments> rows = new ArrayList<>();
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i);
                if (line.equals(TEXT)) {
                    StringBuilder text = new StringBuilder();
                    for (i++; !lines.get(i).equals(TEXT); i++) {
                        text.append(lines.get(i)).append('\n');
                    }
                    rows.add(Arguments.of(TextResource.decoded(text.toString())));
                } else if (!line.isBlank() && !line.startsWith("##")) {
                    Object[] cells =
                            Stream.of(line.split("\\|", -1))
                                    .map(c -> TextResource.decoded(c.strip()))
                                    .toArray();
                    assertThat(cells).as(line).hasSize(parameters.getAll().size());
                    rows.add(Arguments.of(cells));
                }
            }
            assertThat(rows).as("the table %s", name).isNotEmpty();
            return rows.stream();
        }
    }
}
