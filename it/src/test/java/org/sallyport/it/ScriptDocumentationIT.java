package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/**
 * Runs the examples of {@code docs/script.md} that use the demo backend, with the one that the service contains. The
 * tests of the sandbox run all examples, with a backend of their own.
 */
@ExtendWith(ServerExtension.class)
class ScriptDocumentationIT {
    private static final Pattern EXAMPLE = Pattern.compile("```js run\n(.*?)```", Pattern.DOTALL);
    private static final Pattern OUTCOME = Pattern.compile("// (→|prints|fails) (.*)");

    private final RestClient api;

    ScriptDocumentationIT(RestClient api) {
        this.api = api;
    }

    static List<String> examplesOfTheDemoBackend() {
        try {
            return EXAMPLE.matcher(Files.readString(CheckoutPaths.root().resolve("docs/script.md")))
                    .results()
                    .map(example -> example.group(1))
                    .filter(example ->
                            Pattern.compile("\\bdem+o\\b").matcher(example).find())
                    .filter(example -> !example.contains("my_backend"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("examplesOfTheDemoBackend")
    void exampleHasTheDocumentedOutcome(String example) {
        String code =
                example.lines().filter(line -> !OUTCOME.matcher(line).matches()).collect(Collectors.joining("\n"));

        JsonNode ended = api.run(SubmissionBody.javascript(code));

        assertThat(outcomes(example)).isNotEmpty().allSatisfy(outcome -> {
            String expected = outcome.group(2);
            switch (outcome.group(1)) {
                case "prints" -> assertThat(ended.path("output").asText()).contains(expected + "\n");
                case "fails" ->
                    assertThat(ended.at("/error/code").asText() + ": "
                                    + ended.at("/error/message").asText())
                            .startsWith(expected.substring(0, expected.indexOf(':')))
                            .contains(expected.substring(expected.indexOf(':') + 2));
                default -> assertThat(withoutTimes(ended.path("result"))).isEqualTo(TestJson.read(expected));
            }
        });
    }

    private static List<MatchResult> outcomes(String example) {
        return example.lines()
                .map(OUTCOME::matcher)
                .filter(Matcher::matches)
                .map(Matcher::toMatchResult)
                .toList();
    }

    /** The report of tests has durations. */
    private static JsonNode withoutTimes(JsonNode result) {
        return TestJson.read(TestJson.write(result).replaceAll("\"durationMillis\":\\d+", "\"durationMillis\":0"));
    }
}
