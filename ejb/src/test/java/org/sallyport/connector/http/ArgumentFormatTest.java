package org.sallyport.connector.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables of styles in OpenAPI 3.1.1, which are the expansions of RFC 6570. */
class ArgumentFormatTest {
    private static JsonNode json(String value) {
        try {
            return ExactJsonMapper.read(
                    switch (value) {
                        case "empty" -> "\"\"";
                        case "text" -> "\"blue\"";
                        case "list" -> "[\"blue\",\"black\",\"brown\"]";
                        case "object" -> "{\"R\":100,\"G\":200,\"B\":150}";
                        default -> value;
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ArgumentFormat format(ParameterStyle style, boolean explode) {
        return new ArgumentFormat(style, explode, false);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "FORM            | false | empty  | color=",
                "FORM            | false | text   | color=blue",
                "FORM            | false | list   | color=blue,black,brown",
                "FORM            | false | object | color=R,100,G,200,B,150",
                "FORM            | true  | empty  | color=",
                "FORM            | true  | text   | color=blue",
                "FORM            | true  | list   | color=blue&color=black&color=brown",
                "FORM            | true  | object | R=100&G=200&B=150",
                "SPACE_DELIMITED | false | list   | color=blue%20black%20brown",
                "SPACE_DELIMITED | false | object | color=R%20100%20G%20200%20B%20150",
                "SPACE_DELIMITED | true  | list   | color=blue&color=black&color=brown",
                "PIPE_DELIMITED  | false | list   | color=blue%7Cblack%7Cbrown",
                "PIPE_DELIMITED  | false | object | color=R%7C100%7CG%7C200%7CB%7C150",
                "DEEP_OBJECT     | true  | object | color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
                "DEEP_OBJECT     | true  | {\"a\":{\"b\":[1,{\"c d\":true}]},\"n\":null} | "
                        + "color%5Ba%5D%5Bb%5D%5B0%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D%5Bc%20d%5D=true",
                "FORM            | false | [\"a,b\",\"c d\"]       | color=a%2Cb,c%20d",
                "FORM            | true  | [\"a&b\",\"c=d\"]       | color=a%26b&color=c%3Dd",
                "FORM            | false | {\"a,b\":\"c\",\"n\":null} | color=a%2Cb,c",
                "FORM            | false | []                      | ''",
                "FORM            | true  | {}                      | ''",
                "JSON            | false | {\"status\":{\"_eq\":\"a b\"}} | "
                        + "color=%7B%22status%22%3A%7B%22_eq%22%3A%22a%20b%22%7D%7D",
            })
    void queryHasTheNamesAndSeparatorsOfItsStyle(ParameterStyle style, boolean explode, String value, String expanded) {
        assertThat(String.join(
                        "&", format(style, explode).queryPairs("color", json(value), RequestLengthLimit.ofTarget())))
                .isEqualTo(expanded);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SIMPLE | false | text   | blue",
                "SIMPLE | false | list   | blue,black,brown",
                "SIMPLE | false | object | R,100,G,200,B,150",
                "SIMPLE | true  | text   | blue",
                "SIMPLE | true  | list   | blue,black,brown",
                "SIMPLE | true  | object | R=100,G=200,B=150",
                "LABEL  | false | text   | .blue",
                "LABEL  | false | list   | .blue,black,brown",
                "LABEL  | false | object | .R,100,G,200,B,150",
                "LABEL  | true  | list   | .blue.black.brown",
                "LABEL  | true  | object | .R=100.G=200.B=150",
                "MATRIX | false | text   | ;color=blue",
                "MATRIX | false | list   | ;color=blue,black,brown",
                "MATRIX | false | object | ;color=R,100,G,200,B,150",
                "MATRIX | true  | text   | ;color=blue",
                "MATRIX | true  | list   | ;color=blue;color=black;color=brown",
                "MATRIX | true  | object | ;R=100;G=200;B=150",
                "SIMPLE | false | [\"a,b\",\"c/d\"] | a%2Cb,c%2Fd",
            })
    void pathHasTheSeparatorsOfItsStyle(ParameterStyle style, boolean explode, String value, String expanded) {
        assertThat(format(style, explode).pathText("color", json(value), false, RequestLengthLimit.ofTarget()))
                .isEqualTo(expanded);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"SIMPLE | empty", "SIMPLE | []", "LABEL | empty", "MATRIX | {}"})
    void segmentNeverVanishes(ParameterStyle style, String value) {
        assertThatThrownBy(
                        () -> format(style, false).pathText("color", json(value), false, RequestLengthLimit.ofTarget()))
                .isInstanceOf(UnencodableArgumentException.class)
                .hasMessageContaining("'color' must not be empty");
    }

    @Test
    void textThatIsADelimitedListMayHaveItsSeparator() {
        assertThat(format(ParameterStyle.PIPE_DELIMITED, true)
                        .queryPairs("color", json("[\"a|b\"]"), RequestLengthLimit.ofTarget()))
                .containsExactly("color=a%7Cb");
        assertThat(format(ParameterStyle.SPACE_DELIMITED, false)
                        .queryPairs("color", json("\"a b\""), RequestLengthLimit.ofTarget()))
                .containsExactly("color=a%20b");
    }

    @Test
    void variableBehindAQuestionMarkMayBeEmpty() {
        assertThat(ArgumentFormat.SCALAR.pathText("color", json("empty"), true, RequestLengthLimit.ofTarget()))
                .isEmpty();
    }

    private static String list(int size) {
        return "[1" + ",1".repeat(size - 1) + "]";
    }

    /** Without a limit, these arguments of some 6,000 characters would make a query of two million. */
    @ParameterizedTest
    @ValueSource(strings = {"FORM", "DEEP_OBJECT"})
    void namesThatAreRepeatedDoNotGrowWithoutBound(ParameterStyle style) {
        String name = "n".repeat(2_000);
        assertThatThrownBy(() -> format(style, true).queryPairs(name, json(list(1_000)), RequestLengthLimit.ofTarget()))
                .isInstanceOf(UnencodableArgumentException.class)
                .hasMessage("the URL would be longer than 65536 bytes");
        String nested = style == ParameterStyle.DEEP_OBJECT ? "{\"" + name + "\":" + list(1_000) + "}" : list(40_000);
        assertThatThrownBy(() -> format(style, true).queryPairs("c", json(nested), RequestLengthLimit.ofTarget()))
                .isInstanceOf(UnencodableArgumentException.class);
    }

    @Test
    void deeplyNestedNamesAreCounted() {
        String name = "n".repeat(250);
        String value = ("{\"" + name + "\":").repeat(900) + "1" + "}".repeat(900);
        assertThatThrownBy(() -> format(ParameterStyle.DEEP_OBJECT, true)
                        .formPairs("c", json(value), RequestLengthLimit.ofBody(value.length())))
                .hasMessageContaining("the body would be longer than");
    }

    @Test
    void pathAndHeaderAreBounded() {
        String name = "n".repeat(2_000);
        assertThatThrownBy(() -> format(ParameterStyle.MATRIX, true)
                        .pathText(name, json(list(1_000)), false, RequestLengthLimit.ofTarget()))
                .hasMessageContaining("the URL would be longer than");
        assertThatThrownBy(() -> format(ParameterStyle.SIMPLE, true).headerText("X", json(list(40_000))))
                .hasMessage("a header would be longer than 65536 bytes");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"[1,2]| 1,2", "{\"a\":\"ü b\"}|a=ü b", "true|true", "[\"a,b\"]|a,b"})
    void headerIsNotEncoded(String value, String expanded) {
        assertThat(format(ParameterStyle.SIMPLE, true).headerText("X", json(value)))
                .isEqualTo(expanded);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "FORM|true|[[1]]",
                "FORM|true|[null]",
                "FORM|true|{\"a\":{}}",
                "FORM|false|{\"\":\"x\",\"R\":1}",
                "FORM|true|{\"\":\"x\"}",
                "FORM|true|{\"$base64\":\"QQ==\",\"type\":\"Uint8Array\"}",
                "JSON|false|{\"a\":[{\"$base64\":\"QQ==\"}]}",
                "DEEP_OBJECT|true|{\"a\":{\"\":1}}",
                "DEEP_OBJECT|true|{\"a\":{\"$base64\":\"QQ==\"}}",
                "SPACE_DELIMITED|false|[\"a b\",\"c\"]",
                "SPACE_DELIMITED|false|{\"a b\":1}",
                "PIPE_DELIMITED|false|`[\"a\",\"b|c\"]`",
                "SCALAR|true|[1]",
                "SCALAR|true|{\"a\":1}",
                "SIMPLE|true|[{}]",
            })
    void valueThatTheStyleCannotWriteIsRefused(ParameterStyle style, boolean explode, String value) {
        assertThatThrownBy(() -> format(style, explode).queryPairs("color", json(value), RequestLengthLimit.ofTarget()))
                .isInstanceOf(UnencodableArgumentException.class)
                .hasMessageContaining("'color'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "12345678.9  | 12345678.9",
                "0.00001     | 0.00001",
                "1e-5        | 0.00001",
                "0.000001    | 0.000001",
                "1e-7        | 1e-7",
                "1.5e-8      | 1.5e-8",
                "1e20        | 100000000000000000000",
                "1e21        | 1e+21",
                "1.25E+22    | 1.25e+22",
                "-0.0        | 0",
                "5.0         | 5",
                "-1.50       | -1.5",
                "100.0       | 100",
                "9007199254740993 | 9007199254740993",
                "123456789012345678901234567890 | 123456789012345678901234567890",
                "0.1234567890123456789 | 0.1234567890123456789",
                "1e999999999 | 1e+999999999",
                "true        | true",
            })
    void numbersAreWrittenAsJavaScriptDoesWithAllTheirDigits(String number, String text) {
        assertThat(ScalarText.format(json(number), "n")).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"a/b?c:d@e,f;g|a/b?c:d@e,f;g", "a&b#c+d%e [f]|a%26b%23c%2Bd%25e%20%5Bf%5D"})
    void reservedCharactersStayWhereTheyMayAndDoNotEndTheValue(String value, String expanded) {
        assertThat(new ArgumentFormat(ParameterStyle.FORM, true, true)
                        .queryPairs("q", TextNode.valueOf(value), RequestLengthLimit.ofTarget()))
                .containsExactly("q=" + expanded);
    }
}
