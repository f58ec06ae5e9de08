package io.github.senderwhitelist.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JavaVersionTest {
    @Test
    void shouldMapNothingOnJava21AndWhenToldToDoAsItDoes() {
        boolean newer = Runtime.version().feature() > 21;
        boolean told = Boolean.getBoolean("io.github.senderwhitelist.java21");

        assertThat(Mapping.isPossible()).isEqualTo(newer && !told);
    }
}
