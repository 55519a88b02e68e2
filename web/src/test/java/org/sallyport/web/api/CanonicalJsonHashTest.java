package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CanonicalJsonHashTest {
    private static String hash(String json) {
        return CanonicalJsonHash.of(BoundedJson.parseTree(json.getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"a":1,"b":2}                    | {"b":2,"a":1}
            {"a":{"b":1,"c":[{"d":1,"e":2}]}} | { "a" : { "c" : [ { "e" : 2, "d" : 1 } ], "b" : 1 } }
            {"a":"\u00e9/\u0041"}            | {"\\u0061":"\\u00e9\\/\\u0041"}
            "\ud83d\ude00"                   | "\\ud83d\\ude00"
            1                                | 1.0
            1                                | 1e0
            100                              | 1E+2
            100                              | 10000e-2
            0                                | -0.0
            0                                | 0e17
            -2.50                            | -25e-1
            12345678901234567890.10          | 1234567890123456789010e-2
            1e999999999                      | 10e999999998
            """)
    void textsOfTheSameValueHaveTheSameHash(String one, String other) {
        assertThat(hash(one)).isEqualTo(hash(other));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"a":1}                | {"a":"1"}
            {"a":1}                | {"b":1}
            {"a":1}                | {"a":1,"b":null}
            [1,2]                  | [2,1]
            [1,[2]]                | [[1],2]
            [[],[]]                | [[[]]]
            ["ab","c"]             | ["a","bc"]
            {"a":{}}               | {"a":[]}
            null                   | false
            true                   | false
            ""                     | null
            "\\ud800"              | "\\ud801"
            "\\ud800"              | "?"
            9007199254740993       | 9007199254740992
            0.1                    | 0.10000000000000001
            1                      | -1
            1e400                  | 1e401
            """)
    void textsOfOtherValuesHaveOtherHashes(String one, String other) {
        assertThat(hash(one)).isNotEqualTo(hash(other));
    }

    /**
     * A client that repeats a request with its idempotency key after an upgrade, or at a node of another version, must
     * receive the same execution. The expected value is that of Python's hashlib.
     */
    @Test
    void hashNeverChanges() {
        assertThat(hash("{\"a\":[1,\"\u00e9\",null,true],\"b\":{\"c\":-12.50}}"))
                .isEqualTo("d9783b6408ace37c84b9063fcbc2e4df635417e7d775f9f7cb62fa2398ea33b3");
    }

    @Test
    void largeValuesAreHashedWhole() {
        String text = "x".repeat(100_000);

        assertThat(hash('"' + text + "a\"")).isNotEqualTo(hash('"' + text + "b\""));
        assertThat(hash('"' + text + '"')).isEqualTo(hash('"' + "\\u0078".repeat(100_000) + '"'));
    }

    @Test
    void numbersThatWereReadAsDoublesAreHashed() {
        JsonNodeFactory nodes = JsonNodeFactory.instance;

        assertThat(CanonicalJsonHash.of(nodes.numberNode(1.0))).isEqualTo(hash("1"));
        assertThat(CanonicalJsonHash.of(nodes.numberNode(Double.POSITIVE_INFINITY)))
                .isNotEqualTo(CanonicalJsonHash.of(nodes.numberNode(Double.NaN)));
    }
}
