package org.sallyport.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.sallyport.testsupport.TimingAssertions;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** Schemas from tool servers, valid and hostile ones. */
class ArgumentSchemaTest {
    private static ArgumentSchema pattern(String pattern) {
        return ArgumentSchema.compile(
                new Json("{\"type\":\"object\",\"properties\":{\"a\":{\"pattern\":\"" + pattern + "\"}}}"));
    }

    private static Json of(String text) {
        return new Json("{\"a\":\"" + text + "\"}");
    }

    @Test
    void patternMatchesAnywhereInTheText() {
        assertThat(pattern("b+").validationError(of("abba"))).isEmpty();
        assertThat(pattern("^b+$").validationError(of("abba")))
                .hasValueSatisfying(error -> assertThat(error).startsWith("arguments/a"));
        assertThat(pattern("(?=.*x)[a-z]+").validationError(of("axe"))).isEmpty();
        assertThat(pattern("^[a-z]{3}$").validationError(of("x".repeat(100_000))))
                .isPresent();
    }

    @Test
    @Timeout(60)
    void catastrophicPatternIsAborted() {
        long start = System.nanoTime();
        for (String pattern : List.of("(x+x+)+y", "(.*x){25}b", "^(?:(x+)\\\\1*)+$")) {
            assertThat(pattern(pattern).validationError(of("x".repeat(5_000) + "!")))
                    .as(pattern)
                    .hasValueSatisfying(error -> assertThat(error).contains("not usable"));
        }
        TimingAssertions.assertAtMostSince(start, Duration.ofSeconds(30));
    }

    @Test
    void unreadableArgumentsAreAViolation() {
        Json named = new Json("{\"" + "n".repeat(60_000) + "\":1}");
        assertThat(pattern("x").validationError(named)).isPresent();
        assertThat(new CachingSchemaValidator().validate(new Json("{\"type\":\"object\"}"), named))
                .isPresent();
    }

    @Test
    void toolWithInvalidPatternIsNotAccepted() {
        Json schema = new Json("{\"properties\":{\"a\":{\"pattern\":\"(\"}}}");
        assertThat(ToolCatalog.accepts(new ToolSpec(new ToolName("b", "t"), "", schema, ToolHints.EFFECT)))
                .isFalse();
    }
}
