package org.sallyport.web.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LabelsTest {
    @Test
    void whoeverMakesUpNamesMakesNoMoreLabelsThanThereMayBe() {
        Labels labels = new Labels(2, "(others)");

        assertThat(labels.of("a")).isEqualTo("a");
        assertThat(labels.of("x".repeat(200))).isEqualTo("(others)");
        assertThat(labels.of("b")).isEqualTo("b");
        assertThat(labels.of("c")).isEqualTo("(others)");
        assertThat(labels.of("a")).isEqualTo("a");
    }
}
