package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/** The output of a script, read while the script runs and after its end. */
@ExtendWith(ServerExtension.class)
class OutputIT {
    private static final String SMILE = "\uD83D\uDE00";

    private final RestClient api;

    OutputIT(RestClient api) {
        this.api = api;
    }

    @Test
    void outputReadInPiecesIsCompleteWithoutDuplicates() {
        String id = api.submit(SubmissionBody.javascript("""
                for (let i = 0; i < 12; i++) {
                  console.log(`out ${i} ${"\uD83D\uDE00".repeat(i)}`);
                  console.error(`err ${i}`);
                  await sleep(400);
                }
                """));
        StringBuilder out = new StringBuilder();
        StringBuilder err = new StringBuilder();
        int reads = 0;
        int pieces = 0;
        JsonNode now;
        do {
            now = api.get(RestClient.EXECUTIONS + "/" + id + "?outputOffset=" + out.length() + "&errorOffset="
                            + err.length())
                    .expectStatus(200)
                    .json();
            String piece = now.path("output").asText();
            assertThat(now.path("outputLength").asInt()).isEqualTo(out.length() + piece.length());
            assertThat(endsInsideOfACharacter(piece)).isFalse();
            out.append(piece);
            err.append(now.path("errorOutput").asText());
            pieces += piece.isEmpty() ? 0 : 1;
            reads++;
        } while (!RestClient.isFinished(now) && reads < 100_000);

        StringBuilder expectedOut = new StringBuilder();
        StringBuilder expectedErr = new StringBuilder();
        for (int i = 0; i < 12; i++) {
            expectedOut
                    .append("out ")
                    .append(i)
                    .append(' ')
                    .append(SMILE.repeat(i))
                    .append('\n');
            expectedErr.append("err ").append(i).append('\n');
        }
        assertThat(out).hasToString(expectedOut.toString());
        assertThat(err).hasToString(expectedErr.toString());
        assertThat(pieces)
                .describedAs("output was to be seen while the script ran")
                .isGreaterThan(2);
    }

    @Test
    void anyOffsetReturnsTheRemainingOutput() {
        JsonNode whole = api.run(SubmissionBody.javascript("console.log('0123456789'); console.error('abc');"));
        String path = RestClient.EXECUTIONS + "/" + whole.path("id").asText();

        JsonNode rest = api.get(path + "?outputOffset=4&errorOffset=1")
                .expectStatus(200)
                .json();
        JsonNode end = api.get(path + "?outputOffset=11&errorOffset=4")
                .expectStatus(200)
                .json();
        JsonNode beyond = api.get(path + "?outputOffset=9999999&errorOffset=9223372036854775807")
                .expectStatus(200)
                .json();

        assertThat(rest.path("output").asText()).isEqualTo("456789\n");
        assertThat(rest.path("outputLength").asInt()).isEqualTo(11);
        assertThat(rest.path("errorOutput").asText()).isEqualTo("bc\n");
        assertThat(end.path("output").asText()).isEmpty();
        assertThat(beyond.path("output").asText()).isEmpty();
        assertThat(beyond.path("errorOutput").asText()).isEmpty();
    }

    @Test
    void outputResourceReturnsTheOutputInPieces() {
        JsonNode whole = api.run(SubmissionBody.javascript("console.log('01' + args + '234'); console.error('abc');")
                .args("\"" + SMILE + "\""));
        String path = whole.path("links").path("output").asText();
        OpenApiResponseValidator description = OpenApiResponseValidator.of(api);
        StringBuilder out = new StringBuilder();
        StringBuilder err = new StringBuilder();
        JsonNode part;
        do {
            RestResponse answer = api.get(
                            path + "?limit=3&outputOffset=" + out.length() + "&errorOffset=" + err.length())
                    .expectStatus(200);
            assertThat(description.validate("GET", "/api/v1/executions/{id}/output", answer))
                    .isEmpty();
            part = answer.json();
            String piece = part.path("output").asText();
            assertThat(piece).hasSizeLessThanOrEqualTo(3);
            assertThat(endsInsideOfACharacter(piece)).isFalse();
            out.append(piece);
            err.append(part.path("errorOutput").asText());
        } while (!part.path("output").asText().isEmpty());

        assertThat(out).hasToString(whole.path("output").asText()).contains("01" + SMILE + "234");
        assertThat(err).hasToString("abc\n");
        assertThat(part.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(part.path("outputLength")).isEqualTo(whole.path("outputLength"));
        assertThat(api.get(path).json().path("output")).isEqualTo(whole.path("output"));
        assertThat(api.get(path + "?limit=1").problemType()).isEqualTo("validation");
        assertThat(api.get(path + "?errorOffset=-1").problemType()).isEqualTo("validation");
    }

    @Test
    void longLineIsReturnedComplete() {
        JsonNode execution = api.run(SubmissionBody.javascript(
                "console.log('" + SMILE + "'.repeat(49999) + 'x'.repeat(99999)); return 'x'.repeat(1000000);"));

        assertThat(execution.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(execution.path("output").asText()).isEqualTo(SMILE.repeat(49_999) + "x".repeat(99_999) + "\n");
        assertThat(execution.path("truncated").asBoolean()).isFalse();
        assertThat(execution.path("result").asText()).hasSize(1_000_000);
    }

    @Test
    void megabyteLineIsTruncatedAtTheLimit() {
        JsonNode execution = api.run(SubmissionBody.javascript("console.log('x'.repeat(1048576)); return 'after';"));

        assertThat(execution.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(execution.path("result").asText()).isEqualTo("after");
        String output = execution.path("output").asText();
        assertThat(output).matches("x{180000}\n\\[… [0-9,]+ characters omitted …]\n");
        assertThat(execution.path("outputLength").asInt()).isEqualTo(output.length());
        assertThat(execution.path("truncated").asBoolean()).isTrue();
    }

    @Test
    void lastLinesOfCutOutputAreKept() {
        JsonNode execution = api.run(SubmissionBody.javascript("for (let i = 0; i < 1e5; i++) console.log('line ' + i);"
                + " console.error('the last step failed'); throw new Error('stop');"));

        assertThat(execution.path("state").asText()).isEqualTo("FAILED");
        assertThat(execution.path("output").asText())
                .startsWith("line 0\nline 1\n")
                .containsPattern("\\[… [0-9,]+ characters omitted …]\nline [0-9]+\n")
                .endsWith("line 99998\nline 99999\n");
        assertThat(execution.path("errorOutput").asText()).isEqualTo("the last step failed\n");
        assertThat(execution.path("truncated").asBoolean()).isTrue();
    }

    @Test
    void surrogatePairAtTheLimitIsNeverSplit() {
        JsonNode across = api.run(SubmissionBody.javascript("console.log('ab" + SMILE + SMILE + "');")
                .limit("outputChars", 5));
        JsonNode upTo = api.run(SubmissionBody.javascript("console.log('ab" + SMILE + SMILE + "');")
                .limit("outputChars", 6));

        assertThat(across.path("output").asText()).isEqualTo("ab" + SMILE);
        assertThat(across.path("truncated").asBoolean()).isTrue();
        assertThat(upTo.path("output").asText()).isEqualTo("ab" + SMILE + SMILE);
    }

    private static boolean endsInsideOfACharacter(String piece) {
        return !piece.isEmpty() && Character.isHighSurrogate(piece.charAt(piece.length() - 1));
    }
}
