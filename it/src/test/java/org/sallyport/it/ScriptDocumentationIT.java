package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;
import org.sallyport.testsupport.DocumentedExample;

/**
 * Runs the examples of {@code docs/script.md} that use the demo backend, with the one that the service contains. The
 * tests of the sandbox run all examples, with a backend of their own.
 */
@ExtendWith(ServerExtension.class)
class ScriptDocumentationIT {
    /** Also an example that writes the name of the backend with a mistake. */
    private static final Pattern DEMO_BACKEND = Pattern.compile("\\bdem+o\\b");

    private final RestClient api;

    ScriptDocumentationIT(RestClient api) {
        this.api = api;
    }

    static List<DocumentedExample> examplesOfTheDemoBackend() {
        return DocumentedExample.readAll(CheckoutPaths.root().resolve("docs/script.md")).stream()
                .filter(example -> DEMO_BACKEND.matcher(example.code()).find())
                .filter(example -> !example.code().contains("my_backend"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("examplesOfTheDemoBackend")
    void exampleHasTheDocumentedOutcome(DocumentedExample example) {
        JsonNode ended = api.run(
                example.language().equals("ts")
                        ? SubmissionBody.typescript(example.code())
                        : SubmissionBody.javascript(example.code()));

        boolean fails =
                example.outcomes().stream().anyMatch(outcome -> outcome.kind().equals("fails"));
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo(fails ? "FAILED" : "COMPLETED");
        assertThat(ended.path("output").asText()).isEqualTo(example.lines("prints"));
        assertThat(ended.path("errorOutput").asText()).isEqualTo(example.lines("warns"));
        for (DocumentedExample.DocumentedOutcome outcome : example.outcomes()) {
            if (outcome.kind().equals("→")) {
                assertThat(withoutTimes(ended.path("result"))).isEqualTo(TestJson.read(outcome.text()));
            } else if (outcome.kind().equals("fails")) {
                String[] expected = outcome.text().split(": ", 2);
                assertThat(ended.at("/error/code").asText()).isEqualTo(expected[0]);
                assertThat(ended.at("/error/message").asText()).contains(expected[1]);
            }
        }
    }

    /** The report of tests has durations. */
    private static JsonNode withoutTimes(JsonNode result) {
        return TestJson.read(TestJson.write(result).replaceAll("\"durationMillis\":\\d+", "\"durationMillis\":0"));
    }
}
