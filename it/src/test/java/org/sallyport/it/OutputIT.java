package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

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
    void piecesHaveTheOrderInWhichTheScriptWroteThem() {
        JsonNode whole = api.run(SubmissionBody.javascript("""
                for (let i = 0; i < 6; i++) {
                  console.log(`out ${i} ${"\uD83D\uDE00".repeat(i)}`);
                  console.error(`err ${i}`);
                  await sleep(30);
                }
                """));
        String path = whole.path("links").path("output").asText() + "/pieces";
        OpenApiResponseValidator description = OpenApiResponseValidator.of(api);
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            expected.append("out " + i + " " + SMILE.repeat(i) + "\nerr " + i + "\n");
        }

        RestResponse answer = api.get(path).expectStatus(200);
        assertThat(description.validate("GET", "/api/v1/executions/{id}/output/pieces", answer))
                .isEmpty();
        JsonNode all = answer.json();
        assertOrdered(all.path("pieces"));
        assertThat(text(all.path("pieces"), "output|error-output")).isEqualTo(expected.toString());
        assertThat(text(all.path("pieces"), "output"))
                .isEqualTo(whole.path("output").asText());
        assertThat(text(all.path("pieces"), "error-output"))
                .isEqualTo(whole.path("errorOutput").asText());
        assertThat(Instant.parse(all.path("pieces").path(0).path("at").asText()))
                .isBetween(
                        Instant.parse(whole.path("createdAt").asText()).minusSeconds(1),
                        Instant.parse(whole.path("finishedAt").asText()).plusSeconds(1));
        assertThat(text(readInPages(path, 7), "output|error-output")).isEqualTo(expected.toString());
        assertThat(api.get(path + "?limit=1").problemType()).isEqualTo("validation");
    }

    /** Reads the pieces, each page from the offsets that the pages before have reached. */
    private ArrayNode readInPages(String path, int limit) {
        ArrayNode pieces = TestJson.array();
        long out = 0;
        long err = 0;
        JsonNode page;
        do {
            page = api.get(path + "?limit=" + limit + "&outputOffset=" + out + "&errorOffset=" + err)
                    .expectStatus(200)
                    .json()
                    .path("pieces");
            for (JsonNode piece : page) {
                pieces.add(piece);
                String text = piece.path("text").asText();
                assertThat(endsInsideOfACharacter(text)).isFalse();
                if (piece.path("stream").asText().equals("output")) {
                    out += text.length();
                } else {
                    err += text.length();
                }
            }
        } while (!page.isEmpty());
        assertOrdered(pieces);
        return pieces;
    }

    private static void assertOrdered(JsonNode pieces) {
        long sequence = 0;
        Instant last = Instant.MIN;
        for (JsonNode piece : pieces) {
            assertThat(piece.path("sequence").asLong()).isEqualTo(sequence);
            Instant at = Instant.parse(piece.path("at").asText());
            assertThat(at).isAfterOrEqualTo(last);
            sequence += piece.path("text").asText().length();
            last = at;
        }
    }

    private static String text(JsonNode pieces, String streams) {
        StringBuilder text = new StringBuilder();
        for (JsonNode piece : pieces) {
            text.append(
                    piece.path("stream").asText().matches(streams)
                            ? piece.path("text").asText()
                            : "");
        }
        return text.toString();
    }

    @Test
    void scriptThatAlternatesStreamsKeepsAllTextInABoundedNumberOfPieces() {
        JsonNode whole = api.run(SubmissionBody.javascript(
                "for (let i = 0; i < 60000; i++) (i % 2 ? console.error : console.log)(i % 10);"));
        ArrayNode pieces = readInPages(whole.path("links").path("output").asText() + "/pieces", 1_000_000);

        assertThat(whole.path("output").asText()).isEqualTo("0\n2\n4\n6\n8\n".repeat(6_000));
        assertThat(pieces.size()).isLessThan(30_000);
        StringBuilder first = new StringBuilder();
        for (int i = 0; i < 900; i++) {
            first.append(pieces.get(i).path("text").asText());
        }
        assertThat("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n".repeat(6_000))
                .as("until the limit of a write")
                .startsWith(first);
        assertThat(text(pieces, "output")).isEqualTo(whole.path("output").asText());
        assertThat(text(pieces, "error-output"))
                .isEqualTo(whole.path("errorOutput").asText());
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
