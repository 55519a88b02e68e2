package org.sallyport.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ArgumentsTest {

    @Test
    void aFileForProgramsMayBeNamed() {
        assertThat(Arguments.parse(List.of("smoke")))
                .isEqualTo(new Arguments(false, "smoke", Arguments.WARM_UP, Optional.empty(), Optional.empty()));
        assertThat(Arguments.parse(List.of("smoke", "--json", "x.json")))
                .isEqualTo(new Arguments(
                        false, "smoke", Arguments.WARM_UP, Optional.of(Path.of("x.json")), Optional.empty()));
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
