package org.sallyport.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

class MockResponsesTest {
    private static ToolSpec tool(Optional<Json> output) {
        return new ToolSpec(new ToolName("b", "t"), "", Json.EMPTY_OBJECT, output, ToolHints.EFFECT);
    }

    private static String sample(String schema) {
        return MockResponses.of(tool(Optional.of(new Json(schema))), Json.EMPTY_OBJECT)
                .text();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\",\"minimum\":3},"
                        + "\"b\":{\"type\":\"string\"}}} "
                        + "| {\"a\":3,\"b\":\"\"}",
                "{\"properties\":{\"a\":{\"type\":\"boolean\"}}}      | {\"a\":false}",
                "{\"type\":\"array\",\"minItems\":2,\"items\":{\"enum\":[\"x\",\"y\"]}} | [\"x\",\"x\"]",
                "{\"type\":[\"string\",\"null\"],\"minLength\":2}     | \"xx\"",
                "{\"anyOf\":[{\"const\":7},{}]}                 | 7",
                "{\"type\":\"array\",\"minItems\":1000000000}     | [null",
                "{}                                             | null",
                "{\"type\":\"number\",\"default\":1.5}            | 1.5",
            })
    void smallestValidSampleIsGenerated(String schema, String answer) {
        assertThat(sample(schema)).startsWith(answer);
    }

    @Test
    void fixtureKeepsTheDigitsOfItsNumbers() {
        Json fixtures = new Json("{\"b.t\":{\"price\":12345678901234567890.125,\"id\":9007199254740993}}");
        assertThat(MockResponses.of(tool(Optional.empty()), fixtures).text())
                .isEqualTo("{\"price\":12345678901234567890.125,\"id\":9007199254740993}");
    }

    @Test
    void deepOrInvalidSchemaGivesABoundedSample() {
        String deep = "{\"type\":\"object\",\"properties\":{\"a\":".repeat(200) + "{}" + "}}".repeat(200);
        assertThat(sample(deep)).startsWith("{\"a\":{\"a\":").contains("null");
        assertThat(sample("{\"type\":\"array\",\"minItems\":100,\"items\":".repeat(6) + "{}" + "}".repeat(6)))
                .hasSizeLessThan(1_000_000);
        assertThat(sample("7")).isEqualTo("null");
        assertThat(MockResponses.of(tool(Optional.empty()), Json.EMPTY_OBJECT)).isEqualTo(Json.NULL);
    }

    @Test
    void configuredMockResponseIsReturned() {
        assertThat(MockResponses.of(
                        tool(Optional.of(new Json("{\"const\":1}"))), new Json("{\"b.t\":[1,2],\"b.u\":0}")))
                .isEqualTo(new Json("[1,2]"));
    }
}
