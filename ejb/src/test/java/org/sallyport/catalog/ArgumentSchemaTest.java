package org.sallyport.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.sallyport.tool.Json;

/** Schemas that servers wrote. */
class ArgumentSchemaTest {
    private static ArgumentSchema pattern(String pattern) {
        return ArgumentSchema.compile(
                new Json("{\"type\":\"object\",\"properties\":{\"a\":{\"pattern\":\"" + pattern + "\"}}}"));
    }

    private static Json of(String text) {
        return new Json("{\"a\":\"" + text + "\"}");
    }

    @Test
    void aPatternIsFoundAnywhereInTheText() {
        assertThat(pattern("b+").fault(of("abba"))).isEmpty();
        assertThat(pattern("^b+$").fault(of("abba"))).hasValueSatisfying(fault -> assertThat(fault)
                .startsWith("arguments/a"));
        assertThat(pattern("(?=.*x)[a-z]+").fault(of("axe"))).isEmpty();
        assertThat(pattern("^[a-z]{3}$").fault(of("x".repeat(100_000)))).isPresent();
    }

    @Test
    @Timeout(20)
    void aPatternThatWouldTakeForeverIsGivenUp() {
        long start = System.nanoTime();
        assertThat(pattern("^(a+)+$").fault(of("a".repeat(60) + "!")))
                .hasValueSatisfying(fault -> assertThat(fault).contains("not usable"));
        assertThat(pattern("(x+x+)+y").fault(of("x".repeat(5_000)))).isPresent();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void aPatternThatIsNoneMakesItsToolUnusableAndNothingElse() {
        assertThat(pattern("(").fault(of("x"))).isPresent();
    }
}
