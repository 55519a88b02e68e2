package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** Invalid requests: the service answers with a problem of a stable type and stores nothing. */
@ExtendWith(ServerExtension.class)
class InvalidInputIT {
    private static final String UNKNOWN_ID = "019ea7c0-1a2b-7000-92af-3bd76810d50e";

    private final RestClient api;
    private List<String> executionsBefore = List.of();

    InvalidInputIT(RestClient api) {
        this.api = api;
    }

    @BeforeEach
    void recordExecutions() {
        executionsBefore = ownExecutions();
    }

    @AfterEach
    void nothingWasStored() {
        assertThat(ownExecutions()).isEqualTo(executionsBefore);
    }

    /**
     * Ids of the executions that only these tests could have created. The filter is necessary because other tests share
     * this server.
     */
    private List<String> ownExecutions() {
        return api.listExecutionIds(item -> item.path("codePreview").asText().isBlank()
                || item.path("codePreview").asText().contains("bad_input"));
    }

    static Stream<Arguments> bodies() {
        return Stream.of(
                Arguments.of("", "validation", "JSON"),
                Arguments.of("{", "validation", "JSON"),
                Arguments.of("{\"code\": \"return bad_input\"", "validation", "JSON"),
                Arguments.of("[]", "validation", "object"),
                Arguments.of("null", "validation", "object"),
                Arguments.of("\"return bad_input\"", "validation", "object"),
                Arguments.of("{\"code\": \"return bad_input\"} {}", "validation", "has content after"),
                Arguments.of("{\"code\": \"return bad_input\", \"code\": \"return 2\"}", "validation", "code"),
                Arguments.of("{\"code\": 'return bad_input'}", "validation", "JSON"),
                Arguments.of("{\"code\": \"return bad_input\", \"args\": 1e99999999999}", "validation", "number"),
                Arguments.of("{\"code\": \"return bad_input\", \"args\": NaN}", "validation", "JSON"),
                Arguments.of(
                        "{\"code\": \"return bad_input\", \"args\": " + "[".repeat(500) + "]".repeat(500) + "}",
                        "validation",
                        "nested"),
                Arguments.of("{}", "validation", "code"),
                Arguments.of("{\"code\": null}", "validation", "code"),
                Arguments.of("{\"code\": \"\"}", "validation", "code"),
                Arguments.of("{\"code\": \" \\n \"}", "validation", "code"),
                Arguments.of("{\"code\": 7}", "validation", "code"),
                Arguments.of("{\"code\": {\"toString\": \"x\"}}", "validation", "code"),
                Arguments.of("{\"code\": \"return bad_input\", \"cod\": 1, \"__proto__\": {}}", "validation", "cod"),
                Arguments.of("{\"code\": \"return bad_input\", \"language\": \"python\"}", "validation", "language"),
                Arguments.of("{\"code\": \"return bad_input\", \"language\": 1}", "validation", "language"),
                Arguments.of("{\"code\": \"return bad_input\", \"grants\": \"demo.*\"}", "validation", "grants"),
                Arguments.of("{\"code\": \"return bad_input\", \"grants\": [1]}", "validation", "grants"),
                Arguments.of("{\"code\": \"return bad_input\", \"labels\": []}", "validation", "labels"),
                Arguments.of("{\"code\": \"return bad_input\", \"labels\": {\"a\": 1}}", "validation", "labels"),
                Arguments.of("{\"code\": \"return bad_input\", \"priority\": 10}", "validation", "priority"),
                Arguments.of("{\"code\": \"return bad_input\", \"priority\": 1.5}", "validation", "priority"),
                Arguments.of("{\"code\": \"return bad_input\", \"limits\": []}", "validation", "limits"),
                Arguments.of(
                        "{\"code\": \"return bad_input\", \"limits\": {\"wallMillis\": -1}}",
                        "validation",
                        "wallMillis"),
                Arguments.of(
                        "{\"code\": \"return bad_input\", \"limits\": {\"wallMillis\": 0}}",
                        "validation",
                        "wallMillis"),
                Arguments.of(
                        "{\"code\": \"return bad_input\", \"limits\": {\"toolCalls\": -5}}", "validation", "toolCalls"),
                Arguments.of(
                        "{\"code\": \"return bad_input\", \"limits\": {\"toolCalls\": 10001}}",
                        "validation",
                        "sallyport.limits.max-tool-calls"),
                Arguments.of(
                        "{\"code\": \"return bad_input\", \"limits\": {\"cpuMillis\": \"1\"}}",
                        "validation",
                        "cpuMillis"),
                Arguments.of(
                        "{\"code\": \"return bad_input\", \"limits\": {\"wallMillis\": 99999999999999999999}}",
                        "validation",
                        "wallMillis"),
                Arguments.of(
                        "{\"code\": \"return bad_input\", \"limits\": {\"wallHours\": 1}}", "validation", "wallHours"),
                Arguments.of("{\"code\": \"return bad_input +\"}", "syntax-error", ""),
                Arguments.of("{\"code\": \"let bad_input: = 1\", \"language\": \"typescript\"}", "syntax-error", ""),
                Arguments.of("{\"code\": \"}); bad_input(() => {\"}", "syntax-error", ""));
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void unreadableBodyIsRefusedWithTheReason(String body, String problem, String named) {
        RestResponse answer = api.post(RestClient.EXECUTIONS, body);

        assertThat(answer.problemType()).as(answer.toString()).isEqualTo(problem);
        assertThat(answer.status()).isEqualTo(problem.equals("syntax-error") ? 422 : 400);
        assertThat(answer.json().path("detail").asText()).contains(named);
        assertNoInternals(answer);
    }

    @Test
    void bodyThatIsNotUtf8IsRefused() {
        byte[] body = "{\"code\": \"return bad_input + '\u00e4'\"}".getBytes(StandardCharsets.ISO_8859_1);

        RestResponse answer = api.send(api.request(RestClient.EXECUTIONS)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(body)));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.problemType()).isEqualTo("validation");
        assertNoInternals(answer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/xml", "application/json; charset=utf-16", "multipart/form-data"})
    void bodyOfUnsupportedContentTypeIsRefused(String type) {
        RestResponse answer = api.send(api.request(RestClient.EXECUTIONS)
                .header("Content-Type", type)
                .POST(RestClient.body("{\"code\": \"return bad_input\"}")));

        assertThat(answer.status()).isEqualTo(415);
        assertThat(answer.problemType()).isEqualTo("unsupported-media-type");
        assertNoInternals(answer);
    }

    @Test
    void bodyWithoutContentTypeIsRefused() {
        RestResponse answer =
                api.send(api.request(RestClient.EXECUTIONS).POST(RestClient.body("{\"code\": \"return bad_input\"}")));

        assertThat(answer.status()).isEqualTo(415);
        assertThat(answer.problemType()).isEqualTo("unsupported-media-type");
    }

    @Test
    void oversizedInputIsRefusedWithTheLimit() {
        RestResponse script = api.post(
                RestClient.EXECUTIONS,
                SubmissionBody.javascript("//bad_input" + "x".repeat(300_000) + "\nreturn bad_input")
                        .json());
        RestResponse args = api.post(
                RestClient.EXECUTIONS,
                SubmissionBody.javascript("return bad_input")
                        .args("\"" + "x".repeat(1_100_000) + "\"")
                        .json());
        RestResponse body = api.post(
                RestClient.EXECUTIONS,
                SubmissionBody.javascript("return bad_input").json() + " ".repeat(5_000_000));

        for (RestResponse answer : List.of(script, args, body)) {
            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.problemType()).isEqualTo("payload-too-large");
            assertThat(answer.json().path("detail").asText()).containsPattern("\\d{6,}");
        }
    }

    /** The request declares no length, so the service must notice the excess while it reads the body. */
    @Test
    void oversizedChunkedBodyIsRefused() {
        byte[] piece = " ".repeat(1_000_000).getBytes(StandardCharsets.US_ASCII);
        HttpRequest.Builder request = api.request(RestClient.EXECUTIONS)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArrays(List.of(piece, piece, piece, piece, piece)));

        RestResponse answer = api.send(request);

        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.problemType()).isEqualTo("payload-too-large");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/code", "/trace"})
    void unknownExecutionIsNotFound(String part) {
        for (String id : List.of(UNKNOWN_ID, "1", "x'%20or%201=1--", "%F0%9F%98%80", "a".repeat(3_000))) {
            RestResponse answer = api.get(RestClient.EXECUTIONS + "/" + id + part);

            assertThat(answer.status()).as(id).isEqualTo(404);
            assertThat(answer.problemType()).isEqualTo("not-found");
            assertThat(answer.text()).hasSizeLessThan(4_000);
            assertNoInternals(answer);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "?cursor=x, cursor",
        "?cursor=MTp4, cursor",
        "?limit=0, limit",
        "?limit=-1, limit",
        "?limit=many, limit",
        "?limit=99999999999999999999, limit",
        "?state=DONE, state",
    })
    void invalidListParameterIsRefused(String query, String named) {
        RestResponse answer = api.get(RestClient.EXECUTIONS + query);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.problemType()).isEqualTo("validation");
        assertThat(answer.json().path("member").asText()).isEqualTo(named);
        assertNoInternals(answer);
    }

    @ParameterizedTest
    @CsvSource({
        "?wait=31536000, wait",
        "?wait=-1, wait",
        "?wait=soon, wait",
        "?outputOffset=-1, outputOffset",
        "?errorOffset=1e3, errorOffset",
    })
    void invalidPollParameterIsRefused(String query, String named) {
        RestResponse answer = api.get(RestClient.EXECUTIONS + "/" + UNKNOWN_ID + query);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.json().path("member").asText()).isEqualTo(named);
    }

    @ParameterizedTest
    @CsvSource({
        "Idempotency-Key, ''",
        "Idempotency-Key, with blank",
    })
    void invalidHeaderIsRefused(String header, String value) {
        RestResponse answer = api.send(api.submissionRequest("{\"code\": \"return bad_input\"}", header, value));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.problemType()).isEqualTo("validation");
        assertThat(answer.json().path("detail").asText()).contains(header);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sp_nobody",
                "sp_expiredKey01_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG",
                "",
                "x",
                "sp__",
                "sp_'--_'--",
            })
    void invalidKeyIsRefusedOnEveryPath(String key) {
        for (String path : List.of(RestClient.EXECUTIONS, "/api/v1/tools", "/openapi", "/", "/nothing", "/error")) {
            RestResponse answer = api.withKey(key).get(path);

            assertThat(answer.status()).as(path).isEqualTo(401);
            assertThat(answer.problemType()).isEqualTo("unauthorized");
            assertThat(answer.header("WWW-Authenticate")).startsWith("Bearer");
        }
    }

    @Test
    void keyInTheUrlIsNotAccepted() {
        String key = api.request("/")
                .build()
                .headers()
                .firstValue("Authorization")
                .orElseThrow()
                .substring(7);

        RestResponse answer = api.withoutKey().get(RestClient.EXECUTIONS + "?key=" + key + "&access_token=" + key);

        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.text()).doesNotContain(key);
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /nothing, 404, not-found",
        "OPTIONS, /api/v1/nothing, 404, not-found",
        "GET, /api/v1/nothing, 404, not-found",
        "GET, /api/v1/application.wadl, 404, not-found",
        "GET, /WEB-INF/web.xml, 404, not-found",
        "GET, /error, 404, not-found",
        "GET, /, 404, not-found",
        "PATCH, /nothing, 404, not-found",
        "PUT, /nothing, 404, not-found",
        "DELETE, /nothing, 404, not-found",
        "OPTIONS, /nothing, 404, not-found",
        "BREW, /nothing, 404, not-found",
        "BREW, /api/v1/nothing, 404, not-found",
        "BREW, /api/v1/tools, 405, method-not-allowed",
        "BREW, /mcp, 405, method-not-allowed",
        "DELETE, /api/v1/executions, 405, method-not-allowed",
        "PUT, /api/v1/tools, 405, method-not-allowed",
        "PATCH, /api/v1/executions, 405, method-not-allowed",
        "POST, /openapi, 405, method-not-allowed",
        "POST, /metrics, 405, method-not-allowed",
        "PUT, /health/live, 405, method-not-allowed",
        "OPTIONS, /health, 405, method-not-allowed",
    })
    void unknownPathOrMethodGivesAProblem(String method, String path, int status, String problem) {
        RestResponse answer = api.send(api.request(path).method(method, BodyPublishers.noBody()));

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.problemType()).as(answer.toString()).isEqualTo(problem);
        assertThat(answer.json().path("instance").asText()).isEqualTo(path);
        assertThat(answer.header("Allow").isEmpty()).as("only 405 has Allow").isEqualTo(status != 405);
        assertNoInternals(answer);
    }

    private static void assertNoInternals(RestResponse answer) {
        JsonNode body = answer.json();
        assertThat(body.path("status").asInt()).isEqualTo(answer.status());
        assertThat(body.path("title").asText()).isNotEmpty();
        assertThat(answer.text().toLowerCase(java.util.Locale.ROOT))
                .doesNotContain("exception", "org.sallyport.", "fasterxml", "payara", "jersey", "\tat ", "select ");
        assertThat(TestJson.write(body)).isNotEmpty();
    }
}
