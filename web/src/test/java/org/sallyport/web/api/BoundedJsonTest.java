package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.sallyport.tool.Json;
import org.sallyport.web.ProblemType;

/** What the tests of {@link StrictJsonReader} and {@link BatchItemIndex} do not show. */
class BoundedJsonTest {
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void objectOfVeryManyMembersIsRefused() {
        StringBuilder json = new StringBuilder("{\"a\":1");
        for (int i = 0; i < 150_000; i++) {
            json.append(",\"").append(i).append("\":1");
        }
        String text = json.append('}').toString();

        assertThat(ProblemAssertions.problemOf(() -> BoundedJson.parseTree(bytes(text)))
                        .type())
                .isEqualTo(ProblemType.PAYLOAD_TOO_LARGE);
        assertThat(BoundedJson.parseStored(new Json(text)))
                .as("a result of a script")
                .hasSize(150_001);
    }

    @Test
    void storedJsonMayHaveLongNames() {
        String text = "{\"" + "x".repeat(100_000) + "\":1}";

        assertThat(BoundedJson.parseStored(new Json(text))).hasToString(text);
    }

    /** Otherwise a body of hundreds of megabytes, with a new name in each item, fills the memory. */
    @Test
    void walkedNamesAreNotKept() throws IOException {
        try (JsonParser parser = BoundedJson.walk(new ByteArrayInputStream(bytes("[{\"name\":1},{\"name\":2}]")))) {
            parser.nextToken();
            parser.nextToken();
            parser.nextToken();
            String first = parser.currentName();
            parser.nextToken();
            parser.nextToken();
            parser.nextToken();
            parser.nextToken();

            assertThat(parser.currentName()).isEqualTo("name").isNotSameAs(first);
        }
    }

    @Test
    void estimateCountsValuesAndNames() {
        String values = "[" + "{},".repeat(1_000) + "1]";

        assertThat(BoundedJson.estimateTreeBytes(bytes(values))).isGreaterThan(100_000);
        assertThat(BoundedJson.estimateTreeBytes(bytes("{\"a\\\\\":" + values + "}")))
                .as("after a name that ends in a backslash")
                .isGreaterThan(100_000);
        assertThat(BoundedJson.estimateTreeBytes(values.getBytes(StandardCharsets.UTF_16LE)))
                .as("another encoding, which the parser detects")
                .isGreaterThan(100_000);
    }

    /** The code of a script has many such characters, and is one value. */
    @Test
    void charactersWithinATextDoNotCountAsValues() {
        String text = "[{,:\\\"".repeat(10_000);

        assertThat(BoundedJson.estimateTreeBytes(bytes("\"" + text + "\""))).isBetween(60_000L, 61_000L);
    }

    @Test
    void estimateIsBoundedByTheValuesThatABodyMayHave() {
        assertThat(BoundedJson.estimateTreeBytes(bytes("[" + "1,".repeat(1_000_000) + "1]")))
                .isLessThan(15_000_000);
    }
}
