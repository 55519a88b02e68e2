package org.sallyport.web.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class LabelsTest {
    private static final Set<String> THERE = Set.of("a", "b", "c", "x".repeat(200));

    private final Labels labels = new Labels(2, "other", THERE::contains);

    @Test
    void whoeverMakesUpNamesMakesNoLabelsAndUsesNoneUp() {
        for (int i = 0; i < 10; i++) {
            assertThat(labels.of("made-up-" + i)).isEqualTo("other");
        }

        assertThat(labels.of("a")).isEqualTo("a");
        assertThat(labels.of("b")).isEqualTo("b");
    }

    @Test
    void thereAreNoMoreThanThereMayBe() {
        assertThat(labels.of("a")).isEqualTo("a");
        assertThat(labels.of("x".repeat(200))).isEqualTo("other");
        assertThat(labels.of("b")).isEqualTo("b");
        assertThat(labels.of("c")).isEqualTo("other");
        assertThat(labels.of("a")).isEqualTo("a");
    }
}
