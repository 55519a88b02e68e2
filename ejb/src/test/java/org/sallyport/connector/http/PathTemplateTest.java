package org.sallyport.connector.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PathTemplateTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/größe/{id}       | {\"id\":\"a b\"}    | /gr%C3%B6%C3%9Fe/a%20b",
                "/a b/c            | {}                  | /a%20b/c",
                "/a%20b/100%/{id}  | {\"id\":\"50%\"}    | /a%20b/100%25/50%25",
                "/q?fixed=1        | {}                  | /q?fixed=1",
                "/q?x={id}&y=a b/ä | {\"id\":\"1&z=2/3\"} | /q?x=1%26z%3D2%2F3&y=a%20b/%C3%A4",
                "/{id}.json        | {\"id\":\"a.b\"}    | /a.b.json",
                "/a;v=1/b:c@d,e    | {}                  | /a;v=1/b:c@d,e",
                "/[c]/\"d\"/<e>^  | {}                  | /%5Bc%5D/%22d%22/%3Ce%3E%5E",
                "/{id}             | {\"id\":\"\\ud800\"} | /%EF%BF%BD",
                "/{id}             | {\"id\":1e21}       | /1e%2B21",
                "/q?x={id}&y=1     | {\"id\":\"\"}       | /q?x=&y=1",
                "/q?x=../..        | {}                  | /q?x=../..",
            })
    void literalPartsAndArgumentsAreEncoded(String path, String arguments, String expanded) throws IOException {
        PathTemplate template = PathTemplate.ofArguments(path);
        assertThat(template.findProblem()).isEmpty();
        assertThat(template.expand(ExactJsonMapper.read(arguments), RequestLengthLimit.ofTarget()))
                .isEqualTo(expanded);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"a\":\"x\",\"b\":\"\"} | 'b' must not be empty",
                "{\"a\":\"\",\"b\":\"x\"} | 'a' must not be empty",
                "{\"a\":\"x\"}            | 'b' is missing",
                "{\"a\":\"x\",\"b\":null} | 'b' is missing",
                "{\"a\":\"x\",\"b\":[1]}  | 'b' must be a text, a number or a boolean",
                "{\"a\":\"x\",\"b\":\"..\"} | a path segment '..'",
                "{\"a\":\".\",\"b\":\"x\"} | a path segment '.'",
            })
    void argumentThatChangesThePathIsRefused(String arguments, String reason) {
        assertThatThrownBy(() -> PathTemplate.ofArguments("/a/{a}/b/{b}")
                        .expand(ExactJsonMapper.read(arguments), RequestLengthLimit.ofTarget()))
                .isInstanceOf(UnencodableArgumentException.class)
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "//a", "/a#b", "/a\\b", "/a\nb", "/{", "/}{", "/{a b}"})
    void textThatIsNoPathIsReported(String text) {
        assertThat(PathTemplate.ofArguments(text).findProblem()).isPresent();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"/{a}{m}/x | ..", "/{a};v=1/x | ..", "/.{a}/x | .", "/%2e{a}/x | .", "/%2E%2E{m}/x | x"})
    void argumentDoesNotMakeASegmentOfDotsBeforeItsParameters(String path, String argument) {
        PathTemplate template = new PathTemplate(
                path,
                Map.of(
                        "a", new StyledArgument("a", ArgumentFormat.SCALAR),
                        "m", new StyledArgument("m", new ArgumentFormat(ParameterStyle.MATRIX, false, false))));
        assertThatThrownBy(() -> template.expand(
                        ExactJsonMapper.read("{\"a\":\"" + argument + "\",\"m\":1}"), RequestLengthLimit.ofTarget()))
                .isInstanceOf(UnencodableArgumentException.class)
                .hasMessageContaining("a path segment '..'");
    }

    @Test
    void argumentsAreNamedOnceInTheOrderOfThePath() {
        assertThat(PathTemplate.ofArguments("/{b}/{a}/{b}").arguments()).containsExactly("b", "a");
    }
}
