package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/** Requests of ordinary HTTP clients, which use more of HTTP than the API needs. */
@ExtendWith(ServerExtension.class)
class HttpSemanticsIT {
    private final RestClient api;

    HttpSemanticsIT(RestClient api) {
        this.api = api;
    }

    @ParameterizedTest
    @ValueSource(strings = {"wait=86400", "foo=bar, wait=99999999999999999999"})
    void waitLongerThanTheMaximumWaitsForTheMaximum(String preference) {
        RestResponse answer = api.send(
                api.submissionRequest(SubmissionBody.javascript("return 1 + 1").json(), "Prefer", preference));

        assertThat(answer.expectStatus(200).json().path("result").asInt()).isEqualTo(2);
    }

    @Test
    void preferenceThatIsNotUnderstoodIsIgnored() {
        api.send(api.submissionRequest(SubmissionBody.javascript("return 1 + 1").json(), "Prefer", "wait=soon"))
                .expectStatus(202);
    }

    @Test
    void bodyInAContentCodingIsRefusedWithWhatIsAccepted() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(SubmissionBody.javascript("return 1").json().getBytes(StandardCharsets.UTF_8));
        }
        for (String path : List.of(RestClient.EXECUTIONS, "/api/v1/batches", "/mcp")) {
            for (String coding : List.of("gzip", "br")) {
                RestResponse answer = api.send(api.request(path)
                        .header("Content-Type", "application/json")
                        .header("Accept", "application/json, text/event-stream")
                        .header("Content-Encoding", coding)
                        .POST(BodyPublishers.ofByteArray(packed.toByteArray())));

                assertThat(answer.status()).as(path).isEqualTo(415);
                assertThat(answer.problemType()).isEqualTo("unsupported-media-type");
                assertThat(answer.header("Accept-Encoding")).isEqualTo("identity");
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/v1/executions                                           | GET, HEAD, OPTIONS, POST",
                "/api/v1/executions/019ea7c0-1a2b-7000-92af-3bd76810d50e/rerun | OPTIONS, POST",
                "/api/v1/tools                                                | GET, HEAD, OPTIONS",
            })
    void methodsOfAPathAreAnsweredWithAndWithoutAKey(String path, String methods) {
        for (RestClient caller : List.of(api, api.withoutKey())) {
            RestResponse answer = caller.send(caller.request(path).method("OPTIONS", BodyPublishers.noBody()));

            assertThat(answer.status()).isEqualTo(204);
            assertThat(answer.header("Allow")).isEqualTo(methods);
            assertThat(answer.text()).isEmpty();
            assertThat(answer.header("Access-Control-Allow-Origin")).isEmpty();
        }
    }

    /** A representation that the client accepts makes no difference, and neither does a key that is not valid. */
    @ParameterizedTest
    @ValueSource(strings = {"application/json", "text/event-stream", "text/html", "*/*"})
    void methodsAreAnsweredWhateverTheClientAccepts(String type) {
        for (RestClient caller : List.of(api.withoutKey(), api.withKey("sp_000000000000_wrong"))) {
            for (String path : List.of(RestClient.EXECUTIONS, "/api/v1/events")) {
                RestResponse answer = caller.send(
                        caller.request(path).header("Accept", type).method("OPTIONS", BodyPublishers.noBody()));

                assertThat(answer.status()).as(answer.toString()).isEqualTo(204);
                assertThat(answer.header("Allow")).isEqualTo("GET, HEAD, OPTIONS, POST");
                assertThat(answer.header("Content-Type")).isEmpty();
                assertThat(answer.text()).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"/mcp | POST, DELETE", "/openapi | GET, HEAD", "/metrics | GET, HEAD"})
    void methodsOfOtherEndpointsAreNamedInTheRefusal(String path, String methods) {
        RestClient stranger = api.withoutKey();

        RestResponse answer = stranger.send(stranger.request(path).method("OPTIONS", BodyPublishers.noBody()));

        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.header("Allow")).isEqualTo(methods);
    }

    @Test
    void refusedMethodIsAnsweredWithTheMethodsOfThePath() {
        RestResponse answer = api.send(api.request(RestClient.EXECUTIONS).method("PATCH", RestClient.body("{}")));

        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.header("Allow")).isEqualTo("GET, HEAD, OPTIONS, POST");
    }
}
