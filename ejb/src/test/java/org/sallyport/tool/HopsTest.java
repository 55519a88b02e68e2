package org.sallyport.tool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How often a call has gone on. */
class HopsTest {
    @Test
    void whoeverIsToldNothingIsTheFirst() {
        assertThat(Hops.of(Map.of("team", "red"))).isZero();
        assertThat(Hops.inherited(Map.of("team", "red"))).isEmpty();
    }

    @Test
    void theLabelTellsAndIsInherited() {
        Map<String, String> labels = Map.of("team", "red", Hops.LABEL, "3");
        assertThat(Hops.of(labels)).isEqualTo(3);
        assertThat(Hops.inherited(labels)).isEqualTo(Map.of(Hops.LABEL, "3"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-5", "1e1", "99999", "३"})
    void whatCannotBeReadIsBeyondEveryLimit(String strange) {
        assertThat(Hops.of(Map.of(Hops.LABEL, strange))).isGreaterThan(1_000_000);
    }
}
