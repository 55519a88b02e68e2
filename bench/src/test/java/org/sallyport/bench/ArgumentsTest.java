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
        Arguments smoke = new Arguments(
                false,
                "smoke",
                Arguments.WARM_UP,
                Set.of(),
                Optional.empty(),
                Optional.empty(),
                GrowthRun.Stored.USUAL);
        assertThat(Arguments.parse(List.of("smoke"))).isEqualTo(smoke);
        assertThat(Arguments.parse(List.of("smoke", "--json", "x.json")).json()).contains(Path.of("x.json"));
    }

    @Test
    void theSandboxIsMeasuredBesideOthersWhenToldWhereTheyAre() {
        Arguments asked = Arguments.parse(List.of("sandbox", "--peers", "p"));
        assertThat(asked.command()).isEqualTo("sandbox");
        assertThat(asked.peers()).contains(Path.of("p"));
    }

    @Test
    void thePartsAreMeasuredForThemselves() {
        assertThat(Arguments.parse(List.of("parts", "--warm-up", "3")).command())
                .isEqualTo("parts");
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
    void howManyAreStoredMayBeSaid() {
        assertThat(Arguments.parse(List.of("growth")).stored()).isEqualTo(new GrowthRun.Stored(10_000, 1_000_000));
        assertThat(Arguments.parse(List.of("growth", "--stored", "100,2000")).stored())
                .isEqualTo(new GrowthRun.Stored(100, 2_000));
        for (String wrong : List.of("", "100", "100,99", "99,1000", "100,x", "100,999999999")) {
            assertThatThrownBy(() -> Arguments.parse(List.of("growth", "--stored", wrong)))
                    .as(wrong)
                    .hasMessageContaining("--stored");
        }
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
