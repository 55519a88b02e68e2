package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.tool.Json;
import org.sallyport.web.Problem;

class JsonMembersTest {
    @Test
    void knownMembersAreAllowedAndMayBeAbsent() {
        members("{\"a\":1}").rejectUnknown(Set.of("a", "b"));
    }

    @Test
    void allUnknownMembersAreNamed() {
        Problem problem = ProblemAssertions.problemOf(() -> {
            members("{\"z\":1,\"a\":1,\"y\":null}").rejectUnknown(Set.of("a", "b"));
            return null;
        });

        assertThat(problem.detail()).isEqualTo("unknown members y, z; known are a, b");
        assertThat(problem.members().path("members")).hasToString("[\"y\",\"z\"]");
    }

    @Test
    void manyUnknownMembersAreCounted() {
        StringBuilder json = new StringBuilder("{\"a\":1");
        for (int i = 100; i < 1_000; i++) {
            json.append(",\"m").append(i).append("\":1");
        }
        Problem problem = ProblemAssertions.problemOf(() -> {
            members(json.append('}').toString()).rejectUnknown(Set.of("a"));
            return null;
        });

        assertThat(problem.detail())
                .isEqualTo("unknown members m100, m101, m102, m103, m104, m105, m106, m107, m108, m109 and 890 more;"
                        + " known are a");
        assertThat(problem.members().path("members")).hasSize(10);
    }

    @Test
    void unknownNestedMembersAreNamedWithTheirPath() {
        JsonMembers inner =
                members("{\"limits\":{\"wall\":1}}").object("limits").orElseThrow();

        Problem problem = ProblemAssertions.problemOf(() -> {
            inner.rejectUnknown(Set.of("wallMillis"));
            return null;
        });

        assertThat(problem.detail()).isEqualTo("unknown member limits.wall; known are wallMillis");
    }

    @Test
    void longNamesAreTruncated() {
        Problem problem = ProblemAssertions.problemOf(() -> {
            members("{\"" + "x".repeat(10_000) + "\":1}").rejectUnknown(Set.of("a"));
            return null;
        });

        assertThat(problem.detail()).hasSizeLessThan(200);
    }

    @Test
    void nullCountsAsAbsent() {
        JsonMembers members = members("{\"a\":null}");

        assertThat(members.text("a", 9)).isEmpty();
        assertThat(members.longValue("a")).isEmpty();
        assertThat(members.object("a")).isEmpty();
        assertThat(members.texts("a", 9, 9)).isEmpty();
        assertThat(members.map("a", 9, 9)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    null                         | null
                    {}                           | {}
                    [1, "two" , {"three":null}]  | [1,"two",{"three":null}]
                    12345678901234567890         | 12345678901234567890
                    0.1                          | 0.1
                    "\\u0000"                    | "\\u0000"
                    """)
    void anyJsonValueIsAccepted(String value, String taken) {
        assertThat(members("{\"a\":" + value + "}").json("a")).contains(new Json(taken));
    }

    @Test
    void absentJsonIsAbsent() {
        assertThat(members("{}").json("a")).isEmpty();
    }

    @Test
    void textsKeepTheirOrder() {
        assertThat(members("{\"a\":[\"z\",\"a\",\"z\"]}").texts("a", 3, 1).orElseThrow())
                .containsExactly("z", "a", "z");
    }

    @Test
    void mapsKeepTheirOrder() {
        assertThat(members("{\"a\":{\"z\":\"1\",\"a\":\"\"}}").map("a", 2, 1))
                .containsExactly(Map.entry("z", "1"), Map.entry("a", ""));
    }

    @Test
    void wholeNumbersAreLimitedToLongs() {
        assertThat(members("{\"a\":9223372036854775807}").longValue("a")).contains(Long.MAX_VALUE);
        assertThat(ProblemAssertions.invalidMemberOf(
                        () -> members("{\"a\":9223372036854775808}").longValue("a")))
                .isEqualTo("a");
    }

    static JsonMembers members(String json) {
        try {
            return new JsonMembers((ObjectNode) new ObjectMapper().readTree(json));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
