package io.github.senderwhitelist.mailet.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.mailet.TestFiles;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.Map;

class LivingParametersTest {
    @Test
    void definitionShouldReadWhatTheManualHas() throws Exception {
        Parameters parameters = new Parameters("a", Map.of(), new TestFiles(Path.of("/james")));
        String source = parameters.text(ListParameters.SOURCE, LivingParameters.SOURCES);
        assertThat(source).isEmpty();

        LivingParameters.definition("a", "jdbc:sqlite:file://a.db", parameters);

        ManualTable.of("living-lists.md").getFirst().assertSays(parameters.read());
    }
}
