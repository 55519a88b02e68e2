package org.sallyport.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ArgumentsTest {

    @Test
    void aFileForProgramsMayBeNamed() {
        assertThat(Arguments.parse(List.of("smoke")))
                .isEqualTo(
                        new Arguments(false, "smoke", Arguments.WARM_UP, Set.of(), Optional.empty(), Optional.empty()));
        assertThat(Arguments.parse(List.of("smoke", "--json", "x.json")))
                .isEqualTo(new Arguments(
                        false, "smoke", Arguments.WARM_UP, Set.of(), Optional.of(Path.of("x.json")), Optional.empty()));
    }

    @Test
    void theSandboxIsMeasuredBesideOthersWhenToldWhereTheyAre() {
        Arguments asked = Arguments.parse(List.of("sandbox", "--peers", "p"));
        assertThat(asked.command()).isEqualTo("sandbox");
        assertThat(asked.peers()).contains(Path.of("p"));
    }

    @Test
    void theWarmUpIsInWholeSeconds() {
        assertThat(Arguments.parse(List.of("smoke", "--warm-up", "60")).warmUp())
                .isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void eachMeasurementOfTheServiceHasItsExtent() {
        for (String command : List.of("smoke", "pair", "full")) {
            String asked = Arguments.parse(List.of(command)).command();
            assertThat(Extent.of(asked).name()).isEqualTo(command);
        }
    }

    @Test
    void rowsMayBeNamed() {
        assertThat(Arguments.parse(List.of("full", "--only", "P8,P9")).only()).containsExactlyInAnyOrder("P8", "P9");
        assertThatThrownBy(() -> Arguments.parse(List.of("full", "--only", "P8,P99")))
                .hasMessageContaining("P8,P99");
    }

    @Test
    void helpIsGivenWhateverElseIsAsked() {
        assertThat(Arguments.parse(List.of("smoke", "--help")).help()).isTrue();
    }

    @Test
    void whatIsNotUnderstoodIsNamed() {
        assertThatThrownBy(() -> Arguments.parse(List.of("smoke", "--jsno"))).hasMessageContaining("--jsno");
        assertThatThrownBy(() -> Arguments.parse(List.of("smoke", "--json"))).hasMessageContaining("needs a value");
        assertThatThrownBy(() -> Arguments.parse(List.of("smoke", "--warm-up", "0")))
                .hasMessageContaining("'0'");
        assertThatThrownBy(() -> Arguments.parse(List.of("smoke", "--warm-up", "long")))
                .hasMessageContaining("'long'");
        assertThatThrownBy(() -> Arguments.parse(List.of())).hasMessageContaining("smoke");
    }
}
