package org.sallyport.web.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class BoundedLabelsTest {
    private static final Set<String> THERE = Set.of("a", "b", "c", "x".repeat(200));

    private final BoundedLabels labels = new BoundedLabels(2, "other", THERE::contains);

    @Test
    void unknownNamesGetNoLabelAndUseNoneUp() {
        for (int i = 0; i < 10; i++) {
            assertThat(labels.labelFor("made-up-" + i)).isEqualTo("other");
        }

        assertThat(labels.labelFor("a")).isEqualTo("a");
        assertThat(labels.labelFor("b")).isEqualTo("b");
    }

    @Test
    void labelsNeverExceedTheirMaximum() {
        assertThat(labels.labelFor("a")).isEqualTo("a");
        assertThat(labels.labelFor("x".repeat(200))).isEqualTo("other");
        assertThat(labels.labelFor("b")).isEqualTo("b");
        assertThat(labels.labelFor("c")).isEqualTo("other");
        assertThat(labels.labelFor("a")).isEqualTo("a");
    }
}
