package org.sallyport.tool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Number of times that a call was forwarded between installations. */
class HopCountTest {
    @Test
    void missingLabelMeansNoHops() {
        assertThat(HopCount.of(Map.of("team", "red"))).isZero();
        assertThat(HopCount.inheritedLabels(Map.of("team", "red"))).isEmpty();
    }

    @Test
    void hopCountIsReadFromItsLabelAndInherited() {
        Map<String, String> labels = Map.of("team", "red", HopCount.LABEL, "3");
        assertThat(HopCount.of(labels)).isEqualTo(3);
        assertThat(HopCount.inheritedLabels(labels)).isEqualTo(Map.of(HopCount.LABEL, "3"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-5", "1e1", "99999", "३"})
    void unreadableHopCountExceedsEveryLimit(String strange) {
        assertThat(HopCount.of(Map.of(HopCount.LABEL, strange))).isGreaterThan(1_000_000);
    }
}
