package org.sallyport.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BenchmarkArgumentsTest {

    @Test
    void jsonReportFileCanBeNamed() {
        BenchmarkArguments smoke = new BenchmarkArguments(
                false,
                "smoke",
                BenchmarkArguments.DEFAULT_WARM_UP,
                Set.of(),
                Optional.empty(),
                Optional.empty(),
                GrowthRun.StoredCounts.DEFAULT);
        assertThat(BenchmarkArguments.parse(List.of("smoke"))).isEqualTo(smoke);
        assertThat(BenchmarkArguments.parse(List.of("smoke", "--json", "x.json"))
                        .jsonFile())
                .contains(Path.of("x.json"));
    }

    @Test
    void peersDirectoryOfTheSandboxBenchmarkCanBeNamed() {
        BenchmarkArguments asked = BenchmarkArguments.parse(List.of("sandbox", "--peers", "p"));
        assertThat(asked.command()).isEqualTo("sandbox");
        assertThat(asked.peersDirectory()).contains(Path.of("p"));
    }

    @Test
    void partsCommandIsAccepted() {
        assertThat(BenchmarkArguments.parse(List.of("parts", "--warm-up", "3")).command())
                .isEqualTo("parts");
    }

    @Test
    void warmUpIsGivenInWholeSeconds() {
        assertThat(BenchmarkArguments.parse(List.of("smoke", "--warm-up", "60")).warmUp())
                .isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void eachServiceBenchmarkHasItsSize() {
        for (String command : List.of("smoke", "pair", "full")) {
            String asked = BenchmarkArguments.parse(List.of(command)).command();
            assertThat(BenchmarkSize.of(asked).name()).isEqualTo(command);
        }
    }

    @Test
    void rowsCanBeSelected() {
        assertThat(BenchmarkArguments.parse(List.of("full", "--only", "P8,P9")).selectedRows())
                .containsExactlyInAnyOrder("P8", "P9");
        assertThatThrownBy(() -> BenchmarkArguments.parse(List.of("full", "--only", "P8,P99")))
                .hasMessageContaining("P8,P99");
    }

    @Test
    void storedCountsCanBeGiven() {
        assertThat(BenchmarkArguments.parse(List.of("growth")).storedCounts())
                .isEqualTo(new GrowthRun.StoredCounts(10_000, 1_000_000));
        assertThat(BenchmarkArguments.parse(List.of("growth", "--stored", "100,2000"))
                        .storedCounts())
                .isEqualTo(new GrowthRun.StoredCounts(100, 2_000));
        for (String wrong : List.of("", "100", "100,99", "99,1000", "100,x", "100,999999999")) {
            assertThatThrownBy(() -> BenchmarkArguments.parse(List.of("growth", "--stored", wrong)))
                    .as(wrong)
                    .hasMessageContaining("--stored");
        }
    }

    @Test
    void helpOptionIsRecognizedAfterACommand() {
        assertThat(BenchmarkArguments.parse(List.of("smoke", "--help")).help()).isTrue();
    }

    @Test
    void invalidArgumentIsNamed() {
        assertThatThrownBy(() -> BenchmarkArguments.parse(List.of("smoke", "--jsno")))
                .hasMessageContaining("--jsno");
        assertThatThrownBy(() -> BenchmarkArguments.parse(List.of("smoke", "--json")))
                .hasMessageContaining("needs a value");
        assertThatThrownBy(() -> BenchmarkArguments.parse(List.of("smoke", "--warm-up", "0")))
                .hasMessageContaining("'0'");
        assertThatThrownBy(() -> BenchmarkArguments.parse(List.of("smoke", "--warm-up", "long")))
                .hasMessageContaining("'long'");
        assertThatThrownBy(() -> BenchmarkArguments.parse(List.of())).hasMessageContaining("smoke");
    }
}
